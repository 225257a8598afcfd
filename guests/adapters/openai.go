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
	field   node // instructions
	item    node // the prompt item
	role    node // its role
	content node // its content
	part    node // the prompt part if the content is a list
	text    node // the part's text
}

func (openAI) levels() int { return 3 }

func (a openAI) find(d *document) openAIPrompt {
	var field node
	if a.instructions {
		if field = d.member(d.root, "instructions"); field.kind() != jsonspan.String {
			field = node{}
		} else if !field.is("") {
			return openAIPrompt{field: field}
		}
	}
	for item := range d.member(d.root, a.list).elements() {
		p := openAIPrompt{item: item, role: d.member(item, "role")}
		if !p.role.is("system") && !p.role.is("developer") {
			break
		}
		p.content = d.member(item, "content")
		if d.content(p.content).own > 0 {
			return p
		}
		for p.part = range p.content.elements() {
			p.text = d.member(p.part, "text")
			if c := d.content(p.text); c.length > 0 && !c.managed() {
				return p
			}
		}
	}
	return openAIPrompt{field: field}
}

func (a openAI) prompt(d *document) (at node, own int, ok bool) {
	p := a.find(d)
	switch {
	case p.item.absent():
		return p.field, d.content(p.field).length, !p.field.absent()
	case p.part.absent():
		return p.content, d.content(p.content).own, true
	}
	return p.text, d.content(p.text).length, true
}

// acceptsDeveloper tells whether the server is taken to accept the role developer.
func (a openAI) acceptsDeveloper(p openAIPrompt) bool {
	switch {
	case a.codex || a.developerRole == "yes":
		return true
	case a.developerRole == "no":
		return false
	case a.instructions:
		return !p.role.is("system")
	}
	return p.role.is("developer")
}

func (a openAI) setPrompt(d *document, text string) {
	p := a.find(d)
	switch {
	case !p.field.absent():
		d.set(p.field, quote(text))
	case p.item.absent():
		a.addPrompt(d, p, text)
	case !p.part.absent():
		d.set(p.text, quote(text))
	default:
		d.content(p.content).setOwn(text, a.parts)
	}
}

func (a openAI) addPrompt(d *document, p openAIPrompt, text string) {
	history := d.member(d.root, a.list)
	if a.codex || a.instructions &&
		(history.kind() == jsonspan.String || !d.member(d.root, "instructions").absent()) {
		d.put(d.root, "instructions", quote(text))
		return
	}
	// An item without a text of its own would not be found again, and one more would be added each time.
	if own, _ := split(text); own == 0 || history.kind() != jsonspan.Array {
		return
	}
	role := "system"
	if a.acceptsDeveloper(p) {
		role = "developer"
	}
	d.prepend(history, item(role, quote(text)))
}

func (a openAI) setMessages(d *document, segs [][]byte) {
	p := a.find(d)
	history := d.member(d.root, a.list)
	switch {
	case history.kind() == jsonspan.String && a.instructions && len(segs) > 0:
		d.set(history, list(append(a.items(p, segs), item("user", d.raw(history)))...))
		return
	case history.kind() != jsonspan.Array:
		return
	}
	// Without the developer role the segments go into the prompt item, if there is one.
	hasItem := !p.item.absent()
	into := hasItem && len(segs) > 0 && !a.acceptsDeveloper(p)
	for item := range history.elements() {
		if role := d.member(item, "role"); !role.is("developer") && (a.codex || !role.is("system")) {
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
		d.after(p.item, a.items(p, segs)...)
	default:
		d.prepend(history, a.items(p, segs)...)
	}
}

// clean removes what an earlier placement left in an item, and the item if nothing else was in it.
func clean(d *document, item node) {
	body := d.member(item, "content")
	if c := d.content(body); c.managed() {
		d.remove(item)
	} else if c.hasTail() && c.own > 0 {
		d.set(body, c.rawOwn())
	}
	stale, others := staleParts(d, body)
	if len(stale) > 0 && !others {
		d.remove(item)
		return
	}
	for _, part := range stale {
		d.remove(part)
	}
}

// staleParts lists the managed text parts of a list of parts and tells whether there are others.
func staleParts(d *document, parts node) (stale []node, others bool) {
	for part := range parts.elements() {
		if d.content(d.member(part, "text")).managed() {
			stale = append(stale, part)
		} else {
			others = true
		}
	}
	return stale, others
}

func (a openAI) placeInto(d *document, p openAIPrompt, segs [][]byte) {
	if p.part.absent() {
		d.content(p.content).place(segs, a.parts)
		return
	}
	clean(d, p.item) // the prompt part stays, and with it the item
	partType := quote(a.partType)
	if t := d.member(p.part, "type"); t.kind() == jsonspan.String {
		partType = d.raw(t)
	}
	for _, s := range segs {
		d.after(p.part, record(member{"type", partType}, member{"text", s}))
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

// parts writes the content of an item as text parts.
func (a openAI) parts(texts [][]byte) []byte {
	out := make([][]byte, len(texts))
	for i, s := range texts {
		out[i] = record(member{"type", quote(a.partType)}, member{"text", s})
	}
	return list(out...)
}

func item(role string, content []byte) []byte {
	return record(member{"role", quote(role)}, member{"content", content})
}
