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
	return readString(d, d.member(d.root, "instructions"))
}

// readString returns a string, but not in case of doubt.
func readString(d *document, n node) (string, bool) {
	if d.doubtful || n.kind() != jsonspan.String {
		return "", false
	}
	return n.text(), true
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
	return readString(d, a.prompt(d))
}

// prompt is the content of the first item of the list that has one of the two roles.
func (a openAIReference) prompt(d *document) node {
	if a.instructions {
		if field := d.member(d.root, "instructions"); field.kind() == jsonspan.String {
			return field
		}
	}
	for item := range d.member(d.root, a.list).elements() {
		if role := d.member(item, "role"); role.is("system") || role.is("developer") {
			return d.member(item, "content")
		}
	}
	return node{}
}

func (a openAIReference) replaceSystem(payload []byte, text string) []byte {
	d := open(payload, 3)
	if d == nil {
		return nil
	}
	if a.instructions {
		if field := d.member(d.root, "instructions"); !field.absent() {
			d.set(field, quote(text))
			return d.bytes()
		}
	}
	history := d.member(d.root, a.list)
	if history.kind() != jsonspan.Array {
		return nil
	}
	for item := range history.elements() {
		if !d.member(item, "role").is("system") {
			continue
		}
		if content := d.member(item, "content"); content.kind() == jsonspan.String {
			d.set(content, quote(text))
			return d.bytes()
		}
	}
	d.prepend(history, item("system", quote(text)))
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
	if history.kind() != jsonspan.Array {
		return nil
	}
	for item := range history.elements() {
		if !d.member(item, "role").is("developer") {
			continue
		}
		if tagged(d.member(item, "content").text()) {
			d.remove(item)
		}
	}
	for _, s := range segments(messages) {
		d.prepend(history, item("developer", s))
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
