package envelope

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/registry"
)

// State is what the hooks know of a session. In JSON the keys are base, prompt, provider, api, messages and
// contextText: null stands for what is not known, and provider and api are left out then.
type State struct {
	// Base is the prompt that the host had built for the last captured turn, nil if it is not known.
	Base *string
	// Prompt is the last good composed prompt, nil before the first one, and Provider and API what it
	// was composed for ("" unknown).
	Prompt        *string
	Provider, API string
	// Messages are the developer messages of the last captured turn.
	Messages []registry.Message
	// ContextText is the context-files message, "" for none.
	ContextText string
}

// PayloadState returns the session's state; false if it has none.
func (s *Service) PayloadState(sessionID string) (State, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.sessions[sessionID]
	if st == nil {
		return State{}, false
	}
	return State{copyOf(st.base), copyOf(st.prompt), st.provider, st.api, slices.Clone(st.messages), st.contextText}, true
}

// Restore gives a session back what another process knew of it: the state of its last captured turn, and
// its stored request; nil leaves either as it is. The last texts of single contributions are not part of
// it. See Capture for what is kept of the request.
func (s *Service) Restore(sessionID string, request *Request, state *State) {
	if request != nil {
		req := *request
		req.SessionID = sessionID
		req.SystemPrompt, req.Prompt = copyOf(req.SystemPrompt), copyOf(req.Prompt)
		s.requests().set(req)
	}
	if state == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.session(sessionID)
	st.base, st.prompt = copyOf(state.Base), copyOf(state.Prompt)
	st.provider, st.api = state.Provider, state.API
	st.messages = slices.Clone(state.Messages)
	st.contextText = state.ContextText
}

// MarshalJSON writes the state.
func (s State) MarshalJSON() ([]byte, error) {
	optional := func(out []byte, key string, value *string) []byte {
		if out = append(out, key...); value == nil {
			return append(out, "null"...)
		}
		return wtf8.AppendQuote(out, *value)
	}
	out := optional(nil, `{"base":`, s.Base)
	out = optional(out, `,"prompt":`, s.Prompt)
	if s.Provider != "" {
		out = optional(out, `,"provider":`, &s.Provider)
	}
	if s.API != "" {
		out = optional(out, `,"api":`, &s.API)
	}
	out = appendMessages(append(out, `,"messages":`...), s.Messages)
	var context *string
	if s.ContextText != "" {
		context = &s.ContextText
	}
	return append(optional(out, `,"contextText":`, context), '}'), nil
}

// UnmarshalJSON reads what MarshalJSON writes; a key that is missing counts as null.
func (s *State) UnmarshalJSON(data []byte) error {
	var in struct {
		Base        *text              `json:"base"`
		Prompt      *text              `json:"prompt"`
		Provider    text               `json:"provider"`
		API         text               `json:"api"`
		Messages    []registry.Message `json:"messages"`
		ContextText text               `json:"contextText"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*s = State{(*string)(in.Base), (*string)(in.Prompt), string(in.Provider), string(in.API), in.Messages, string(in.ContextText)}
	return nil
}
