package main

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
)

// seen is what an editor was shown: kind and text, or what is known of a tool call.
func (e *editor) seen() []string {
	var all []string
	for i := range e.updates {
		u := &e.updates[i].Params.Update
		switch u.Kind {
		case "tool_call", "tool_call_update":
			var content []struct{ Content struct{ Text string } }
			_ = json.Unmarshal(u.Content, &content)
			text := u.Kind + " " + u.ToolCallID + " " + u.Title + " " + u.Status
			for _, c := range content {
				text += " " + c.Content.Text
			}
			all = append(all, text)
		default:
			all = append(all, u.Kind+" "+e.updates[i].text())
		}
	}
	return all
}

// toolRound is a script in which the model thinks, looks at files and answers.
func toolRound() string {
	return scriptOf(`{"chunks":[
		{"type":"reasoning-delta","index":0,"text":"Let me "},{"type":"reasoning-delta","index":0,"text":"look."},
		{"type":"text-delta","index":1,"text":"Looking"},{"type":"text-delta","index":1,"text":" at it."},
		{"type":"block-end","index":1,"block":{"type":"text","text":"Looking at it."}},
		{"type":"tool-call-delta","index":2,"id":"c1","name":"list_files","argumentsDelta":"{}"},
		{"type":"tool-call-delta","index":3,"id":"c2","name":"read_file","argumentsDelta":"{\"path\":\"no.txt\"}"},
		{"type":"finish","reason":{"kind":"tool-calls"}}]}`,
		`{"chunks":[{"type":"block-end","index":0,"block":{"type":"text","text":"Two files."}},{"type":"finish","reason":{"kind":"stop"}}]}`)
}

func project(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("one\ntwo\n"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	return dir
}

// With --live an editor sees the answer as it comes, and the tools at work; without it, whole texts alone.
func TestLive(t *testing.T) {
	dir := project(t)
	e := startEditor(t, t.TempDir(), toolRound(), "--live", "--load")
	session := e.newSession(dir)
	assert.Equal(t, "end_turn", e.prompt(session, "What is here?").stop())
	seen := e.seen()
	require.Len(t, seen, 9)
	assert.Equal(t, []string{
		"agent_thought_chunk Let me ", "agent_thought_chunk look.", "agent_message_chunk Looking", "agent_message_chunk  at it.",
		"tool_call c1 list_files in_progress", "tool_call c2 read_file in_progress", "tool_call_update c1  completed a.txt\nsub/\n",
	}, seen[:7])
	assert.Contains(t, seen[7], "tool_call_update c2  failed ")
	assert.Contains(t, seen[7], "no.txt")
	assert.Equal(t, "agent_message_chunk Two files.", seen[8])
	require.Nil(t, e.loadSession(session, dir).Error)
	again := e.seen()
	require.Len(t, again, 8)
	assert.Equal(t, []string{"user_message_chunk What is here?", "agent_thought_chunk Let me look.", "agent_message_chunk Looking at it."}, again[:3])
	assert.Equal(t, seen[4:], again[3:], "what is loaded looks as it did")
	assert.Zero(t, e.close())

	e = startEditor(t, t.TempDir(), toolRound())
	assert.Equal(t, "end_turn", e.prompt(e.newSession(dir), "What is here?").stop())
	assert.Equal(t, []string{"agent_message_chunk Looking at it.", "agent_message_chunk Two files."}, e.seen())
	assert.Zero(t, e.close())
}

// openTest opens an agent in this process.
func openTest(t *testing.T, script string) *agent {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
	opts, err := parse([]string{"--script", file, "--sessions", t.TempDir()}, io.Discard)
	require.NoError(t, err)
	opts.log = slog.New(slog.DiscardHandler)
	a, err := open(t.Context(), opts, io.Discard)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, a.close(context.Background())) })
	return a
}

// What comes while the agent is ending does not begin.
func TestNothingBeginsAtTheEnd(t *testing.T) {
	a := openTest(t, toolRound())
	a.admit = func() {}
	place := acp.NewSessionRequest{Cwd: "/work", McpServers: []acp.McpServer{}}
	_, err := a.Initialize(t.Context(), acp.InitializeRequest{})
	require.NoError(t, err)
	begun, err := a.NewSession(t.Context(), place)
	require.NoError(t, err)
	a.dispose()
	done, err := a.Prompt(t.Context(), acp.PromptRequest{SessionId: begun.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("Hi.")}})
	require.NoError(t, err)
	assert.Equal(t, acp.StopReasonCancelled, done.StopReason)
	assert.Empty(t, a.conversation(begun.SessionId).loop.Session.Messages())
	_, err = a.NewSession(t.Context(), place)
	assert.ErrorContains(t, err, "ending")
}

// A tool that panics is a failed call, and nothing worse.
func TestToolThatPanics(t *testing.T) {
	a := openTest(t, toolRound())
	broken := turn.Tool{Run: func(context.Context, json.RawMessage) ([]message.Block, error) { panic("out of ink") }}
	broken.Name = listFiles
	a.tools = []turn.Tool{broken}

	in, stdin := io.Pipe()
	out, stdout := io.Pipe()
	go func() { // the editor
		defer stdin.Close()
		lines := json.NewDecoder(out)
		ask := func(line string) (r received) {
			_, _ = io.WriteString(stdin, line+"\n")
			for lines.Decode(&r) == nil && r.Method != "" {
				r = received{}
			}
			return r
		}
		r := ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`)
		assert.Nil(t, r.Error)
		r = ask(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}`)
		var result struct{ SessionID string }
		assert.NoError(t, json.Unmarshal(r.Result, &result))
		r = ask(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"` + result.SessionID + `","prompt":[{"type":"text","text":"Look."}]}}`)
		assert.Equal(t, "end_turn", r.stop())
	}()
	a.serve(t.Context(), in, stdout)
	require.Len(t, a.conversations, 1)
	for _, c := range a.conversations {
		var texts string
		for _, m := range c.loop.Session.Messages() {
			texts += string(m.AppendJSON(nil))
		}
		assert.Contains(t, texts, "the tool panicked: out of ink")
		assert.Contains(t, texts, "Two files.")
	}
}
