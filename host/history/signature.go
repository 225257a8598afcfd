package history

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// signed returns the provider options that the signature of a block holds, nil if there are none or they
// are not this provider's.
func (a *answer) signed(n jsonspan.Node, key string) json.RawMessage {
	if !a.own {
		return nil
	}
	text, ok := jsonvalue.Text(jsonvalue.Member(n, key))
	if !ok {
		return nil
	}
	return optionsOf(text)
}

// optionsOf returns the JSON object that a signature is, if it is one whose members are all objects: the
// form in which package stream keeps what a provider has said about a block. Signatures of other forms are
// the host's own.
func optionsOf(signature string) json.RawMessage {
	options, ok := ordered.ParseObject([]byte(signature))
	if !ok {
		return nil
	}
	for _, value := range options.All() {
		if value[0] != '{' {
			return nil
		}
	}
	if utf8.ValidString(signature) {
		return json.RawMessage(signature)
	}
	// Halves of surrogate pairs, which stood for themselves in the text, are escaped in the options.
	raw, _ := ordered.Reserialize(nil, []byte(signature))
	return raw
}

// An execution is a call that the provider has run itself.
type execution struct {
	// at is before which block of the message it came.
	at           int64
	id, tool     string
	input, value json.RawMessage // value is nil if there is no result
}

// readExecutions reads the list of a message. Entries without a place, an id or a name are left out.
func readExecutions(list jsonspan.Node) []execution {
	if list.Kind() != jsonspan.Array {
		return nil
	}
	var executed []execution
	for n := list.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		at, placed := jsonvalue.Whole(jsonvalue.Member(n, "at"))
		id, hasID := jsonvalue.Text(jsonvalue.Member(n, "toolCallId"))
		tool, hasTool := jsonvalue.Text(jsonvalue.Member(n, "toolName"))
		if !placed || !hasID || !hasTool {
			continue
		}
		e := execution{at: at, id: id, tool: tool, input: json.RawMessage("{}")}
		if input := jsonvalue.Member(n, "input"); input.Kind() != jsonspan.Absent {
			e.input = input.Raw()
		}
		if result := jsonvalue.Member(n, "result"); result.Kind() != jsonspan.Absent {
			e.value = result.Raw()
		}
		executed = append(executed, e)
	}
	slices.SortStableFunc(executed, func(a, b execution) int { return int(max(-1, min(1, a.at-b.at))) })
	return executed
}

// appendParts appends the call and, if there is one, its result.
func (e *execution) appendParts(parts []Part) []Part {
	parts = append(parts, Part{
		Type: ToolCall, ToolCallID: e.id, ToolName: e.tool, Input: e.input, ProviderExecuted: true,
	})
	if e.value != nil {
		parts = append(parts, Part{
			Type: ToolResult, ToolCallID: e.id, ToolName: e.tool, ProviderExecuted: true,
			Output: &Output{Type: OutputJSON, JSON: e.value},
		})
	}
	return parts
}
