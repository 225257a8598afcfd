package main

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// openAI is the place of the three OpenAI APIs: the prompt is the string instructions, or the first
// item of the list with the role system or developer that has a text of its own.
type openAI struct {
	list          string // the key of the history
	partType      string // of a text part in a message's content
	instructions  bool   // the API has that key
	codex         bool
	developerRole string
}

// openAIPrompt is where the prompt was found. At most one of field and item is there.
type openAIPrompt struct {
	field   jsonspan.Node // instructions
	item    jsonspan.Node // the prompt item
	role    jsonspan.Node // its role
	content jsonspan.Node // its content
	part    jsonspan.Node // the prompt part if the content is a list
	text    jsonspan.Node // the part's text
}

func (a openAI) find(d *document) (p openAIPrompt) {
	var field jsonspan.Node
	if a.instructions {
		if field = d.member(d.root, "instructions"); field.Kind() != jsonspan.String {
			field = jsonspan.Node{}
		} else if !field.Is("") {
			return openAIPrompt{field: field}
		}
	}
	history := d.member(d.root, a.list)
	if history.Kind() != jsonspan.Array {
		return openAIPrompt{field: field}
	}
	for item := history.First(); item.Kind() == jsonspan.Object; item = item.Next() {
		p = openAIPrompt{item: item, role: d.member(item, "role")}
		if !p.role.Is("system") && !p.role.Is("developer") {
			break
		}
		p.content = d.member(item, "content")
		switch p.content.Kind() {
		case jsonspan.String:
			if contentOf(p.content).own > 0 {
				return p
			}
		case jsonspan.Array:
			for p.part = p.content.First(); p.part.Kind() != jsonspan.Absent; p.part = p.part.Next() {
				p.text = d.member(p.part, "text")
				if text, ok := p.text.Text(); ok && text != "" && !managed(text) {
					return p
				}
			}
		}
	}
	return openAIPrompt{field: field}
}

func (a openAI) read(payload []byte) (string, bool) {
	d := open(payload, 3)
	if d == nil {
		return "", false
	}
	p := a.find(d)
	var text string
	ok := true
	switch {
	case d.doubtful:
		return "", false
	case p.item.Kind() == jsonspan.Absent:
		text, ok = p.field.Text()
	case p.part.Kind() == jsonspan.Absent:
		text = contentOf(p.content).ownText()
	default:
		text, _ = p.text.Text()
	}
	return text, ok
}

// acceptsDeveloper tells whether the server is taken to accept the role developer.
func (a openAI) acceptsDeveloper(p openAIPrompt) bool {
	switch {
	case a.codex || a.developerRole == "yes":
		return true
	case a.developerRole == "no":
		return false
	case a.instructions:
		return !p.role.Is("system")
	}
	return p.role.Is("developer")
}

func (a openAI) replaceSystem(payload []byte, text string) []byte {
	d := open(payload, 3)
	if d == nil {
		return nil
	}
	p := a.find(d)
	switch {
	case p.field.Kind() != jsonspan.Absent:
		d.edit.Set(p.field, quote(text))
	case p.item.Kind() == jsonspan.Absent:
		a.addPrompt(d, p, text)
	case p.part.Kind() != jsonspan.Absent:
		d.edit.Set(p.text, quote(text))
	default:
		whole, parts := contentOf(p.content).withPrompt(text)
		d.edit.Set(p.content, a.content(whole, parts))
	}
	return d.changed()
}

func (a openAI) addPrompt(d *document, p openAIPrompt, text string) {
	history := d.member(d.root, a.list)
	if a.codex || a.instructions &&
		(history.Kind() == jsonspan.String || d.member(d.root, "instructions").Kind() != jsonspan.Absent) {
		d.put(d.root, "instructions", quote(text))
		return
	}
	// An item without a text of its own would not be found again, and one more would be added each time.
	if own, _ := split(text); own == 0 || history.Kind() != jsonspan.Array {
		return
	}
	role := "system"
	if a.acceptsDeveloper(p) {
		role = "developer"
	}
	d.edit.Prepend(history, item(role, quote(text)))
}

func (a openAI) replaceDeveloper(payload []byte, messages []Message) []byte {
	d := open(payload, 3)
	if d == nil {
		return nil
	}
	p := a.find(d)
	segs := segments(messages)
	history := d.member(d.root, a.list)
	switch {
	case history.Kind() == jsonspan.String && a.instructions && len(segs) > 0:
		d.edit.Set(history, list(append(a.items(p, segs), item("user", history.Raw()))...))
		return d.changed()
	case history.Kind() != jsonspan.Array:
		return nil
	}
	// Without the developer role the segments go into the prompt item, if there is one.
	hasItem := p.item.Kind() != jsonspan.Absent
	into := hasItem && len(segs) > 0 && !a.acceptsDeveloper(p)
	for item := history.First(); item.Kind() != jsonspan.Absent; item = item.Next() {
		if role := d.member(item, "role"); !role.Is("developer") && (a.codex || !role.Is("system")) {
			continue
		}
		if into && item == p.item {
			a.placeInto(d, p, segs)
		} else {
			clean(d, item)
		}
	}
	switch {
	case into || len(segs) == 0:
	case hasItem:
		d.edit.After(p.item, a.items(p, segs)...)
	default:
		d.edit.Prepend(history, a.items(p, segs)...)
	}
	return d.changed()
}

// clean removes what an earlier placement left in an item, and the item if nothing else was in it.
func clean(d *document, item jsonspan.Node) {
	body := d.member(item, "content")
	switch body.Kind() {
	case jsonspan.String:
		if c := contentOf(body); c.managed() {
			d.edit.Remove(item)
		} else if c.hasTail() && c.own > 0 {
			d.edit.Set(body, c.rawOwn())
		}
	case jsonspan.Array:
		stale, others := staleParts(d, body)
		if len(stale) > 0 && !others {
			d.edit.Remove(item)
			return
		}
		for _, part := range stale {
			d.edit.Remove(part)
		}
	}
}

// staleParts lists the managed text parts of a list of parts and tells whether there are others.
func staleParts(d *document, parts jsonspan.Node) (stale []jsonspan.Node, others bool) {
	for part := parts.First(); part.Kind() != jsonspan.Absent; part = part.Next() {
		if text, ok := d.member(part, "text").Text(); ok && managed(text) {
			stale = append(stale, part)
		} else {
			others = true
		}
	}
	return stale, others
}

func (a openAI) placeInto(d *document, p openAIPrompt, segs [][]byte) {
	if p.part.Kind() == jsonspan.Absent {
		whole, parts := contentOf(p.content).withSegments(segs)
		d.edit.Set(p.content, a.content(whole, parts))
		return
	}
	clean(d, p.item) // the prompt part stays, and with it the item
	partType := quote(a.partType)
	if t := d.member(p.part, "type"); t.Kind() == jsonspan.String {
		partType = t.Raw()
	}
	for _, s := range segs {
		d.edit.After(p.part, record(member{"type", partType}, member{"text", s}))
	}
}

// items are the new items for segments: one each, or where the developer role is not accepted one for all.
func (a openAI) items(p openAIPrompt, segs [][]byte) [][]byte {
	if !a.acceptsDeveloper(p) {
		return [][]byte{item("system", joined(segs...))}
	}
	out := make([][]byte, len(segs))
	for i, s := range segs {
		out[i] = item("developer", s)
	}
	return out
}

// content writes the content of an item: one string, or text parts.
func (a openAI) content(whole []byte, parts [][]byte) []byte {
	if parts == nil {
		return whole
	}
	out := make([][]byte, len(parts))
	for i, s := range parts {
		out[i] = record(member{"type", quote(a.partType)}, member{"text", s})
	}
	return list(out...)
}

func item(role string, content []byte) []byte {
	return record(member{"role", quote(role)}, member{"content", content})
}
