package doctor

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/pisession"
)

// route finds where the next request goes: where the options say, or else where the last answer on the branch
// came from or, if that was later, what the user changed to.
func (b *piBranch) route() error {
	b.r.Route = b.options.Route
	for at := len(b.tree.Branch) - 1; at >= 0 && b.r.Route == (message.Route{}); at-- {
		e := &b.tree.Entries[b.tree.Branch[at]]
		if e.Type != pisession.ModelChange && e.Role != "assistant" {
			continue
		}
		text, err := b.text(e)
		if err != nil {
			return err
		}
		if e.Type == pisession.ModelChange {
			values := jsonvalue.Pick(text, "provider", "modelId")
			b.r.Route = message.Route{Provider: jsonvalue.StringOf(values[0]), Model: jsonvalue.StringOf(values[1])}
			continue
		}
		b.r.Route, b.api = routeOf(jsonvalue.Pick(text, "message")[0])
	}
	return nil
}

// routeOf is where an answer came from.
func routeOf(m []byte) (r message.Route, api string) {
	values := jsonvalue.Pick(m, "provider", "model", "api")
	r = message.Route{Provider: jsonvalue.StringOf(values[0]), Model: jsonvalue.StringOf(values[1])}
	return r, jsonvalue.StringOf(values[2])
}

// answer looks at a message of the model.
func (b *piBranch) answer(i int, m, content []byte) {
	switch reason := jsonvalue.StringOf(jsonvalue.Pick(m, "stopReason")[0]); reason {
	case "error", "aborted":
		b.calls.message(i, &message.Message{Role: message.Assistant})
		what := "was interrupted"
		if reason == "error" {
			what = "ended with an error"
		}
		b.add(i, Finding{Code: AnswerLeftOut, Level: Note, Detail: "the answer " + what,
			Effect: "Pi leaves it out of each request, with its calls: the user has seen it, and the model does not know it",
			Here:   "the same"})
		return
	}
	b.count("assistant")
	b.unmeasured = -1
	if usage := jsonvalue.Pick(m, "usage")[0]; len(usage) == 0 || usage[0] != '{' {
		b.unmeasured = i
	}
	b.blocks(i, content, "text", "thinking", "toolCall")
	told := message.Message{Role: message.Assistant}
	var state stateCount
	if len(content) > 0 && content[0] == '[' {
		for w := jsonspan.Walk(content); w.Next(); {
			block := w.Raw()
			state.see(block)
			if kind := jsonvalue.Pick(block, "type")[0]; jsonvalue.StringOf(kind) == "toolCall" {
				values := jsonvalue.Pick(block, "id", "name", "arguments")
				id, named := jsonvalue.TextOf(values[0])
				name, called := jsonvalue.TextOf(values[1])
				if !named || !called || id == "" || name == "" || len(values[2]) == 0 || values[2][0] != '{' {
					b.invalid(i, "a call of the answer has no id, no name, or arguments that are no object")
					continue
				}
				told.Content = append(told.Content, message.Block{Type: message.ToolCall, ID: id, Name: name})
			}
		}
	}
	b.calls.message(i, &told)
	from, api := routeOf(m)
	if state.any() && b.r.Route.Provider != "" && (from != b.r.Route || b.api != "" && api != b.api) {
		b.add(i, Finding{Code: StateNotOwned, Level: Note,
			Detail: fmt.Sprintf("%s of %s %s of no use to %s", state.String(), from, state.verb(), b.r.Route),
			Effect: "as long as the session is on this route Pi takes the signatures off and leaves the thinking out; Pi 0.74 sends it as plain text",
			Here:   "the same"})
	}
}

// A stateCount counts what of an answer only the model that gave it can use.
type stateCount struct{ signatures, thinking int }

func (s *stateCount) see(block []byte) {
	for _, signature := range jsonvalue.Pick(block, "textSignature", "thinkingSignature", "thoughtSignature") {
		if jsonvalue.StringOf(signature) != "" {
			s.signatures++
		}
	}
	if jsonvalue.StringOf(jsonvalue.Pick(block, "type")[0]) == "thinking" {
		s.thinking++
	}
}

func (s *stateCount) any() bool { return s.signatures+s.thinking > 0 }

// verb agrees with the String.
func (s *stateCount) verb() string {
	if s.signatures+s.thinking == 1 {
		return "is"
	}
	return "are"
}

func (s *stateCount) String() string {
	var list []string
	if s.signatures > 0 {
		list = append(list, several(s.signatures, "signature"))
	}
	if s.thinking > 0 {
		list = append(list, pluralOf(s.thinking, "block of thinking", "blocks of thinking"))
	}
	return strings.Join(list, " and ")
}
