package envelope

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

// What one process knew of a session another one takes up.
func TestRestore(t *testing.T) {
	ctx := context.Background()
	first := newService(t, registry.Contribution{ID: "a", Render: registry.Text("A")})
	base, half := "BASE", "x\xed\xa0\xbd" // half a surrogate pair
	req := Request{SessionID: "s", Provider: "p", API: "api", CWD: "/w", SystemPrompt: &base, Prompt: &half,
		Options: registry.PromptOptions{CustomPrompt: half, ContextFiles: []registry.ContextFile{{Path: "/w/AGENTS.md", Content: "Read me."}}}}
	_, err := first.Capture(ctx, req)
	require.NoError(t, err)
	state, ok := first.PayloadState("s")
	require.True(t, ok)

	wireState, err := json.Marshal(state)
	require.NoError(t, err)
	wireRequest, err := json.Marshal(req)
	require.NoError(t, err)
	var again State
	var request Request
	require.NoError(t, json.Unmarshal(wireState, &again))
	require.NoError(t, json.Unmarshal(wireRequest, &request))
	require.Equal(t, state, again)

	second := newService(t, registry.Contribution{ID: "a", Render: registry.Text("A")})
	request.SessionID = "what it was called elsewhere"
	second.Restore("s", &request, &again)
	got, ok := second.PayloadState("s")
	require.True(t, ok)
	assert.Equal(t, state, got)
	message, ok := second.ContextMessage("s")
	require.True(t, ok)
	want, _ := first.ContextMessage("s")
	assert.Equal(t, string(want), string(message))
	env, err := second.Current(ctx, "s", Overrides{})
	require.NoError(t, err)
	assert.Equal(t, half, env.SystemPrompt)

	third := newService(t)
	third.Restore("s", nil, nil)
	_, ok = third.PayloadState("s")
	assert.False(t, ok)
	_, ok = third.ContextMessage("s")
	assert.False(t, ok)
}

func TestStateInJSON(t *testing.T) {
	empty, err := json.Marshal(State{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"base":null,"prompt":null,"messages":[],"contextText":null}`, string(empty))
	var s State
	require.NoError(t, json.Unmarshal([]byte(`{}`), &s))
	assert.Equal(t, State{}, s)
	err = json.Unmarshal([]byte(`{"base":7}`), &s)
	var wrong *json.UnmarshalTypeError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, "base", wrong.Field)
}

func TestCaptureInALog(t *testing.T) {
	s := newService(t)
	own, other := &memoryLog{}, &memoryLog{}
	s.SessionStart("s", own)
	_, err := s.CaptureIn(context.Background(), Request{SessionID: "s"}, other)
	require.NoError(t, err)
	assert.Empty(t, own.entries)
	assert.Len(t, other.entries, 1)
	_, err = s.CaptureIn(context.Background(), Request{SessionID: "s"}, nil)
	require.NoError(t, err)
	assert.Empty(t, own.entries)
}
