package main

import (
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Message is one developer message of a turn.
type Message struct{ ID, Content string }

// place is where the payloads of one API keep the prompt, and where developer messages go. Payloads are
// JSON; they are never changed, and one that is not understood, or not JSON at all, is read as having
// no prompt and left unchanged.
type place interface {
	// read returns the prompt; ok is false if there is none.
	read(payload []byte) (text string, ok bool)
	// replaceSystem returns the payload with another prompt; nil means unchanged.
	replaceSystem(payload []byte, text string) []byte
	// replaceDeveloper returns the payload with these developer messages instead of the ones that an
	// earlier replacement left in it; nil means unchanged.
	replaceDeveloper(payload []byte, messages []Message) []byte
}

// placeFor returns the adapter of an API; nil for an API that has none. With compat "reference" the
// adapters behave as the Pi prompt-envelope extension's own, where it has any. developerRole says
// whether the server accepts the role developer: "yes", "no", and anything else leaves that to the
// payload.
func placeFor(api, compat, developerRole string) place {
	if compat == "reference" {
		switch api {
		case "openai-codex-responses":
			return codexReference{}
		case "openai-responses":
			return openAIReference{list: "input", instructions: true}
		case "openai-completions":
			return openAIReference{list: "messages"}
		}
	}
	switch api {
	case "openai-codex-responses":
		return openAI{list: "input", partType: "input_text", instructions: true, codex: true, developerRole: developerRole}
	case "openai-responses":
		return openAI{list: "input", partType: "input_text", instructions: true, developerRole: developerRole}
	case "openai-completions":
		return openAI{list: "messages", partType: "text", developerRole: developerRole}
	case "anthropic-messages":
		return anthropic{}
	case "google-generative-ai":
		return google{}
	}
	return nil
}

// document is a payload that is a record, and the changes to be made to it.
type document struct {
	root jsonspan.Node
	edit *jsonspan.Edit
	// doubtful is set when a key that matters is there twice: readers of JSON disagree about what that
	// means, so such a payload is left alone.
	doubtful bool
}

// open scans a payload; nil if it is not a record. levels is how deep the adapter looks into all of it.
func open(payload []byte, levels int) *document {
	scanned, err := jsonspan.Scan(payload, levels)
	if err != nil || scanned.Root().Kind() != jsonspan.Object {
		return nil
	}
	return &document{root: scanned.Root(), edit: scanned.Edit()}
}

// member returns a member of a record; an absent node if n is no record or has no such member.
func (d *document) member(n jsonspan.Node, key string) jsonspan.Node {
	m, unique := n.Member(key)
	d.doubtful = d.doubtful || !unique
	return m
}

// bytes returns the changed payload, nil in case of doubt.
func (d *document) bytes() []byte { return d.sure(d.edit.Bytes()) }

// changed is bytes, but nil as well if the result is what the payload was.
func (d *document) changed() []byte { return d.sure(d.edit.Changed()) }

func (d *document) sure(out []byte, err error) []byte {
	if d.doubtful || err != nil {
		return nil
	}
	return out
}

// put sets a key of a record to a value, at the end if the key is not there.
func (d *document) put(record jsonspan.Node, key string, value []byte) {
	if m := d.member(record, key); m.Kind() != jsonspan.Absent {
		d.edit.Set(m, value)
	} else {
		d.edit.AddMember(record, key, value)
	}
}

func quote(s string) []byte { return ecma.AppendString(nil, s) }

// member is one member of a record to be written; value is JSON already.
type member struct {
	key   string
	value []byte
}

func record(members ...member) []byte {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(ecma.AppendString(out, m.key), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}

func list(values ...[]byte) []byte {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}
