package main

import (
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// codexReference behaves as the Codex adapter of the Pi prompt-envelope extension: the prompt is
// instructions, whatever newer Pi versions do, and every replacement yields a payload, even an equal
// one.
type codexReference struct{}

func (codexReference) read(payload []byte) (string, bool) {
	d := open(payload, 1)
	if d == nil {
		return "", false
	}
	text, ok := d.member(d.root, "instructions").Text()
	if d.doubtful {
		return "", false
	}
	return text, ok
}

func (codexReference) replaceSystem(payload []byte, text string) []byte {
	d := open(payload, 1)
	if d == nil {
		return nil
	}
	d.put(d.root, "instructions", quote(text))
	return d.bytes()
}

func (codexReference) replaceDeveloper(payload []byte, messages []Message) []byte {
	return replaceInFront(payload, "input", messages)
}

// openAIReference behaves as the extension's adapters for OpenAI-compatible providers, their oddities
// included: read accepts a prompt under the role developer, which replaceSystem does not find.
type openAIReference struct {
	list         string
	instructions bool
}

func (a openAIReference) read(payload []byte) (string, bool) {
	d := open(payload, 3)
	if d == nil {
		return "", false
	}
	text, ok := a.prompt(d).Text()
	if d.doubtful {
		return "", false
	}
	return text, ok
}

// prompt is the content of the first item of the list that has one of the two roles.
func (a openAIReference) prompt(d *document) jsonspan.Node {
	if a.instructions {
		if field := d.member(d.root, "instructions"); field.Kind() == jsonspan.String {
			return field
		}
	}
	history := d.member(d.root, a.list)
	if history.Kind() != jsonspan.Array {
		return jsonspan.Node{}
	}
	for item := history.First(); item.Kind() != jsonspan.Absent; item = item.Next() {
		if role := d.member(item, "role"); role.Is("system") || role.Is("developer") {
			return d.member(item, "content")
		}
	}
	return jsonspan.Node{}
}

func (a openAIReference) replaceSystem(payload []byte, text string) []byte {
	d := open(payload, 3)
	if d == nil {
		return nil
	}
	if a.instructions {
		if field := d.member(d.root, "instructions"); field.Kind() != jsonspan.Absent {
			d.edit.Set(field, quote(text))
			return d.bytes()
		}
	}
	history := d.member(d.root, a.list)
	if history.Kind() != jsonspan.Array {
		return nil
	}
	for item := history.First(); item.Kind() != jsonspan.Absent; item = item.Next() {
		if !d.member(item, "role").Is("system") {
			continue
		}
		if content := d.member(item, "content"); content.Kind() == jsonspan.String {
			d.edit.Set(content, quote(text))
			return d.bytes()
		}
	}
	d.edit.Prepend(history, item("system", quote(text)))
	return d.bytes()
}

func (a openAIReference) replaceDeveloper(payload []byte, messages []Message) []byte {
	return replaceInFront(payload, a.list, messages)
}

// replaceInFront removes managed developer items and puts one item for each message in front of the rest.
func replaceInFront(payload []byte, key string, messages []Message) []byte {
	d := open(payload, 3)
	if d == nil {
		return nil
	}
	history := d.member(d.root, key)
	if history.Kind() != jsonspan.Array {
		return nil
	}
	for item := history.First(); item.Kind() != jsonspan.Absent; item = item.Next() {
		if !d.member(item, "role").Is("developer") {
			continue
		}
		if text, ok := d.member(item, "content").Text(); ok && tagged(text) {
			d.edit.Remove(item)
		}
	}
	for _, s := range segments(messages) {
		d.edit.Prepend(history, item("developer", s))
	}
	return d.bytes()
}

// tagged is the reference's test for a managed text: it looks at both ends only.
func tagged(s string) bool {
	for _, g := range generations {
		if strings.HasPrefix(s, g.opening) && strings.HasSuffix(s, g.closing) {
			return true
		}
	}
	return false
}
