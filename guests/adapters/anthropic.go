package main

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// anthropic is the place of the Anthropic Messages API: the key system, which is a string or a list of
// blocks. The prompt is the last text block that is neither managed nor an identity block.
type anthropic struct{}

// identity is the block that Pi puts first when it uses an OAuth token; the server demands it word for word.
const identity = "You are Claude Code, Anthropic's official CLI for Claude."

// anthropicBlocks is what the list of blocks holds.
type anthropicBlocks struct {
	prompt   jsonspan.Node // the block
	text     jsonspan.Node // its text
	identity jsonspan.Node // the last identity block
	stale    []jsonspan.Node
	others   bool // there are blocks that are not stale
}

func isPrompt(text string) bool { return text != "" && text != identity && !managed(text) }

func blocksOf(d *document, system jsonspan.Node) (b anthropicBlocks) {
	for block := system.First(); block.Kind() != jsonspan.Absent; block = block.Next() {
		node := jsonspan.Node{}
		if d.member(block, "type").Is("text") {
			node = d.member(block, "text")
		}
		text, ok := node.Text()
		if ok && managed(text) {
			b.stale = append(b.stale, block)
			continue
		}
		b.others = true
		switch {
		case ok && text == identity:
			b.identity = block
		case ok && text != "":
			b.prompt, b.text = block, node
		}
	}
	return b
}

func (anthropic) read(payload []byte) (string, bool) {
	d := open(payload, 1)
	if d == nil {
		return "", false
	}
	system := d.member(d.root, "system")
	text, ok := system.Text()
	switch system.Kind() {
	case jsonspan.String:
		ok = text == "" || isPrompt(text)
	case jsonspan.Array:
		text, ok = blocksOf(d, system).text.Text()
	}
	if !ok || d.doubtful {
		return "", false
	}
	return text, true
}

func (anthropic) replaceSystem(payload []byte, text string) []byte {
	d := open(payload, 1)
	if d == nil {
		return nil
	}
	system := d.member(d.root, "system")
	// A block that would not be found again as the prompt is not added: one more would be added each time.
	addable := isPrompt(text)
	switch system.Kind() {
	case jsonspan.Absent, jsonspan.Null:
		if addable {
			d.put(d.root, "system", list(block(quote(text))))
		}
	case jsonspan.String:
		switch old, _ := system.Text(); {
		case old == "" || isPrompt(old):
			d.edit.Set(system, quote(text))
		case !addable:
		case old == identity:
			d.edit.Set(system, list(block(system.Raw()), block(quote(text))))
		default:
			d.edit.Set(system, list(block(quote(text)), block(system.Raw())))
		}
	case jsonspan.Array:
		switch b := blocksOf(d, system); {
		case b.prompt.Kind() != jsonspan.Absent:
			d.edit.Set(b.text, quote(text))
		case !addable:
		case b.identity.Kind() != jsonspan.Absent:
			d.edit.After(b.identity, block(quote(text)))
		default:
			d.edit.Prepend(system, block(quote(text)))
		}
	}
	return d.changed()
}

func (anthropic) replaceDeveloper(payload []byte, messages []Message) []byte {
	d := open(payload, 1)
	if d == nil {
		return nil
	}
	system := d.member(d.root, "system")
	blocks := make([][]byte, 0, len(messages)+1)
	for _, s := range segments(messages) {
		blocks = append(blocks, block(s))
	}
	switch system.Kind() {
	case jsonspan.Absent, jsonspan.Null:
		if len(blocks) > 0 {
			d.put(d.root, "system", list(blocks...))
		}
	case jsonspan.String:
		text, _ := system.Text()
		stale := managed(text)
		switch {
		case len(blocks) == 0 && stale:
			d.edit.Remove(system)
		case len(blocks) == 0:
		case stale || text == "":
			d.edit.Set(system, list(blocks...))
		default:
			d.edit.Set(system, list(append([][]byte{block(system.Raw())}, blocks...)...))
		}
	case jsonspan.Array:
		b := blocksOf(d, system)
		if len(blocks) == 0 && len(b.stale) > 0 && !b.others {
			d.edit.Remove(system)
			break
		}
		for _, stale := range b.stale {
			d.edit.Remove(stale)
		}
		if b.prompt.Kind() != jsonspan.Absent {
			d.edit.After(b.prompt, blocks...)
		} else {
			d.edit.Append(system, blocks...)
		}
	}
	return d.changed()
}

// block writes a text block, without cache_control: the cache breakpoint stays on the prompt, in front
// of texts that change more often.
func block(text []byte) []byte {
	return record(member{"type", quote("text")}, member{"text", text})
}
