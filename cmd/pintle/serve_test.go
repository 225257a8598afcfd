package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/sidecar"
)

// serveSlack is how long a sidecar may take to do what it has to.
const serveSlack = 2 * time.Minute

// A served is a sidecar in a process of its own and the client that started it.
type served struct {
	*jsonrpc.Conn
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr strings.Builder
}

// startServe starts a sidecar. The test ends it.
func startServe(t testing.TB, args ...string) *served {
	command, err := exec.LookPath("pintle")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	s := &served{cmd: exec.CommandContext(ctx, command, append([]string{"serve", "--stdio", "--cache-dir", "off"}, args...)...)}
	s.cmd.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	s.cmd.Stderr = &s.stderr
	in, err := s.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	s.stdin = in
	s.Conn = jsonrpc.NewConn(out, in, jsonrpc.DefaultLimits(), func(req *jsonrpc.Request) (jsonrpc.Handler, string, error) {
		return nil, "", jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "no %s here", req.Method)
	}, slog.New(slog.DiscardHandler))
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		_ = s.cmd.Wait() // a second time does nothing
	})
	return s
}

// handshake are params for a sidecar that loads nothing.
func handshake(dir string) map[string]any {
	return map[string]any{"protocol": []int{1}, "client": map[string]string{"name": "test", "version": "1"},
		"agentDir": dir, "cwd": dir, "config": map[string]bool{"adapters": false}}
}

// exitStatus waits for the end of the sidecar.
func (s *served) exitStatus(t testing.TB) int {
	late := time.AfterFunc(serveSlack, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	err := s.cmd.Wait()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return s.cmd.ProcessState.ExitCode()
}

func TestServe(t *testing.T) {
	s := startServe(t)
	var result struct {
		Server struct{ Name, Version string }
	}
	require.NoError(t, s.Call(t.Context(), "initialize", handshake(t.TempDir()), &result))
	assert.Equal(t, "pintle", result.Server.Name)
	assert.NotEmpty(t, result.Server.Version)
	require.NoError(t, s.Call(t.Context(), "shutdown", nil, nil))
	require.NoError(t, s.Notify(t.Context(), "exit", nil))
	assert.Equal(t, exitOK, s.exitStatus(t))
	assert.Empty(t, s.stderr.String())
}

// The settings that the help shows are settings.
func TestServeHelp(t *testing.T) {
	var shown strings.Builder
	for line := range strings.Lines(newServe().Long) {
		if strings.HasPrefix(line, "  ") && strings.Contains(line, " = ") {
			shown.WriteString(line)
		}
	}
	assert.Equal(t, 5, strings.Count(shown.String(), "\n"))
	file := filepath.Join(t.TempDir(), "sidecar.toml")
	require.NoError(t, os.WriteFile(file, []byte(shown.String()), 0o600))
	assert.NoError(t, sidecar.CheckSettings(file))
}

// However the client or the user ends it, it ends well.
func TestServeEnds(t *testing.T) {
	for name, end := range map[string]func(*served){
		"end of input": func(s *served) { _ = s.stdin.Close() },
		"interrupt":    func(s *served) { _ = s.cmd.Process.Signal(os.Interrupt) },
		"termination":  func(s *served) { _ = s.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			s := startServe(t)
			require.NoError(t, s.Call(t.Context(), "initialize", handshake(t.TempDir()), nil))
			end(s)
			assert.Equal(t, exitOK, s.exitStatus(t))
			assert.Empty(t, s.stderr.String())
		})
	}
}

// A client that goes while it is being answered.
func TestServeBrokenPipe(t *testing.T) {
	command, err := exec.LookPath("pintle")
	require.NoError(t, err)
	cmd := exec.Command(command, "serve", "--stdio", "--cache-dir", "off")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	w := jsonrpc.NewWriter(in)
	wrote := make(chan int, 1)
	go func() {
		for n := 0; ; n++ {
			if w.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q}`, n, strings.Repeat("x", 1<<20))) != nil || w.Flush() != nil {
				wrote <- n
				return
			}
		}
	}()
	_, err = io.ReadFull(out, make([]byte, 100)) // the answers have begun
	require.NoError(t, err)
	require.NoError(t, out.Close())
	late := time.AfterFunc(serveSlack, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	assert.NoError(t, cmd.Wait(), "no signal ended it, and the client being gone is no error")
	<-wrote
}

// When the client is killed, its sidecar goes too.
func TestServeOrphaned(t *testing.T) {
	self, err := exec.LookPath("pintle-parent")
	require.NoError(t, err)
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir(), "PARENT_DIR="+t.TempDir())
	// Both write to this pipe: it ends when both have.
	stderr, err := parent.StderrPipe()
	require.NoError(t, err)
	ready, err := parent.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, parent.Start())
	var pid int
	_, err = fmt.Fscanln(ready, &pid)
	require.NoError(t, err)
	require.NoError(t, parent.Process.Kill())
	child, err := os.FindProcess(pid)
	require.NoError(t, err)
	late := time.AfterFunc(serveSlack, func() { _ = child.Kill() })
	said, err := io.ReadAll(stderr)
	assert.NoError(t, err)
	assert.True(t, late.Stop(), "it had to be killed")
	assert.Empty(t, string(said))
	assert.Error(t, parent.Wait())
}

// parent is a client that starts a sidecar, tells its process id when it is served, and asks for nothing more.
func parent() {
	dir := os.Getenv("PARENT_DIR")
	cmd := exec.Command("pintle", "serve", "--stdio", "--cache-dir", "off")
	cmd.Stderr = os.Stderr
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	message, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake(dir)})
	w := jsonrpc.NewWriter(in)
	_, _ = w.Write(message), w.Flush()
	if _, err := jsonrpc.NewReader(out, 1<<20).Read(); err != nil {
		panic(err)
	}
	fmt.Println(cmd.Process.Pid)
	time.Sleep(serveSlack)
}
