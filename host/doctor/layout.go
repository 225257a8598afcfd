package doctor

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// IsOtherLayout tells whether a message's replay state that d refuses has the layout of another adapter
// than the one that is known here: an envelope {"response", "blocks"} whose response names another kind
// or none, and whose blocks are absent or as many as the message's. It may be in order; only its own
// adapter can tell.
func IsOtherLayout(m *message.Message, d *replay.Diagnostic) bool {
	if d.Reason != replay.WrongKind {
		return false
	}
	doc, err := jsonspan.Scan(m.Source.ReplayState, 2)
	if err != nil {
		return false
	}
	switch jsonvalue.Member(jsonvalue.Member(doc.Root(), "response"), "kind").Kind() {
	case jsonspan.Absent, jsonspan.String:
	default:
		return false
	}
	list := jsonvalue.Member(doc.Root(), "blocks")
	switch list.Kind() {
	case jsonspan.Absent:
		return true
	case jsonspan.Array:
		n := 0
		for entry := list.First(); entry.Kind() != jsonspan.Absent; entry = entry.Next() {
			n++
		}
		return n == len(m.Content)
	}
	return false
}

// StateFault says, in a sentence without its full stop, why d refuses a message's replay state.
func StateFault(m *message.Message, d *replay.Diagnostic) string {
	switch {
	case IsOtherLayout(m, d):
		return "the replay state is of another layout, which only its own adapter can judge"
	case flat(m.Source.ReplayState):
		return "the replay state has the flat form of version 1"
	}
	return d.Error()
}

// flat tells whether a state has the form that version 1 had.
func flat(state json.RawMessage) bool {
	doc, err := jsonspan.Scan(state, 1)
	if err != nil {
		return false
	}
	version := jsonvalue.Member(doc.Root(), "version")
	response := jsonvalue.Member(doc.Root(), "response")
	return string(version.Raw()) == "1" && response.Kind() == jsonspan.Absent
}
