package main

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// google is the place of the Google Generative AI API: the system instruction, in the many forms that
// the SDK and the REST interface accept.
type google struct{}

// instruction is the system instruction of a payload.
type instruction struct {
	container node // config in a payload of SDK style, else the payload
	rest      bool
	key       string
	value     node
	form      form
	parts     node // the list in forms contentObject and partList
	prompt    node // the prompt part
	text      node // its text
	stale     []node
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

func (google) levels() int { return 1 }

func instructionOf(d *document) (in instruction) {
	in = instruction{container: d.member(d.root, "config"), key: "systemInstruction"}
	if in.container.kind() != jsonspan.Object {
		in.container, in.rest = d.root, true
	}
	in.value = d.member(in.container, in.key)
	if in.rest && in.value.absent() {
		const snake = "system_instruction"
		if v := d.member(in.container, snake); !v.absent() {
			in.key, in.value = snake, v
		}
	}
	switch in.value.kind() {
	case jsonspan.Absent, jsonspan.Null:
		in.form = missing
	case jsonspan.String:
		in.form = plainString
	case jsonspan.Array:
		in.form, in.parts = partList, in.value
	case jsonspan.Object:
		parts, text := d.member(in.value, "parts"), d.member(in.value, "text")
		switch {
		case parts.kind() == jsonspan.Array:
			in.form, in.parts = contentObject, parts
		case parts.absent() && text.kind() == jsonspan.String:
			in.form = singlePart
			in.look(d, in.value, text)
		}
	}
	for part := range in.parts.elements() {
		text := part // a bare string
		if part.kind() == jsonspan.Object {
			text = d.member(part, "text")
		}
		in.look(d, part, text)
	}
	return in
}

// look takes note of one part.
func (in *instruction) look(d *document, part, text node) {
	c := d.content(text)
	if c.managed() {
		in.stale = append(in.stale, part)
		return
	}
	in.others = true
	if c.length > 0 && in.prompt.absent() {
		in.prompt, in.text = part, text
	}
}

func (google) prompt(d *document) (at node, own int, ok bool) {
	in := instructionOf(d)
	if in.form == plainString {
		c := d.content(in.value)
		return in.value, c.own, c.own > 0 || !c.hasTail()
	}
	return in.text, d.content(in.text).length, !in.text.absent()
}

func (google) setPrompt(d *document, text string) {
	in := instructionOf(d)
	// A part that would not be found again as the prompt is not added: one more would be added each time.
	addable := text != "" && !managed(text)
	switch in.form {
	case notUnderstood:
	case missing:
		if !in.rest {
			d.put(in.container, in.key, quote(text))
		} else if addable {
			d.put(in.container, in.key, contentOfParts([][]byte{quote(text)}))
		}
	case plainString:
		d.content(in.value).setOwn(text, contentOfParts)
	default:
		switch {
		case !in.prompt.absent():
			d.set(in.text, quote(text))
		case !addable:
		case in.form == singlePart:
			d.set(in.value, list(textPart(quote(text)), d.raw(in.value)))
		default:
			d.prepend(in.parts, textPart(quote(text)))
		}
	}
}

func (google) setMessages(d *document, segs [][]byte) {
	in := instructionOf(d)
	switch in.form {
	case notUnderstood:
	case missing:
		if len(segs) == 0 {
			break
		}
		value := joined(segs...)
		if in.rest {
			value = contentOfParts(segs)
		}
		d.put(in.container, in.key, value)
	case plainString:
		placeInString(d, in.value, segs)
	default:
		placeInParts(d, in, segs)
	}
}

func placeInString(d *document, value node, segs [][]byte) {
	c := d.content(value)
	switch {
	case len(segs) > 0:
		c.place(segs, contentOfParts)
	case !c.hasTail():
	case c.own == 0:
		d.remove(value)
	default:
		d.set(value, c.rawOwn())
	}
}

func placeInParts(d *document, in instruction, segs [][]byte) {
	if len(segs) == 0 && len(in.stale) > 0 && !in.others {
		d.remove(in.value)
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
			fresh = append([][]byte{d.raw(in.value)}, fresh...)
		}
		d.set(in.value, list(fresh...))
		return
	}
	for _, part := range in.stale {
		d.remove(part)
	}
	if !in.prompt.absent() {
		d.after(in.prompt, fresh...)
	} else {
		d.append(in.parts, fresh...)
	}
}

func textPart(text []byte) []byte { return record(member{"text", text}) }

// contentOfParts writes a content object with one part for each text.
func contentOfParts(texts [][]byte) []byte {
	parts := make([][]byte, len(texts))
	for i, t := range texts {
		parts[i] = textPart(t)
	}
	return record(member{"parts", list(parts...)})
}
