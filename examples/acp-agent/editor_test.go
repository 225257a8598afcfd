package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds a wait for something that is to come.
const patience = time.Minute

// received is a line from the agent.
type received struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		SessionID string `json:"sessionId"`
		Update    struct {
			Kind       string          `json:"sessionUpdate"`
			Content    json.RawMessage `json:"content"`
			ToolCallID string          `json:"toolCallId"`
			Title      string          `json:"title"`
			Status     string          `json:"status"`
			ToolKind   string          `json:"kind"`
		} `json:"update"`
	} `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// text is that of an update's content.
func (r *received) text() string {
	var content struct{ Text string }
	_ = json.Unmarshal(r.Params.Update.Content, &content)
	return content.Text
}

// stop is the reason of a prompt's answer.
func (r *received) stop() string {
	var result struct{ StopReason string }
	_ = json.Unmarshal(r.Result, &result)
	return result.StopReason
}

// An editor runs the agent as a process.
type editor struct {
	t        *testing.T
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	stdout   io.ReadCloser
	lines    chan received
	sessions string
	next     int
	// initialized says that the handshake has been done.
	initialized bool
	// updates are those that came before the last answer.
	updates []received

	mu     sync.Mutex
	stderr bytes.Buffer
}

// startEditor starts the agent with a folder of sessions and a script, "" for none.
func startEditor(t *testing.T, sessions, script string, args ...string) *editor {
	t.Helper()
	if script != "" {
		file := filepath.Join(t.TempDir(), "script.json")
		require.NoError(t, os.WriteFile(file, []byte(script), 0o600))
		args = append(args, "--script", file)
	}
	e := startCommand(t, exec.Command(binary, append(args, "--sessions", sessions)...))
	e.sessions = sessions
	return e
}

func startCommand(t *testing.T, cmd *exec.Cmd) *editor {
	t.Helper()
	e := &editor{t: t, cmd: cmd, lines: make(chan received, 10000)}
	e.cmd.Stderr = e
	var err error
	e.stdin, err = e.cmd.StdinPipe()
	require.NoError(t, err)
	e.stdout, err = e.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, e.cmd.Start())
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer close(e.lines)
		lines := bufio.NewScanner(e.stdout)
		lines.Buffer(nil, 32<<20)
		for lines.Scan() {
			var r received
			if assert.NoError(t, json.Unmarshal(lines.Bytes(), &r), "stdout has messages only: %s", lines.Text()) {
				e.lines <- r
			}
		}
	}()
	t.Cleanup(func() {
		_ = e.cmd.Process.Kill()
		<-read
		_ = e.cmd.Wait()
		if t.Failed() {
			t.Logf("the agent said: %s", e.said())
		}
	})
	return e
}

// Write takes the agent's standard error.
func (e *editor) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stderr.Write(p)
}

func (e *editor) said() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.stderr.String()
}

// hang waits until the script's answer hangs for the nth time.
func (e *editor) hang(n int) {
	e.t.Helper()
	require.Eventually(e.t, func() bool { return strings.Count(e.said(), hanging) >= n }, patience, time.Millisecond)
}

func (e *editor) write(line string) {
	e.t.Helper()
	_, err := io.WriteString(e.stdin, line+"\n")
	require.NoError(e.t, err)
}

// send sends a request and returns its id.
func (e *editor) send(method string, params any) string {
	e.t.Helper()
	e.next++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": e.next, "method": method, "params": params})
	require.NoError(e.t, err)
	e.write(string(line))
	return fmt.Sprint(e.next)
}

// line returns the next line, false at the end.
func (e *editor) line() (received, bool) {
	e.t.Helper()
	select {
	case r, ok := <-e.lines:
		return r, ok
	case <-time.After(patience):
		require.FailNow(e.t, "the agent says nothing")
		panic("unreachable")
	}
}

// answer waits for the answer to a request, and keeps the updates before it.
func (e *editor) answer(id string) *received {
	e.t.Helper()
	e.updates = nil
	for {
		r, ok := e.line()
		require.True(e.t, ok, "the agent has ended: %s", e.said())
		if r.Method == "" && string(r.ID) == id {
			return &r
		}
		e.updates = append(e.updates, r)
	}
}

func (e *editor) ask(method string, params any) *received {
	e.t.Helper()
	return e.answer(e.send(method, params))
}

// newSession initializes the connection and begins a session in a folder.
func (e *editor) newSession(cwd string) string {
	e.t.Helper()
	e.initialize()
	r := e.ask("session/new", map[string]any{"cwd": cwd, "mcpServers": []any{}})
	require.Nil(e.t, r.Error)
	var result struct{ SessionID string }
	require.NoError(e.t, json.Unmarshal(r.Result, &result))
	return result.SessionID
}

// loadSession initializes the connection and takes up a session in a folder.
func (e *editor) loadSession(session, cwd string) *received {
	e.t.Helper()
	e.initialize()
	return e.ask("session/load", map[string]any{"sessionId": session, "cwd": cwd, "mcpServers": []any{}})
}

// initialize does the handshake, once.
func (e *editor) initialize() {
	e.t.Helper()
	if !e.initialized {
		require.Nil(e.t, e.ask("initialize", map[string]any{"protocolVersion": 1}).Error)
		e.initialized = true
	}
}

func promptOf(session, text string) map[string]any {
	return map[string]any{"sessionId": session, "prompt": []any{map[string]any{"type": "text", "text": text}}}
}

func (e *editor) prompt(session, text string) *received {
	e.t.Helper()
	return e.ask("session/prompt", promptOf(session, text))
}

// texts are those of the updates of a kind before the last answer.
func (e *editor) texts(kind string) []string {
	var all []string
	for i := range e.updates {
		if u := &e.updates[i]; u.Params.Update.Kind == kind {
			all = append(all, u.text())
		}
	}
	return all
}

// close ends the input and waits for the end, with what was still sent.
func (e *editor) close() (exit int) {
	e.t.Helper()
	require.NoError(e.t, e.stdin.Close())
	e.updates = nil
	for {
		r, ok := e.line()
		if !ok {
			break
		}
		e.updates = append(e.updates, r)
	}
	_ = e.cmd.Wait()
	return e.cmd.ProcessState.ExitCode()
}

// kill ends the agent without a word.
func (e *editor) kill() {
	e.t.Helper()
	require.NoError(e.t, e.cmd.Process.Kill())
	for {
		if _, ok := e.line(); !ok {
			break
		}
	}
	_ = e.cmd.Wait()
}

// log returns the lines of a session's log.
func (e *editor) log(session string) []string {
	e.t.Helper()
	data, err := os.ReadFile(filepath.Join(e.sessions, session, "session.jsonl"))
	require.NoError(e.t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}
