package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

// says is an answer of a script that is one text.
func says(text string) string {
	return fmt.Sprintf(`{"chunks":[{"type":"text-delta","index":0,"text":%q},{"type":"finish","reason":{"kind":"stop"}}]}`, text)
}

// hangs is one that begins with a text and then hangs.
func hangs(text string) string {
	return fmt.Sprintf(`{"chunks":[{"type":"text-delta","index":0,"text":%q}],"hang":true}`, text)
}

func scriptOf(answers ...string) string { return `{"script":[` + strings.Join(answers, ",") + `]}` }

// refused is the code of the next line, which belongs to no request.
func (e *editor) refused() int {
	e.t.Helper()
	r, ok := e.line()
	require.True(e.t, ok)
	require.NotNil(e.t, r.Error)
	assert.Equal(e.t, "null", string(r.ID))
	return r.Error.Code
}

func TestLinesThatAreNoMessages(t *testing.T) {
	e := startEditor(t, t.TempDir(), scriptOf(says("Here.")))
	id := e.newSession("/work")
	for line, code := range map[string]int{
		`{"jsonrpc":`: -32700, "\x00\xff": -32700, `[{"jsonrpc":"2.0","id":7,"method":"session/new"}]`: -32600, "17": -32600,
		`{"jsonrpc":"2.0"}`: -32600, `{"id":{},"method":"initialize"}`: -32600, `{"id":1e999,"method":"initialize"}`: -32600,
		`{"id":8,"method":5}`: -32600, `{"id":8,"method":"initialize","error":5}`: -32600,
		`{"x":"` + strings.Repeat("a", maxLine) + `"}`: -32600,
	} {
		e.write(line)
		assert.Equal(t, code, e.refused(), "%.60s", line)
	}
	for _, line := range []string{
		"", "  ", `{"method":"no/such/notification"}`, `{"method":"session/cancel"}`, `{"method":"session/cancel","params":{"sessionId":5}}`,
		`{"method":"session/cancel","params":{"sessionId":"nope"}}`, `{"id":99,"result":{}}`,
	} {
		e.write(line)
	}
	assert.Equal(t, "end_turn", e.prompt(id, "Still there?").stop())
	assert.Equal(t, []string{"Here."}, e.texts("agent_message_chunk"))
	assert.Zero(t, e.close())
	assert.Empty(t, e.updates)
}

func TestRequestsThatAreRefused(t *testing.T) {
	sessions := t.TempDir()
	e := startEditor(t, sessions, scriptOf())
	id := e.newSession("/work")
	block := func(block map[string]any) map[string]any {
		return map[string]any{"sessionId": id, "prompt": []any{block}}
	}
	for _, c := range []struct {
		code   int
		method string
		params any
	}{
		{-32601, "no/such/method", map[string]any{}},
		{-32601, "_ours", map[string]any{}},
		{-32601, "authenticate", map[string]any{"methodId": "key"}},
		{-32601, "session/list", map[string]any{}},
		{-32601, "session/load", map[string]any{"sessionId": id, "cwd": "/work", "mcpServers": []any{}}},
		{-32601, "session/set_mode", map[string]any{"sessionId": id, "modeId": "x"}},
		{-32602, "session/new", map[string]any{"cwd": "work", "mcpServers": []any{}}},
		{-32602, "session/new", map[string]any{"cwd": "", "mcpServers": []any{}}},
		{-32602, "session/new", map[string]any{"cwd": "/work", "additionalDirectories": []any{"/x"}, "mcpServers": []any{}}},
		{-32602, "session/new", map[string]any{"cwd": "/work", "mcpServers": []any{map[string]any{"name": "x", "command": "x", "args": []any{}, "env": []any{}}}}},
		{-32602, "session/new", []any{}},
		{-32602, "session/prompt", promptOf("nope", "x")},
		{-32602, "session/prompt", promptOf(id, " \n\ufeff\u2003")},
		{-32602, "session/prompt", map[string]any{"sessionId": id, "prompt": []any{}}},
		{-32602, "session/prompt", map[string]any{"sessionId": id}},
		{-32602, "session/prompt", block(map[string]any{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"})},
		{-32602, "session/prompt", block(map[string]any{"type": "image", "data": "AAAA", "mimeType": "image/png"})},
		{-32602, "session/prompt", block(map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///x", "text": "x"}})},
		{-32602, "session/prompt", block(map[string]any{"type": "smell"})},
	} {
		r := e.ask(c.method, c.params)
		if assert.NotNil(t, r.Error, "%s %v", c.method, c.params) {
			assert.Equal(t, c.code, r.Error.Code, "%s %v", c.method, c.params)
		}
	}
	assert.Zero(t, e.close())
	made, err := filepath.Glob(filepath.Join(sessions, "*"))
	require.NoError(t, err)
	assert.Empty(t, made, "a session that nothing happened in is not on disk")
}

func TestNoSessionBeforeTheHandshake(t *testing.T) {
	e := startEditor(t, t.TempDir(), scriptOf(), "--load")
	for method, params := range map[string]map[string]any{
		"session/new":  {"cwd": "/work", "mcpServers": []any{}},
		"session/load": {"sessionId": "s", "cwd": "/work", "mcpServers": []any{}},
	} {
		r := e.ask(method, params)
		if assert.NotNil(t, r.Error, method) {
			assert.Equal(t, -32600, r.Error.Code, method)
			assert.Contains(t, r.Error.Message, "initialize comes first", method)
		}
	}
	assert.NotEmpty(t, e.newSession("/work"))
	assert.Zero(t, e.close())
}

// What is refused does not harm the prompt that runs, and other sessions do not wait.
func TestTwoSessionsAtOnce(t *testing.T) {
	e := startEditor(t, t.TempDir(), scriptOf(hangs("One moment"), says("Here."), says("Back.")))
	first, second := e.newSession("/work"), e.newSession("/work")
	running := e.send("session/prompt", promptOf(first, "Wait."))
	e.hang(1)
	r := e.prompt(first, "And this.")
	require.NotNil(t, r.Error)
	assert.Equal(t, -32602, r.Error.Code)
	assert.Equal(t, "end_turn", e.prompt(second, "Are you there?").stop())
	assert.Equal(t, []string{"Here."}, e.texts("agent_message_chunk"))
	e.write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + second + `"}}`) // nothing runs
	e.write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + first + `"}}`)
	assert.Equal(t, "cancelled", e.answer(running).stop())
	assert.Equal(t, []string{"One moment"}, e.texts("agent_message_chunk"))
	assert.Equal(t, "end_turn", e.prompt(first, "Go on.").stop())
	assert.Zero(t, e.close())
	assert.NotEqual(t, e.log(first), e.log(second))
}

// A cancellation reaches the prompt that was sent just before it, and not the one that is sent after it.
func TestCancelAtOnce(t *testing.T) {
	const rounds = 50
	var answers []string
	for range rounds {
		answers = append(answers, hangs("x"))
	}
	e := startEditor(t, t.TempDir(), scriptOf(answers...))
	id := e.newSession("/work")
	for range rounds {
		prompt, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": e.next + 1, "method": "session/prompt", "params": promptOf(id, "Wait.")})
		require.NoError(t, err)
		e.next++
		e.write(string(prompt) + "\n" + `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}`)
		require.Equal(t, "cancelled", e.answer(fmt.Sprint(e.next)).stop())
	}
	assert.Zero(t, e.close())
}

// A cancellation with nothing to cancel leaves the prompt behind it alone.
func TestCancelTooLate(t *testing.T) {
	const rounds = 100
	var answers []string
	for range rounds {
		answers = append(answers, says("Here."))
	}
	e := startEditor(t, t.TempDir(), scriptOf(answers...))
	id := e.newSession("/work")
	for range rounds {
		e.write(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"` + id + `"}}`)
		require.Equal(t, "end_turn", e.prompt(id, "Are you there?").stop())
	}
	assert.Zero(t, e.close())
}

// When the editor goes in the middle of a turn, the turn is cancelled, answered and kept.
func TestEndInTheMiddleOfATurn(t *testing.T) {
	for name, end := range map[string]func(*editor) int{
		"end of input": (*editor).close,
		"terminated": func(e *editor) int {
			require.NoError(t, e.cmd.Process.Signal(syscall.SIGTERM))
			return e.close()
		},
	} {
		e := startEditor(t, t.TempDir(), scriptOf(hangs("One moment")))
		id := e.newSession("/work")
		e.send("session/prompt", promptOf(id, "Wait."))
		e.hang(1)
		assert.Zero(t, end(e), name)
		require.Len(t, e.updates, 2, name)
		assert.Equal(t, "One moment", e.updates[0].text(), name)
		assert.Equal(t, "cancelled", e.updates[1].stop(), name)
		log := e.log(id)
		assert.Contains(t, log[len(log)-1], `"reason":{"kind":"aborted","reason":{"kind":"disposed"}}`, name)
	}
}

// An editor that no longer reads does not keep the agent from keeping the turn and ending well.
func TestOutputThatNobodyReads(t *testing.T) {
	e := startEditor(t, t.TempDir(), scriptOf(hangs("One moment"), says("Here.")))
	id := e.newSession("/work")
	e.send("session/prompt", promptOf(id, "Wait."))
	e.hang(1)
	require.NoError(t, e.stdout.Close())
	require.NoError(t, e.stdin.Close())
	_ = e.cmd.Wait()
	assert.Zero(t, e.cmd.ProcessState.ExitCode())
	log := e.log(id)
	assert.Contains(t, log[len(log)-1], `"reason":{"kind":"aborted","reason":{"kind":"disposed"}}`)
}

// After a crash in the middle of a turn the session goes on: the prompt is in the history, what the model
// had begun to say is not.
func TestKilledInTheMiddleOfATurn(t *testing.T) {
	sessions := t.TempDir()
	e := startEditor(t, sessions, scriptOf(says("Hello."), hangs("One moment")))
	id := e.newSession("/work")
	e.prompt(id, "Hi.")
	e.send("session/prompt", promptOf(id, "Wait."))
	e.hang(1)
	e.kill()
	log := e.log(id)
	assert.Contains(t, log[len(log)-1], "assistant/chunk")

	// A line that was being written.
	file, err := os.OpenFile(filepath.Join(sessions, id, "session.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(`{"type":"assistant/chunk","seq":`)
	require.NoError(t, err)
	require.NoError(t, file.Close())

	e = startEditor(t, sessions, scriptOf(says("Back.")), "--load")
	for _, unknown := range []string{"nope", "", "../" + id} {
		r := e.loadSession(unknown, "/work")
		require.NotNil(t, r.Error)
		assert.Equal(t, -32602, r.Error.Code, unknown)
	}
	r := e.loadSession(id, "/work")
	require.Nil(t, r.Error)
	assert.Equal(t, []string{"Hi.", "Wait."}, e.texts("user_message_chunk"))
	assert.Equal(t, []string{"Hello."}, e.texts("agent_message_chunk"))
	e.next = 10
	assert.Equal(t, "end_turn", e.prompt(id, "Are you there?").stop())
	assert.Zero(t, e.close())
	view, err := session.NewDir(sessions).View(t.Context(), id)
	require.NoError(t, err)
	defer view.Close()
	inspection, err := session.Inspect(t.Context(), view, session.Options{})
	require.NoError(t, err)
	assert.Empty(t, inspection.Recovery.Closed)
	assert.Contains(t, strings.Join(e.log(id), "\n"), `"reason":{"kind":"interrupted"}`)
}

// A session that another agent has open is refused.
func TestSessionInUse(t *testing.T) {
	sessions := t.TempDir()
	e := startEditor(t, sessions, scriptOf(says("Hello.")))
	id := e.newSession("/work")
	e.prompt(id, "Hi.")
	other := startEditor(t, sessions, scriptOf(), "--load")
	r := other.loadSession(id, "/work")
	require.NotNil(t, r.Error)
	assert.Contains(t, r.Error.Message, "open in another writer")
	assert.Zero(t, e.close())
	require.Nil(t, other.loadSession(id, "/work").Error)
	require.Nil(t, other.loadSession(id, "/work").Error, "once more")
	assert.Equal(t, []string{"Hello."}, other.texts("agent_message_chunk"))
	assert.Zero(t, other.close())
}

// The model's failure is the answer's.
func TestProviderFails(t *testing.T) {
	e := startEditor(t, t.TempDir(), scriptOf(
		`{"throw":{"message":"no more today","code":"QUOTA"}}`, `{"chunks":[{"type":"text-delta","index":0,"text":"Half"}],"throw":{"message":"line cut"}}`, says("Fine."),
	))
	id := e.newSession("/work")
	for _, want := range []string{"no more today", "line cut"} {
		r := e.prompt(id, "Hi.")
		require.NotNil(t, r.Error)
		assert.Equal(t, -32603, r.Error.Code)
		assert.Contains(t, r.Error.Message, want)
		assert.Empty(t, e.updates)
	}
	assert.Equal(t, "end_turn", e.prompt(id, "Hi.").stop())
	r := e.prompt(id, "Once more.")
	require.NotNil(t, r.Error)
	assert.Contains(t, r.Error.Message, "no answer for this call")
	assert.Zero(t, e.close())
}
