package envelope

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pintle-wasm/pintle/registry"
)

// Request says what a turn is. In JSON the keys are sessionId, provider, api, model, activeTools,
// prompt, cwd, piSystemPrompt and systemPromptOptions; null counts as absent and keys that are not
// listed are ignored.
type Request struct {
	SessionID string
	// Provider, API and Model are "" when unknown.
	Provider, API, Model string
	ActiveTools          []string
	// Prompt is the user prompt that starts the turn, nil when there is none.
	Prompt *string
	// CWD is the session's working directory.
	CWD string
	// SystemPrompt is the prompt that the host had built, nil when absent; "" is a prompt. A payload
	// that carries it gets the composed one instead.
	SystemPrompt *string
	Options      registry.PromptOptions
	// Contributions take part beside the registry's in this turn alone, see registry.Snapshot.With. They
	// are no part of the JSON form. Under policy LastGood, the text that one of them rendered last is found
	// again by its id, and if several have one id by their order too.
	Contributions []*registry.Contribution
}

type requestJSON struct {
	SessionID    text                   `json:"sessionId"`
	Provider     text                   `json:"provider,omitempty"`
	API          text                   `json:"api,omitempty"`
	Model        text                   `json:"model,omitempty"`
	ActiveTools  []text                 `json:"activeTools"`
	Prompt       *text                  `json:"prompt,omitempty"`
	CWD          text                   `json:"cwd"`
	SystemPrompt *text                  `json:"piSystemPrompt,omitempty"`
	Options      registry.PromptOptions `json:"systemPromptOptions"`
}

// MarshalJSON writes the request; absent texts are left out.
func (r Request) MarshalJSON() ([]byte, error) {
	tools := make([]text, len(r.ActiveTools))
	for i, tool := range r.ActiveTools {
		tools[i] = text(tool)
	}
	return json.Marshal(requestJSON{
		text(r.SessionID), text(r.Provider), text(r.API), text(r.Model), tools,
		(*text)(r.Prompt), text(r.CWD), (*text)(r.SystemPrompt), r.Options,
	})
}

// UnmarshalJSON reads a request.
func (r *Request) UnmarshalJSON(data []byte) error {
	var in requestJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return err
	}
	*r = Request{
		string(in.SessionID), string(in.Provider), string(in.API), string(in.Model), plain(in.ActiveTools),
		(*string)(in.Prompt), string(in.CWD), (*string)(in.SystemPrompt), in.Options, nil,
	}
	return nil
}

func plain(list []text) []string {
	if list == nil {
		return nil
	}
	out := make([]string, len(list))
	for i, t := range list {
		out[i] = string(t)
	}
	return out
}

func (r *Request) renderContext() *registry.RenderContext {
	return &registry.RenderContext{
		Provider: r.Provider, API: r.API, ActiveTools: r.ActiveTools, SessionID: r.SessionID,
		Prompt: r.Prompt, Options: r.Options, CWD: r.CWD, SystemPrompt: r.SystemPrompt,
	}
}

// Overrides change a stored request for one call of Current. nil leaves a field as stored; a pointer to
// "" overrides with "unknown", an empty list with "no tools". In JSON (provider, api, activeTools, cwd)
// a missing key leaves the field and null overrides with absent.
type Overrides struct {
	Provider, API, CWD *string
	ActiveTools        []string
	// Contributions take the place of the request's; they are no part of the JSON form.
	Contributions []*registry.Contribution
}

// UnmarshalJSON tells a missing key from null.
func (o *Overrides) UnmarshalJSON(data []byte) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return err
	}
	*o = Overrides{}
	for _, m := range []struct {
		key string
		to  **string
	}{{"provider", &o.Provider}, {"api", &o.API}, {"cwd", &o.CWD}} {
		if raw, ok := given[m.key]; ok {
			var t text
			if err := json.Unmarshal(raw, &t); err != nil {
				return below(m.key, err)
			}
			*m.to = (*string)(&t)
		}
	}
	if raw, ok := given["activeTools"]; ok {
		var list []text
		if err := json.Unmarshal(raw, &list); err != nil {
			return below("activeTools", err)
		}
		o.ActiveTools = append([]string{}, plain(list)...)
	}
	return nil
}

// below adds a member's key to the error about its value, where encoding/json goes on from it. It would find the
// key itself in a struct, but there one in other letters counts as the same, and null leaves what was before.
func below(key string, err error) error {
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		wrong.Field = key
		return wrong
	}
	return fmt.Errorf("%s: %w", key, err)
}

func (o *Overrides) apply(r Request) Request {
	if o.Provider != nil {
		r.Provider = *o.Provider
	}
	if o.API != nil {
		r.API = *o.API
	}
	if o.CWD != nil {
		r.CWD = *o.CWD
	}
	if o.ActiveTools != nil {
		r.ActiveTools = o.ActiveTools
	}
	if o.Contributions != nil {
		r.Contributions = o.Contributions
	}
	return r
}

// RequestStore keeps the last captured request of each session. Services may share one, so that
// requests outlive a service that is replaced. The zero value is empty and ready; it is safe for
// concurrent use.
type RequestStore struct {
	mu       sync.RWMutex
	requests map[string]Request
}

func (s *RequestStore) get(sessionID string) (Request, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.requests[sessionID]
	return r, ok
}

func (s *RequestStore) set(r Request) {
	r.ActiveTools = slices.Clone(r.ActiveTools)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests == nil {
		s.requests = map[string]Request{}
	}
	s.requests[r.SessionID] = r
}

func (s *RequestStore) delete(sessionID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.requests, sessionID)
}
