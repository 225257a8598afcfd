package main

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// google is the place of the Google Generative AI API: the system instruction, in the many forms that
// the SDK and the REST interface accept.
type google struct{}

// instruction is the system instruction of a payload.
type instruction struct {
	container jsonspan.Node // config in a payload of SDK style, else the payload
	rest      bool
	key       string
	value     jsonspan.Node
	form      form
	parts     jsonspan.Node // the list in forms contentObject and partList
	prompt    jsonspan.Node // the prompt part
	text      jsonspan.Node // its text
	stale     []jsonspan.Node
	others    bool // there are parts that are not stale
}

type form int

const (
	notUnderstood form = iota
	missing
	plainString
	contentObject // a record with a list of parts
	partList
	singlePart // a record with a text
)

func instructionOf(d *document) (in instruction) {
	in = instruction{container: d.member(d.root, "config"), key: "systemInstruction"}
	if in.container.Kind() != jsonspan.Object {
		in.container, in.rest = d.root, true
	}
	in.value = d.member(in.container, in.key)
	if in.rest && in.value.Kind() == jsonspan.Absent {
		const snake = "system_instruction"
		if v := d.member(in.container, snake); v.Kind() != jsonspan.Absent {
			in.key, in.value = snake, v
		}
	}
	switch in.value.Kind() {
	case jsonspan.Absent, jsonspan.Null:
		in.form = missing
	case jsonspan.String:
		in.form = plainString
	case jsonspan.Array:
		in.form, in.parts = partList, in.value
	case jsonspan.Object:
		parts, text := d.member(in.value, "parts"), d.member(in.value, "text")
		switch {
		case parts.Kind() == jsonspan.Array:
			in.form, in.parts = contentObject, parts
		case parts.Kind() == jsonspan.Absent && text.Kind() == jsonspan.String:
			in.form = singlePart
			in.look(in.value, text)
		}
	}
	for part := in.parts.First(); part.Kind() != jsonspan.Absent; part = part.Next() {
		text := part // a bare string
		if part.Kind() == jsonspan.Object {
			text = d.member(part, "text")
		}
		in.look(part, text)
	}
	return in
}

// look takes note of one part.
func (in *instruction) look(part, node jsonspan.Node) {
	text, ok := node.Text()
	if ok && managed(text) {
		in.stale = append(in.stale, part)
		return
	}
	in.others = true
	if ok && text != "" && in.prompt.Kind() == jsonspan.Absent {
		in.prompt, in.text = part, node
	}
}

func (google) read(payload []byte) (string, bool) {
	d := open(payload, 1)
	if d == nil {
		return "", false
	}
	in := instructionOf(d)
	text, ok := in.text.Text()
	if in.form == plainString {
		c := contentOf(in.value)
		text, ok = c.ownText(), c.own > 0 || !c.hasTail()
	}
	if d.doubtful {
		return "", false
	}
	return text, ok
}

func (google) replaceSystem(payload []byte, text string) []byte {
	d := open(payload, 1)
	if d == nil {
		return nil
	}
	in := instructionOf(d)
	// A part that would not be found again as the prompt is not added: one more would be added each time.
	addable := text != "" && !managed(text)
	switch in.form {
	case notUnderstood:
	case missing:
		if !in.rest {
			d.put(in.container, in.key, quote(text))
		} else if addable {
			d.put(in.container, in.key, contentOfParts(quote(text)))
		}
	case plainString:
		whole, parts := contentOf(in.value).withPrompt(text)
		if parts != nil {
			whole = contentOfParts(parts...)
		}
		d.edit.Set(in.value, whole)
	default:
		switch {
		case in.prompt.Kind() != jsonspan.Absent:
			d.edit.Set(in.text, quote(text))
		case !addable:
		case in.form == singlePart:
			d.edit.Set(in.value, list(textPart(quote(text)), in.value.Raw()))
		default:
			d.edit.Prepend(in.parts, textPart(quote(text)))
		}
	}
	return d.changed()
}

func (google) replaceDeveloper(payload []byte, messages []Message) []byte {
	d := open(payload, 1)
	if d == nil {
		return nil
	}
	in := instructionOf(d)
	segs := segments(messages)
	switch in.form {
	case notUnderstood:
	case missing:
		if len(segs) == 0 {
			break
		}
		value := joined(segs...)
		if in.rest {
			value = contentOfParts(segs...)
		}
		d.put(in.container, in.key, value)
	case plainString:
		placeInString(d, in.value, segs)
	default:
		placeInParts(d, in, segs)
	}
	return d.changed()
}

func placeInString(d *document, value jsonspan.Node, segs [][]byte) {
	c := contentOf(value)
	switch {
	case len(segs) > 0:
		whole, parts := c.withSegments(segs)
		if parts != nil {
			whole = contentOfParts(parts...)
		}
		d.edit.Set(value, whole)
	case !c.hasTail():
	case c.own == 0:
		d.edit.Remove(value)
	default:
		d.edit.Set(value, c.rawOwn())
	}
}

func placeInParts(d *document, in instruction, segs [][]byte) {
	if len(segs) == 0 && len(in.stale) > 0 && !in.others {
		d.edit.Remove(in.value)
		return
	}
	fresh := make([][]byte, len(segs))
	for i, s := range segs {
		fresh[i] = textPart(s)
	}
	if in.form == singlePart {
		if len(fresh) == 0 {
			return
		}
		if in.others {
			fresh = append([][]byte{in.value.Raw()}, fresh...)
		}
		d.edit.Set(in.value, list(fresh...))
		return
	}
	for _, part := range in.stale {
		d.edit.Remove(part)
	}
	if in.prompt.Kind() != jsonspan.Absent {
		d.edit.After(in.prompt, fresh...)
	} else {
		d.edit.Append(in.parts, fresh...)
	}
}

func textPart(text []byte) []byte { return record(member{"text", text}) }

// contentOfParts writes a content object with one part for each text.
func contentOfParts(texts ...[]byte) []byte {
	parts := make([][]byte, len(texts))
	for i, t := range texts {
		parts[i] = textPart(t)
	}
	return record(member{"parts", list(parts...)})
}
