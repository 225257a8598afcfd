package main

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// anthropic is the place of the Anthropic Messages API: the key system, which is a string or a list of
// blocks. The prompt is the last text block that is neither managed nor an identity block.
type anthropic struct{}

// identity is the block that Pi puts first when it uses an OAuth token; the server demands it word for word.
const identity = "You are Claude Code, Anthropic's official CLI for Claude."

// anthropicBlocks is what the list of blocks holds.
type anthropicBlocks struct {
	prompt   node // the block
	text     node // its text
	identity node // the last identity block
	stale    []node
	others   bool // there are blocks that are not stale
}

func (anthropic) levels() int { return 1 }

// isPrompt tells whether a string can be the prompt; a value that is no string cannot.
func isPrompt(c content) bool { return c.length > 0 && !c.node.is(identity) && !c.managed() }

// addable tells whether a text would be found again as the prompt. One that would not is not added: one
// more would be added each time.
func addable(text string) bool { return text != "" && text != identity && !managed(text) }

func blocksOf(d *document, system node) (b anthropicBlocks) {
	for block := range system.elements() {
		text := node{}
		if d.member(block, "type").is("text") {
			text = d.member(block, "text")
		}
		c := d.content(text)
		if c.managed() {
			b.stale = append(b.stale, block)
			continue
		}
		b.others = true
		if isPrompt(c) {
			b.prompt, b.text = block, text
		} else if text.is(identity) {
			b.identity = block
		}
	}
	return b
}

func (anthropic) prompt(d *document) (at node, own int, ok bool) {
	at = d.member(d.root, "system")
	switch at.kind() {
	case jsonspan.String:
		ok = at.is("") || isPrompt(d.content(at))
	case jsonspan.Array:
		at = blocksOf(d, at).text
		ok = !at.absent()
	}
	return at, d.content(at).length, ok
}

func (anthropic) setPrompt(d *document, text string) {
	system := d.member(d.root, "system")
	switch system.kind() {
	case jsonspan.Absent, jsonspan.Null:
		if addable(text) {
			d.put(d.root, "system", list(block(quote(text))))
		}
	case jsonspan.String:
		switch {
		case system.is("") || isPrompt(d.content(system)):
			d.set(system, quote(text))
		case !addable(text):
		case system.is(identity):
			d.set(system, list(block(d.raw(system)), block(quote(text))))
		default:
			d.set(system, list(block(quote(text)), block(d.raw(system))))
		}
	case jsonspan.Array:
		switch b := blocksOf(d, system); {
		case !b.prompt.absent():
			d.set(b.text, quote(text))
		case !addable(text):
		case !b.identity.absent():
			d.after(b.identity, block(quote(text)))
		default:
			d.prepend(system, block(quote(text)))
		}
	}
}

func (anthropic) setMessages(d *document, segs [][]byte) {
	system := d.member(d.root, "system")
	blocks := make([][]byte, 0, len(segs)+1)
	for _, s := range segs {
		blocks = append(blocks, block(s))
	}
	switch system.kind() {
	case jsonspan.Absent, jsonspan.Null:
		if len(blocks) > 0 {
			d.put(d.root, "system", list(blocks...))
		}
	case jsonspan.String:
		stale := d.content(system).managed()
		switch {
		case len(blocks) == 0 && stale:
			d.remove(system)
		case len(blocks) == 0:
		case stale || system.is(""):
			d.set(system, list(blocks...))
		default:
			d.set(system, list(append([][]byte{block(d.raw(system))}, blocks...)...))
		}
	case jsonspan.Array:
		b := blocksOf(d, system)
		if len(blocks) == 0 && len(b.stale) > 0 && !b.others {
			d.remove(system)
			break
		}
		for _, stale := range b.stale {
			d.remove(stale)
		}
		if !b.prompt.absent() {
			d.after(b.prompt, blocks...)
		} else {
			d.append(system, blocks...)
		}
	}
}

// block writes a text block, without cache_control: the cache breakpoint stays on the prompt, in front
// of texts that change more often.
func block(text []byte) []byte {
	return record(member{"type", quote("text")}, member{"text", text})
}
