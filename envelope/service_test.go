package envelope

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

func ptr(s string) *string { return &s }

// memoryLog is a session log with one branch.
type memoryLog struct {
	entries             []Entry
	branchErr, addErr   error
	branches, appending int
}

func (l *memoryLog) Branch(context.Context) ([]Entry, error) {
	l.branches++
	return l.entries, l.branchErr
}

func (l *memoryLog) Append(_ context.Context, customType string, data json.RawMessage) error {
	l.appending++
	if l.addErr == nil {
		l.entries = append(l.entries, Entry{"custom", customType, data})
	}
	return l.addErr
}

func TestReportExplainsContextFilesAndAudit(t *testing.T) {
	s := newService(t, registry.Contribution{ID: "a", Render: registry.Text("A")})
	log := &memoryLog{}
	s.SessionStart("s", log)
	s.SetAuditEntries([]string{AuditDeveloper, "robot"})
	req := Request{SessionID: "s", Options: registry.PromptOptions{ContextFiles: []registry.ContextFile{{Path: "/w/A", Content: "R"}}}}
	env, err := s.Capture(context.Background(), req)
	require.NoError(t, err)
	assert.Equal(t, AuditOutcome{Recorded: 2, Off: 1}, env.Report.Audit)
	assert.Equal(t, AlsoInPrompt, env.Report.ContextFiles.Reason)
	assert.True(t, env.Report.ContextFiles.Included)

	req.Options.CustomPrompt = "own"
	env, err = s.Capture(context.Background(), req)
	require.NoError(t, err)
	assert.Equal(t, AuditOutcome{Current: 2, Off: 1}, env.Report.Audit)
	assert.Empty(t, env.Report.ContextFiles.Reason)
	assert.Equal(t, 1, log.appending)

	req.Options.ContextFiles = nil
	log.addErr = errors.New("disk full")
	s.SetAuditEntries(nil)
	req.CWD = "/elsewhere"
	env, err = s.Capture(context.Background(), req)
	require.NoError(t, err, "a record that cannot be written costs nothing")
	assert.Equal(t, AuditOutcome{Current: 1, Error: "disk full"}, env.Report.Audit)
	assert.Equal(t, NoFiles, env.Report.ContextFiles.Reason)
}

func TestUnreadableBranchReachesTheCallerAfterTheStateChanged(t *testing.T) {
	s := newService(t)
	log := &memoryLog{branchErr: errors.New("torn file")}
	s.SessionStart("s", log)
	env, err := s.Capture(context.Background(), Request{SessionID: "s", Provider: "p", SystemPrompt: ptr("B")})
	require.ErrorIs(t, err, log.branchErr)
	require.NotNil(t, env)
	state, ok := s.PayloadState("s")
	require.True(t, ok)
	assert.Equal(t, "B", *state.Prompt)

	var notes []string
	result := s.BeforeTurn(context.Background(), Turn{
		Request: Request{SessionID: "s", Provider: "p", SystemPrompt: ptr("B2")},
		Notify: func(_ context.Context, message, level string) error {
			notes = append(notes, level+": "+message)
			return errors.New("no terminal")
		},
	})
	assert.Equal(t, []string{"error: System prompt build failed: session branch cannot be read: torn file"}, notes)
	require.NotNil(t, result.SystemPrompt)
	assert.Equal(t, "B2", *result.SystemPrompt)
	assert.True(t, result.Fallback)
	assert.ErrorIs(t, result.Err, log.branchErr)
}

func TestFallbackByLine(t *testing.T) {
	for _, lookup := range []registry.Lookup{registry.ByProvider, registry.BySpecificity} {
		s := newService(t)
		s.Registry.Lookup = lookup
		s.Policy = registry.Fail
		ctx := context.Background()
		turn := Turn{Request: Request{SessionID: "s", Provider: "p", API: "x", SystemPrompt: ptr("GOOD"),
			Options: registry.PromptOptions{ContextFiles: []registry.ContextFile{{Path: "/w/A", Content: "R"}}}}}
		result := s.BeforeTurn(ctx, turn)
		require.NoError(t, result.Err)
		_, err := s.Registry.Register(registry.Contribution{ID: "bad", Render: failing(errors.New("offline"))})
		require.NoError(t, err)

		turn.Request.SystemPrompt = ptr("NEVER")
		result = s.BeforeTurn(ctx, turn)
		require.NotNil(t, result.SystemPrompt)
		assert.Equal(t, "GOOD", *result.SystemPrompt)
		assert.Nil(t, result.Envelope)
		assert.Equal(t, Failed, outcome(t, result.Report, "bad").Reason)
		messages, changed := s.Context("s", nil)
		assert.True(t, changed)
		assert.Len(t, messages, 1, "the last good context files stay in force")

		turn.Request.API = "y"
		result = s.BeforeTurn(ctx, turn)
		if lookup == registry.ByProvider {
			assert.NotNil(t, result.SystemPrompt)
			continue
		}
		assert.Nil(t, result.SystemPrompt, "the state belongs to another api")
		_, changed = s.Context("s", nil)
		assert.False(t, changed)
		state, _ := s.PayloadState("s")
		assert.Equal(t, "GOOD", *state.Prompt, "it is kept until that api is current again")
	}
}

func TestCapturedTextsAreCopied(t *testing.T) {
	s := newService(t)
	prompt := "B"
	tools := []string{"x"}
	_, err := s.Capture(context.Background(), Request{SessionID: "s", SystemPrompt: &prompt, ActiveTools: tools})
	require.NoError(t, err)
	prompt, tools[0] = "changed", "exec_command"
	state, _ := s.PayloadState("s")
	assert.Equal(t, "B", *state.Base)
	env, err := s.Current(context.Background(), "s", Overrides{})
	require.NoError(t, err)
	assert.Equal(t, "B", env.SystemPrompt)
}

// What the service hands out is the caller's to change.
func TestStateIsNotShared(t *testing.T) {
	s := newService(t)
	s.Policy = registry.Fail
	turn := Turn{Request: Request{SessionID: "s", SystemPrompt: ptr("B")}}
	good := s.BeforeTurn(context.Background(), turn)
	require.NoError(t, good.Err)
	good.Envelope.SystemPrompt += " and more"
	assert.Equal(t, "B", *good.SystemPrompt)
	*good.SystemPrompt = "changed"
	state, _ := s.PayloadState("s")
	*state.Base, *state.Prompt = "changed", "changed"

	_, err := s.Registry.Register(registry.Contribution{ID: "bad", Render: failing(errors.New("offline"))})
	require.NoError(t, err)
	fallback := s.BeforeTurn(context.Background(), turn)
	require.True(t, fallback.Fallback)
	assert.Equal(t, "B", *fallback.SystemPrompt)
	*fallback.SystemPrompt = "changed"
	state, _ = s.PayloadState("s")
	assert.Equal(t, "B", *state.Base)
	assert.Equal(t, "B", *state.Prompt)
}

func TestServicesShareRequests(t *testing.T) {
	store := &RequestStore{}
	one, two := newService(t), newService(t)
	one.Requests, two.Requests = store, store
	_, err := one.Capture(context.Background(), Request{SessionID: "s", SystemPrompt: ptr("B")})
	require.NoError(t, err)
	env, err := two.Current(context.Background(), "s", Overrides{})
	require.NoError(t, err)
	assert.Equal(t, "B", env.SystemPrompt)
	two.Clear("s")
	env, err = one.Current(context.Background(), "s", Overrides{})
	assert.NoError(t, err)
	assert.Nil(t, env)
}

func TestShutdownReasons(t *testing.T) {
	for reason, available := range map[string]bool{"new": true, "resume": true, "fork": true, "reload": false, "quit": false} {
		s := newService(t)
		_, err := s.Capture(context.Background(), Request{SessionID: "s"})
		require.NoError(t, err)
		s.Shutdown("s", reason)
		assert.Equal(t, available, s.Available(), reason)
		_, ok := s.PayloadState("s")
		assert.False(t, ok)
	}
}

func TestZeroService(t *testing.T) {
	var s Service
	env, err := s.Capture(context.Background(), Request{})
	require.NoError(t, err)
	assert.Len(t, env.DeveloperMessages, 1)
	assert.Nil(t, s.BeforeTurn(context.Background(), Turn{}).Err)
}

func TestJSONForms(t *testing.T) {
	var req Request
	in := `{"sessionId":"s","provider":null,"activeTools":["a"],"prompt":"p \ud83d","cwd":"/w","piSystemPrompt":"","systemPromptOptions":{"customPrompt":"<x>","later":1},"other":true}`
	require.NoError(t, json.Unmarshal([]byte(in), &req))
	assert.Equal(t, "p \xed\xa0\xbd", *req.Prompt)
	assert.Equal(t, "", *req.SystemPrompt)
	out, err := json.Marshal(req)
	require.NoError(t, err)
	var again Request
	require.NoError(t, json.Unmarshal(out, &again))
	assert.Equal(t, req, again)
	assert.Contains(t, string(out), `\ud83d`)
	assert.NotContains(t, string(out), "provider\"")

	var o Overrides
	require.NoError(t, json.Unmarshal([]byte(`{"provider":null,"cwd":"/x"}`), &o))
	assert.Equal(t, Overrides{Provider: ptr(""), CWD: ptr("/x")}, o)
	// Keys are told apart as JavaScript does it, and of two the last one counts.
	require.NoError(t, json.Unmarshal([]byte(`{"provider":"a","PROVIDER":"b","CWD":5,"api":"x","api":null}`), &o))
	assert.Equal(t, Overrides{Provider: ptr("a"), API: ptr("")}, o)
	require.NoError(t, json.Unmarshal([]byte(`{"activeTools":[]}`), &o))
	assert.Equal(t, Overrides{ActiveTools: []string{}}, o)
	require.NoError(t, json.Unmarshal([]byte(`{"activeTools":null,"api":"x"}`), &o))
	assert.Equal(t, Overrides{ActiveTools: []string{}, API: ptr("x")}, o)
	assert.Error(t, json.Unmarshal([]byte(`{"provider":1}`), &o))

	env := Envelope{SystemPrompt: "a\xed\xa0\xbd<b>", DeveloperMessages: []registry.Message{{ID: "i", Content: "c&"}}}
	raw, err := env.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, `{"systemPrompt":"a\ud83d<b>","developerMessages":[{"id":"i","content":"c&"}],"contextualUserMessages":[]}`, string(raw))
	var back Envelope
	require.NoError(t, json.Unmarshal(raw, &back))
	assert.Equal(t, env.SystemPrompt, back.SystemPrompt)
	assert.Equal(t, env.DeveloperMessages, back.DeveloperMessages)

	report, err := json.Marshal(Report{Contributions: []Outcome{{ID: "a", Err: errors.New("x"), Error: "x"}}})
	require.NoError(t, err)
	assert.NotContains(t, string(report), "Err")
}
