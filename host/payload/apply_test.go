package payload

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
)

func ptr(s string) *string { return &s }

// captured returns a service with one composed turn: base BASE, prompt OWN.
func captured(t testing.TB, lookup registry.Lookup) *envelope.Service {
	t.Helper()
	s := &envelope.Service{Registry: &registry.Registry{Lookup: lookup}}
	_, err := s.Capture(context.Background(), envelope.Request{
		SessionID: "s", Provider: "p", API: "x", SystemPrompt: ptr("BASE"), Options: registry.PromptOptions{CustomPrompt: "OWN"},
	})
	require.NoError(t, err)
	return s
}

// fields is an adapter on payloads {prompt, dev}.
func fields() registry.Adapter {
	edit := func(payload []byte, key string, value any) ([]byte, error) {
		var m map[string]any
		if err := json.Unmarshal(payload, &m); err != nil {
			return nil, err
		}
		m[key] = value
		return json.Marshal(m)
	}
	return registry.Adapter{
		Provider: "p",
		ReadSystemPrompt: func(_ context.Context, req *registry.PayloadRequest) (string, bool, error) {
			var m struct{ Prompt *string }
			err := json.Unmarshal(req.Payload, &m)
			if m.Prompt == nil {
				return "", false, err
			}
			return *m.Prompt, true, err
		},
		ReplaceSystemPrompt: func(_ context.Context, req *registry.PayloadRequest, text string) ([]byte, error) {
			return edit(req.Payload, "prompt", text)
		},
		ReplaceDeveloperMessages: func(_ context.Context, req *registry.PayloadRequest, messages []registry.Message) ([]byte, error) {
			return edit(req.Payload, "dev", len(messages))
		},
	}
}

func unchangedMessages(context.Context, *registry.PayloadRequest, []registry.Message) ([]byte, error) {
	return nil, nil
}

func request(payload string) registry.PayloadRequest {
	return registry.PayloadRequest{SessionID: "s", Provider: "p", API: "x", Model: "m", Payload: []byte(payload)}
}

func apply(t testing.TB, s *envelope.Service, req registry.PayloadRequest) Result {
	t.Helper()
	r, err := Apply(context.Background(), s, req, Options{})
	require.NoError(t, err)
	if r.Reason != "" {
		assert.False(t, r.Answered)
		assert.Equal(t, req.Payload, r.Body.Bytes())
	}
	return r
}

func TestReasonsForNothing(t *testing.T) {
	for _, lookup := range []registry.Lookup{registry.ByProvider, registry.BySpecificity} {
		s := captured(t, lookup)
		req := request(`{"prompt":"BASE"}`)
		assert.Equal(t, NoAdapter, apply(t, s, req).Reason)
		a := fields()
		a.Enabled = func(provider, api, model string) bool {
			assert.Equal(t, "p x m", provider+" "+api+" "+model)
			return false
		}
		reg, err := s.Registry.RegisterAdapter(a)
		require.NoError(t, err)
		r := apply(t, s, req)
		assert.Equal(t, AdapterDisabled, r.Reason)
		assert.Equal(t, "native registered", r.Adapter+" "+r.AdapterKind)
		reg.Unregister()
		_, err = s.Registry.RegisterAdapter(fields())
		require.NoError(t, err)

		other := req
		other.SessionID = "nobody"
		assert.Equal(t, NoState, apply(t, s, other).Reason)
		other = req
		other.Provider = ""
		assert.Equal(t, ProviderUnknown, apply(t, s, other).Reason)
		other.Provider = "q"
		assert.Equal(t, ProviderChanged, apply(t, s, other).Reason)
		other = req
		other.API = "y"
		if lookup == registry.BySpecificity {
			assert.Equal(t, APIChanged, apply(t, s, other).Reason)
		} else {
			assert.True(t, apply(t, s, other).Answered)
		}
		_, err = s.Capture(context.Background(), envelope.Request{SessionID: "s", Provider: "p"})
		require.NoError(t, err)
		assert.Equal(t, NoBase, apply(t, s, req).Reason)
	}
	assert.Equal(t, NoState, apply(t, &envelope.Service{}, request(`{}`)).Reason)
}

func TestSteps(t *testing.T) {
	s := captured(t, registry.ByProvider)
	a := fields()
	_, err := s.Registry.RegisterAdapter(a)
	require.NoError(t, err)
	for in, want := range map[string]struct {
		out    string
		reason Reason
	}{
		`{"prompt":"BASE"}`:  {`{"dev":1,"prompt":"OWN"}`, ""},
		`{"prompt":"OWN"}`:   {`{"dev":1,"prompt":"OWN"}`, PromptComposed},
		`{"prompt":"BASE "}`: {`{"dev":1,"prompt":"BASE "}`, PromptDiffers},
		`{}`:                 {`{"dev":1}`, PromptAbsent},
	} {
		r := apply(t, s, request(in))
		assert.Equal(t, want.out, string(r.Body.Bytes()), in)
		assert.Equal(t, want.reason, r.Prompt.Reason, in)
		assert.Equal(t, want.reason == "", r.Prompt.Done, in)
		assert.True(t, r.Answered && r.Developer.Done)
	}
	a.ReplaceDeveloperMessages = nil
	_, err = s.Registry.RegisterAdapter(a)
	require.NoError(t, err)
	r := apply(t, s, request(`{"prompt":"OWN"}`))
	assert.False(t, r.Answered)
	assert.Equal(t, NoDeveloperSupport, r.Developer.Reason)
	assert.True(t, apply(t, s, request(`{"prompt":"BASE"}`)).Answered)
}

// What counts as an answer when the developer step changes nothing.
func TestUnchangedDeveloperMessages(t *testing.T) {
	type c struct {
		lookup    registry.Lookup
		kind      registry.AdapterKind
		reference bool
		prompt    string
		answered  bool
		out       string
	}
	for _, c := range []c{
		{registry.ByProvider, registry.Registered, false, "BASE", true, "OWN"},
		{registry.ByProvider, registry.Registered, false, "other", true, "other"},
		{registry.ByProvider, registry.Registered, true, "BASE", true, "OWN"},
		{registry.BySpecificity, registry.Registered, false, "BASE", true, "OWN"},
		{registry.BySpecificity, registry.Registered, false, "other", false, "other"},
		{registry.BySpecificity, registry.Registered, true, "BASE", false, "BASE"},
		{registry.ByProvider, registry.Default, true, "BASE", true, "OWN"},
		{registry.ByProvider, registry.Default, false, "other", false, "other"},
		{registry.BySpecificity, registry.Default, true, "BASE", true, "OWN"},
	} {
		s := captured(t, c.lookup)
		a := fields()
		a.ReplaceDeveloperMessages = unchangedMessages
		var err error
		if c.kind == registry.Default {
			_, err = s.Registry.RegisterDefaultAdapter("x", a)
		} else {
			_, err = s.Registry.RegisterAdapter(a)
		}
		require.NoError(t, err)
		r, err := Apply(context.Background(), s, request(`{"prompt":"`+c.prompt+`"}`), Options{Reference: c.reference})
		require.NoError(t, err)
		name := fmt.Sprintf("%+v", c)
		assert.Equal(t, c.answered, r.Answered, name)
		assert.JSONEq(t, `{"prompt":"`+c.out+`"}`, string(r.Body.Bytes()), name)
		if c.reference && c.out == "BASE" {
			assert.Equal(t, Discarded, r.Prompt.Reason)
		}
	}
}

func TestDefaultAdapterCountsOnlyRealChanges(t *testing.T) {
	s := captured(t, registry.ByProvider)
	a := fields()
	a.ReplaceDeveloperMessages = func(context.Context, *registry.PayloadRequest, []registry.Message) ([]byte, error) {
		return []byte(`{ "prompt": "\u0078" }`), nil
	}
	_, err := s.Registry.RegisterDefaultAdapter("x", a)
	require.NoError(t, err)
	r := apply(t, s, request(`{"prompt":"x"}`))
	assert.False(t, r.Answered)
	assert.Equal(t, `{"prompt":"x"}`, string(r.Body.Bytes()))
}

// The adapter is kept open while it is used; one that was closed in between is looked up again.
func TestAdapterIsHeld(t *testing.T) {
	s := captured(t, registry.ByProvider)
	held, closed := 0, 0
	open := func(source string) registry.Adapter {
		a := fields()
		a.Source = source
		a.Hold = func() (func(), bool) { held++; return func() { held-- }, true }
		read := a.ReadSystemPrompt
		a.ReadSystemPrompt = func(ctx context.Context, req *registry.PayloadRequest) (string, bool, error) {
			assert.Equal(t, 1, held)
			return read(ctx, req)
		}
		return a
	}
	register := func(a registry.Adapter) {
		_, err := s.Registry.RegisterAdapter(a)
		require.NoError(t, err)
	}
	register(open("one"))
	assert.Equal(t, "one", apply(t, s, request(`{"prompt":"BASE"}`)).Adapter)
	assert.Zero(t, held, "released")

	old := open("old")
	old.Hold = func() (func(), bool) {
		closed++
		register(open("new"))
		return func() { t.Error("nothing was held") }, false
	}
	register(old)
	assert.Equal(t, "new", apply(t, s, request(`{"prompt":"BASE"}`)).Adapter)
	assert.Equal(t, 1, closed)

	gone := fields()
	gone.Hold = func() (func(), bool) { closed++; return nil, false }
	gone.ReadSystemPrompt = func(context.Context, *registry.PayloadRequest) (string, bool, error) {
		return "", false, errors.New("closed")
	}
	register(gone)
	closed = 0
	_, err := Apply(context.Background(), s, request(`{}`), Options{})
	require.EqualError(t, err, "payload adapter for p: read system prompt: closed", "there is no other: its own error tells")
	assert.Equal(t, 4, closed)
	assert.Zero(t, held)
}

func TestFailingAdapterNeverLosesTheRequest(t *testing.T) {
	broken := errors.New("bad payload")
	for name, spoil := range map[string]func(*registry.Adapter){
		"read": func(a *registry.Adapter) {
			a.ReadSystemPrompt = func(context.Context, *registry.PayloadRequest) (string, bool, error) { return "BASE", true, broken }
		},
		"replace": func(a *registry.Adapter) {
			a.ReplaceSystemPrompt = func(context.Context, *registry.PayloadRequest, string) ([]byte, error) { return []byte("1"), broken }
		},
		"developer": func(a *registry.Adapter) {
			a.ReplaceDeveloperMessages = func(context.Context, *registry.PayloadRequest, []registry.Message) ([]byte, error) {
				return nil, broken
			}
		},
		"panic": func(a *registry.Adapter) {
			a.ReadSystemPrompt = func(context.Context, *registry.PayloadRequest) (string, bool, error) { panic("bad payload") }
		},
		"guest": func(a *registry.Adapter) {
			a.Source = "guest@1"
			a.ReplaceDeveloperMessages = func(context.Context, *registry.PayloadRequest, []registry.Message) ([]byte, error) {
				return []byte(`{"cut":`), nil
			}
		},
	} {
		s := captured(t, registry.ByProvider)
		a := fields()
		spoil(&a)
		_, err := s.Registry.RegisterAdapter(a)
		require.NoError(t, err)
		r, err := Apply(context.Background(), s, request(`{"prompt":"BASE"}`), Options{})
		var failed *AdapterError
		require.ErrorAs(t, err, &failed, name)
		assert.Equal(t, `{"prompt":"BASE"}`, string(r.Body.Bytes()), name)
		assert.False(t, r.Answered, name)
		switch name {
		case "guest":
			assert.ErrorIs(t, err, ErrInvalidAnswer)
			assert.ErrorContains(t, err, "guest@1")
		case "panic":
			assert.ErrorContains(t, err, "panicked: bad payload")
		default:
			assert.ErrorIs(t, err, broken)
		}
	}
}

// A predicate is foreign code too: when it panics the request goes out as it was.
func TestPredicateThatPanics(t *testing.T) {
	for name, change := range map[string]func(*registry.Adapter){
		"enabled": func(a *registry.Adapter) { a.Enabled = func(string, string, string) bool { panic("no tide") } },
		"model":   func(a *registry.Adapter) { a.ModelMatches = func(string) bool { panic("no tide") } },
	} {
		s := captured(t, registry.ByProvider)
		a := fields()
		change(&a)
		_, err := s.Registry.RegisterAdapter(a)
		require.NoError(t, err)
		req := request(`{"prompt":"BASE"}`)
		req.Model = "m"
		r, err := Apply(context.Background(), s, req, Options{})
		var failure *AdapterError
		require.ErrorAs(t, err, &failure, name)
		assert.Contains(t, err.Error(), "no tide")
		assert.Equal(t, `{"prompt":"BASE"}`, string(r.Body.Bytes()))
	}
}
