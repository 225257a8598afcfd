package envelope

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// TypeContext is the customType of the context-files message in a history.
const TypeContext = "pi-developer-messages/agents-md"

// Context rewrites the history before a model call (the hook context): audit copies and earlier
// context-files messages go, and the session's context files, if it has any, come first. Messages are
// JSON objects; those that stay are not touched. The answer is false, with the messages as they are, if
// there was nothing to do. The argument is not changed.
func (s *Service) Context(sessionID string, messages []json.RawMessage) ([]json.RawMessage, bool) {
	s.mu.Lock()
	var content string
	if st := s.sessions[sessionID]; st != nil {
		content = st.contextText
	}
	s.mu.Unlock()
	kept, removed := drop(messages, func(m jsonspan.Node) bool {
		return is(m, "role", "custom") && (is(m, "customType", TypeContext) || isAudit(m))
	})
	if content == "" {
		return kept, removed
	}
	return append([]json.RawMessage{contextMessage(content)}, kept...), true
}

// ContextMessage returns the message that Context puts in front of the session's history, a JSON object;
// false if there is none. It is for a host that rewrites the history itself.
func (s *Service) ContextMessage(sessionID string) (json.RawMessage, bool) {
	state, _ := s.PayloadState(sessionID)
	if state.ContextText == "" {
		return nil, false
	}
	return contextMessage(state.ContextText), true
}

func contextMessage(content string) json.RawMessage {
	out := []byte(`{"role":"custom","customType":"` + TypeContext + `","content":`)
	return append(wtf8.AppendQuote(out, content), `,"display":false,"timestamp":0}`...)
}

// BeforeCompact removes audit copies from a list of messages that is to be summarized
// (messagesToSummarize and turnPrefixMessages of the hook session_before_compact). The argument is not
// changed.
func BeforeCompact(messages []json.RawMessage) []json.RawMessage {
	kept, _ := drop(messages, func(m jsonspan.Node) bool { return is(m, "role", "custom") && isAudit(m) })
	return kept
}

// BeforeTree removes audit copies from a list of session entries that is to be summarized
// (entriesToSummarize of the hook session_before_tree). The argument is not changed.
func BeforeTree(entries []json.RawMessage) []json.RawMessage {
	kept, _ := drop(entries, func(e jsonspan.Node) bool { return is(e, "type", "custom_message") && isAudit(e) })
	return kept
}

func isAudit(m jsonspan.Node) bool {
	return slices.ContainsFunc(auditTypes, jsonvalue.Member(m, "customType").Is)
}

func is(object jsonspan.Node, key, value string) bool { return jsonvalue.Member(object, key).Is(value) }

// drop removes what matches; what is not JSON never does. An unchanged list is returned as it is.
func drop(list []json.RawMessage, matches func(jsonspan.Node) bool) ([]json.RawMessage, bool) {
	kept := make([]json.RawMessage, 0, len(list)+1)
	for _, raw := range list {
		if doc, err := jsonspan.Scan(raw, 1); err != nil || !matches(doc.Root()) {
			kept = append(kept, raw)
		}
	}
	if len(kept) == len(list) {
		return list, false
	}
	return kept, true
}
