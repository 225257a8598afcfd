package replay

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A state is a replay state that has passed every check.
type state struct {
	api, provider, model      string
	responseModel, responseID *string
	stopReason                string
	// stopList is a list that the reference takes for the word in it.
	stopList json.RawMessage
	// providerExecuted is a list, nil if there is none.
	providerExecuted json.RawMessage
	entries          []entry
}

// An entry is what a state knows of one block.
type entry struct {
	kind string
	// signature is the one of this kind; redacted is that of a reasoning entry.
	signature *string
	redacted  *bool
}

// Validate tells whether a message's replay state can be used for it. It makes the checks of the
// replay-state protocol, sections "Structural checks" and "Matching checks", in their order; the reader's
// route plays no part. The error is a *[Diagnostic] that names the message and the first check that
// failed, and no route. A message without a state has none that is an object.
//
// In reference mode an answering route beside the requested one is not looked at, and a stop reason may
// also be "error" or "aborted", or a list with nothing but a valid word in it.
func (r *Reader) Validate(m message.Message) error {
	if _, d := readState(m.Source.ReplayState, &m, r.Reference); d != nil {
		return d
	}
	return nil
}

func readState(raw json.RawMessage, m *message.Message, reference bool) (*state, *Diagnostic) {
	s := &state{}
	d := s.read(raw, reference)
	if d == nil {
		d = s.match(m, reference)
	}
	if d != nil {
		d.Code, d.MessageID = InvalidState, m.ID
		return nil, d
	}
	return s, nil
}

// read makes the structural checks.
func (s *state) read(raw json.RawMessage, reference bool) *Diagnostic {
	doc, err := jsonspan.Scan(raw, 3)
	if err != nil || doc.Root().Kind() != jsonspan.Object {
		return &Diagnostic{Reason: EnvelopeNotObject}
	}
	response := jsonvalue.Member(doc.Root(), "response")
	if d := s.readResponse(response, reference); d != nil {
		return d
	}
	// The layout of the protocol does not have this member: what is no list is as good as none.
	if ran := jsonvalue.Member(response, "providerExecuted"); !reference && ran.Kind() == jsonspan.Array {
		s.providerExecuted = ran.Raw()
	}
	list := jsonvalue.Member(doc.Root(), "blocks")
	if list.Kind() != jsonspan.Array {
		return &Diagnostic{Reason: EntriesNotArray}
	}
	for n := list.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		e, d := readEntry(n)
		if d != nil {
			d.At = len(s.entries)
			return d
		}
		s.entries = append(s.entries, e)
	}
	return nil
}

func (s *state) readResponse(n jsonspan.Node, reference bool) *Diagnostic {
	if n.Kind() != jsonspan.Object {
		return &Diagnostic{Reason: ResponseNotObject}
	}
	if !jsonvalue.Member(n, "kind").Is("pi-ai") {
		return &Diagnostic{Reason: WrongKind}
	}
	version := jsonvalue.Member(n, "version")
	if v, ok := jsonvalue.Number(version); !ok || v != 2 {
		return &Diagnostic{Reason: WrongVersion, Version: jsonvalue.Coerce(version)}
	}
	for _, f := range []struct {
		key string
		to  *string
	}{{"api", &s.api}, {"provider", &s.provider}, {"model", &s.model}} {
		if *f.to = jsonvalue.String(jsonvalue.Member(n, f.key)); *f.to == "" {
			return &Diagnostic{Reason: FieldNotString, Field: f.key}
		}
	}
	if !s.readStopReason(jsonvalue.Member(n, "stopReason"), reference) {
		return &Diagnostic{Reason: WrongStopReason}
	}
	for _, f := range []struct {
		key string
		to  **string
	}{{"responseModel", &s.responseModel}, {"responseId", &s.responseID}} {
		var ok bool
		if *f.to, ok = optional(jsonvalue.Member(n, f.key)); !ok {
			return &Diagnostic{Reason: FieldNotString, Field: f.key}
		}
	}
	return nil
}

func (s *state) readStopReason(n jsonspan.Node, reference bool) bool {
	switch n.Kind() {
	case jsonspan.String:
		s.stopReason = jsonvalue.String(n)
	case jsonspan.Array:
		// The reference looks the value up as a property name, which turns a list into its text.
		if !reference {
			return false
		}
		s.stopReason, s.stopList = jsonvalue.Coerce(n), n.Raw()
	default:
		return false
	}
	switch s.stopReason {
	case stopStop, stopLength, stopToolUse:
		return true
	case stopError, stopAborted:
		return reference
	}
	return false
}

// optional returns a string, nil if there is none, and false for any other value.
func optional(n jsonspan.Node) (*string, bool) {
	if n.Kind() == jsonspan.Absent {
		return nil, true
	}
	s, ok := jsonvalue.Text(n)
	return &s, ok
}

// signatures are the signature fields in the order in which they are checked, each with the kind of
// entry that it is used for.
var signatures = [...]struct{ field, kind string }{
	{"textSignature", message.Text},
	{"thinkingSignature", message.Reasoning},
	{"thoughtSignature", message.ToolCall},
}

func readEntry(n jsonspan.Node) (entry, *Diagnostic) {
	if n.Kind() != jsonspan.Object {
		return entry{}, &Diagnostic{Reason: EntryNotObject}
	}
	e := entry{kind: jsonvalue.String(jsonvalue.Member(n, "type"))}
	switch e.kind {
	case message.Text, message.Reasoning, message.ToolCall:
	default:
		return entry{}, &Diagnostic{Reason: EntryType}
	}
	for _, s := range signatures {
		signature, ok := optional(jsonvalue.Member(n, s.field))
		if !ok {
			return entry{}, &Diagnostic{Reason: EntrySignature, Field: s.field}
		}
		if e.kind == s.kind {
			e.signature = signature
		}
	}
	switch redacted := jsonvalue.Member(n, "redacted"); redacted.Kind() {
	case jsonspan.Absent:
	case jsonspan.Bool:
		if e.kind == message.Reasoning {
			v := string(redacted.Raw()) == "true"
			e.redacted = &v
		}
	default:
		return entry{}, &Diagnostic{Reason: EntryRedacted}
	}
	return e, nil
}

// match compares the state with the message.
func (s *state) match(m *message.Message, reference bool) *Diagnostic {
	route := m.Source.Serving()
	if reference {
		route = m.Source.Requested()
	}
	switch {
	case s.provider != route.Provider:
		return &Diagnostic{Reason: RouteMismatch, Field: "provider"}
	case s.model != route.Model:
		return &Diagnostic{Reason: RouteMismatch, Field: "model"}
	case len(s.entries) != len(m.Content):
		return &Diagnostic{Reason: EntryCount}
	}
	for i := range s.entries {
		if s.entries[i].kind != m.Content[i].Type {
			return &Diagnostic{Reason: EntryKindMismatch, At: i}
		}
	}
	return nil
}
