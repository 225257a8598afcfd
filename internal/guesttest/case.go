// Package guesttest reads and runs cases: what a guest is asked, in a JSON file beside it, and what it is to
// answer. The guest is asked by the code that asks it in a turn.
//
// A file is a list of cases. One of a contribution:
//
//	{"name": "says nothing without a prompt", "contribution": "greeting",
//	 "context": {"provider": "p", "activeTools": ["read"], "sessionId": "s", "prompt": "hi", "systemPromptOptions": {}},
//	 "config": {"tone": "dry"}, "nothing": true}
//
// All of the context may be left out, and config. What is expected is one of text, a text; nothing, true; and
// error, a part of the error's words. One of an adapter:
//
//	{"name": "places the messages", "adapter": "codex", "provider": "openai-codex", "api": "openai-codex-responses",
//	 "base": "The host's prompt.", "systemPrompt": "The turn's prompt.",
//	 "messages": [{"id": "style", "content": "Be brief."}], "payload": {"input": []}, "unchanged": true}
//
// Of that only name, adapter and payload have to be there. Provider and api are else the first ones that the
// adapter stands for. The prompt is replaced if the payload has base as its prompt; without base it never is.
// What is expected is one of result, a payload; unchanged, true; and error. Payloads are compared without
// white space: the order of keys and how numbers are written count.
package guesttest

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/registry"
)

// A Kind is what a guest answers, and what a case expects: the key of the file.
type Kind string

// The kinds of answers. Text and Nothing are those of contributions, Payload and Unchanged of adapters.
const (
	Text      Kind = "text"
	Nothing   Kind = "nothing"
	Payload   Kind = "result"
	Unchanged Kind = "unchanged"
	Failure   Kind = "error"
)

// A Suite is a file of cases.
type Suite struct {
	Name  string // of the file
	Cases []*Case

	doc *jsonspan.Doc
}

// A Case is one call of a guest, with what it is to answer.
type Case struct {
	Name string
	Line int // in the file, from 1

	// Contribution or Adapter is the id of what is asked.
	Contribution, Adapter string
	Config                map[string]string
	Context               Context // of a contribution
	Request               Request // of an adapter
	Want                  Want

	node, want jsonspan.Node // the case, and the value of what it expects
}

// A Context is what a contribution may look at. Empty texts, and a nil Prompt, are not known.
type Context struct {
	Provider    string
	ActiveTools []string
	SessionID   string
	Prompt      *string
	Options     registry.PromptOptions
}

// A Request is what an adapter is to work on.
type Request struct {
	Provider, API string
	// Base is the prompt that the host had built, SystemPrompt the one that takes its place. Without Base the
	// prompt stays, without SystemPrompt it is Base.
	Base, SystemPrompt *string
	Messages           []registry.Message
	Payload            json.RawMessage
}

// A Want is what a case expects. Its Kind is empty if the case does not say: such a case fails.
type Want struct {
	Kind    Kind
	Text    string          // the text, or a part of the error
	Payload json.RawMessage // as it stands in the file
}
