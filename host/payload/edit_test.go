package payload

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/registry"
)

// editing is a native adapter of version 2 on payloads {prompt, dev}.
func editing() registry.Adapter {
	return registry.Adapter{Provider: "p", Edit: func(_ context.Context, req *registry.PayloadRequest, prompt string, messages []registry.Message) (*registry.Edits, error) {
		set := func(key, value string) []adaptersv2.Edit {
			return []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: adaptersv2.Address{adaptersv2.Member(key)}, Value: adaptersv2.JSON(value)}}
		}
		answer := &adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: set("dev", fmt.Sprint(len(messages)))}}
		if strings.Contains(string(req.Payload), "prompt") {
			answer.Prompt = &adaptersv2.PromptEdits{At: adaptersv2.Address{adaptersv2.Member("prompt")}, Edits: set("prompt", `"`+prompt+`"`)}
		}
		return registry.PlanEdits(req.Payload, answer)
	}}
}

// register puts an adapter into a new service's registry.
func register(t *testing.T, lookup registry.Lookup, kind registry.AdapterKind, a registry.Adapter) func(string, Options) (Result, error) {
	s := captured(t, lookup)
	var err error
	if kind == registry.Default {
		_, err = s.Registry.RegisterDefaultAdapter("x", a)
	} else {
		_, err = s.Registry.RegisterAdapter(a)
	}
	require.NoError(t, err)
	return func(body string, o Options) (Result, error) { return Apply(context.Background(), s, request(body), o) }
}

// A panic behind an adapter's answer is the adapter's failure as well.
func TestEditsThatPanic(t *testing.T) {
	apply := register(t, registry.ByProvider, registry.Default, registry.Adapter{
		Edit: func(context.Context, *registry.PayloadRequest, string, []registry.Message) (*registry.Edits, error) {
			return &registry.Edits{}, nil // which nobody made
		}})
	r, err := apply(`{"prompt":"BASE"}`, Options{})
	var failed *AdapterError
	require.ErrorAs(t, err, &failed)
	assert.ErrorContains(t, err, "panicked")
	assert.Equal(t, `{"prompt":"BASE"}`, string(r.Body.Bytes()))
	assert.False(t, r.Answered)
}

func TestEditSteps(t *testing.T) {
	apply := register(t, registry.ByProvider, registry.Default, editing())
	for in, want := range map[string]struct {
		out       string
		reason    Reason
		developer bool
	}{
		`{"prompt" : "BASE"}`:          {`{"prompt" : "OWN","dev":1}`, "", true},
		`{"prompt":"\u0042ASE" }`:      {`{"prompt":"OWN" ,"dev":1}`, "", true},
		`{"prompt":"OWN"}`:             {`{"prompt":"OWN","dev":1}`, PromptComposed, true},
		`{"prompt":"other"}`:           {`{"prompt":"other","dev":1}`, PromptDiffers, true},
		`{"prompt":["BASE"]}`:          {`{"prompt":["BASE"],"dev":1}`, PromptAbsent, true},
		`{"x":1}`:                      {`{"x":1,"dev":1}`, PromptAbsent, true},
		`{"dev":1.0, "prompt":"OWN"}`:  {`{"dev":1.0, "prompt":"OWN"}`, PromptComposed, false},
		`{"dev":1.0, "prompt":"BASE"}`: {`{"dev":1.0, "prompt":"OWN"}`, "", false},
	} {
		r, err := apply(in, Options{})
		require.NoError(t, err, in)
		assert.Equal(t, want.out, string(r.Body.Bytes()), in)
		assert.Equal(t, want.out != in, r.Answered, in)
		assert.Equal(t, Step{Done: want.reason == "", Reason: want.reason}, r.Prompt, in)
		assert.Equal(t, want.developer, r.Developer.Done, in)
		if !want.developer {
			assert.Equal(t, Unchanged, r.Developer.Reason)
		}
		assert.Positive(t, r.Developer.Duration, "what the one call took")
	}
}

// What counts as an answer, and the reference's quirk, are as for adapters of version 1.
func TestEditAnswers(t *testing.T) {
	for _, c := range []struct {
		lookup    registry.Lookup
		kind      registry.AdapterKind
		reference bool
		body      string
		prompt    string // reason
		answered  bool
		out       string
	}{
		{registry.ByProvider, registry.Registered, false, `{"prompt":"x","dev":1}`, "another-prompt", true, `{"prompt":"x","dev":1}`},
		{registry.BySpecificity, registry.Registered, false, `{"prompt":"x","dev":1}`, "another-prompt", false, `{"prompt":"x","dev":1}`},
		{registry.BySpecificity, registry.Registered, false, `{"prompt":"BASE","dev":1}`, "", true, `{"prompt":"OWN","dev":1}`},
		{registry.BySpecificity, registry.Registered, true, `{"prompt":"BASE","dev":1}`, "discarded", false, `{"prompt":"BASE","dev":1}`},
		{registry.BySpecificity, registry.Registered, true, `{"prompt":"BASE","dev":2}`, "", true, `{"prompt":"OWN","dev":1}`},
		{registry.BySpecificity, registry.Default, true, `{"prompt":"BASE","dev":1}`, "", true, `{"prompt":"OWN","dev":1}`},
		{registry.ByProvider, registry.Registered, true, `{"prompt":"BASE","dev":1}`, "", true, `{"prompt":"OWN","dev":1}`},
	} {
		r, err := register(t, c.lookup, c.kind, editing())(c.body, Options{Reference: c.reference})
		require.NoError(t, err)
		name := fmt.Sprintf("%+v", c)
		assert.Equal(t, c.answered, r.Answered, name)
		assert.Equal(t, Reason(c.prompt), r.Prompt.Reason, name)
		assert.Equal(t, c.out, string(r.Body.Bytes()), name)
	}
}

// A prompt that matches counts for a registered adapter even if it is the same text.
func TestEditOfTheSamePrompt(t *testing.T) {
	a := editing()
	edit := a.Edit
	a.Edit = func(ctx context.Context, req *registry.PayloadRequest, _ string, m []registry.Message) (*registry.Edits, error) {
		return edit(ctx, req, "BASE", m)
	}
	for kind, done := range map[registry.AdapterKind]bool{registry.Registered: true, registry.Default: false} {
		r, err := register(t, registry.BySpecificity, kind, a)(`{"prompt":"BASE","dev":1}`, Options{})
		require.NoError(t, err)
		assert.Equal(t, done, r.Prompt.Done)
		assert.Equal(t, done, r.Answered)
		assert.Equal(t, `{"prompt":"BASE","dev":1}`, string(r.Body.Bytes()))
	}
}

func TestEditOfNothing(t *testing.T) {
	a := editing()
	a.Edit = func(context.Context, *registry.PayloadRequest, string, []registry.Message) (*registry.Edits, error) {
		return nil, nil
	}
	r, err := register(t, registry.ByProvider, registry.Default, a)(`{"prompt":"BASE"}`, Options{})
	require.NoError(t, err)
	assert.Equal(t, Step{Reason: PromptAbsent}, r.Prompt)
	assert.False(t, r.Answered)
	assert.Equal(t, `{"prompt":"BASE"}`, string(r.Body.Bytes()))
}

func TestEditFailures(t *testing.T) {
	broken := errors.New("bad payload")
	whole := fields()
	for name, c := range map[string]struct {
		adapter registry.Adapter
		err     error // nil: version 1 answers
		say     string
	}{
		"fails": {registry.Adapter{Edit: failing(broken)}, broken, "payload adapter for p: edit: bad payload"},
		"panics": {registry.Adapter{Edit: func(context.Context, *registry.PayloadRequest, string, []registry.Message) (*registry.Edits, error) {
			panic("no tide")
		}}, nil, "panicked: no tide"},
		"use v1":     {registry.Adapter{Edit: failing(fmt.Errorf("one string: %w", registry.ErrUseV1))}, registry.ErrUseV1, "needs an adapter of version 1"},
		"not JSON":   {registry.Adapter{Edit: failing(registry.ErrNotJSON)}, registry.ErrNotJSON, "not one JSON document"},
		"has whole":  {withEdit(whole, failing(broken)), broken, "bad payload"},
		"asks whole": {withEdit(whole, failing(registry.ErrUseV1)), nil, ""},
	} {
		c.adapter.Provider = "p"
		r, err := register(t, registry.ByProvider, registry.Registered, c.adapter)(`{"prompt":"BASE"}`, Options{})
		if c.say == "" {
			require.NoError(t, err, name)
			assert.Equal(t, `{"dev":1,"prompt":"OWN"}`, string(r.Body.Bytes()), name)
			assert.True(t, r.Prompt.Done && r.Developer.Done && r.Answered)
			continue
		}
		var failed *AdapterError
		require.ErrorAs(t, err, &failed, name)
		assert.ErrorContains(t, err, c.say, name)
		if c.err != nil {
			assert.ErrorIs(t, err, c.err, name)
		}
		assert.Equal(t, `{"prompt":"BASE"}`, string(r.Body.Bytes()), name)
		assert.False(t, r.Answered, name)
	}
}

func failing(err error) func(context.Context, *registry.PayloadRequest, string, []registry.Message) (*registry.Edits, error) {
	return func(context.Context, *registry.PayloadRequest, string, []registry.Message) (*registry.Edits, error) {
		return nil, err
	}
}

func withEdit(a registry.Adapter, edit func(context.Context, *registry.PayloadRequest, string, []registry.Message) (*registry.Edits, error)) registry.Adapter {
	a.Edit = edit
	return a
}
