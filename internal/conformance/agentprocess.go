package conformance

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// agentProcess is an agent that runs.
type agentProcess struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	cancel  context.CancelFunc
	frames  []Value
	lines   chan agentLine
	hanging chan struct{}
	// session is the id that the agent gave last.
	session string

	mu     sync.Mutex
	stderr bytes.Buffer
}

// agentLine is a line of the agent's output, or why there is none.
type agentLine struct {
	frame Value
	err   error
}

// maxAgentLine and maxAgentNote bound a line of output and what is kept of the agent's standard error.
const (
	maxAgentLine = 16 << 20
	maxAgentNote = 4 << 10
)

func startAgent(ctx context.Context, command []string, env ...string) (*agentProcess, error) {
	ctx, cancel := context.WithCancel(ctx)
	a := &agentProcess{cancel: cancel, lines: make(chan agentLine), hanging: make(chan struct{}, 1)}
	a.cmd = exec.CommandContext(ctx, command[0], command[1:]...)
	a.cmd.Env = append(os.Environ(), env...)
	a.cmd.WaitDelay = 10 * time.Second
	a.cmd.Stderr = &agentErrors{agentProcess: a}
	stdin, err := a.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := a.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	a.stdin = stdin
	if err := a.cmd.Start(); err != nil {
		cancel()
		return nil, fmt.Errorf("the agent cannot be started: %w", err)
	}
	go a.read(ctx, stdout)
	return a, nil
}

// read passes on the lines of the agent's output.
func (a *agentProcess) read(ctx context.Context, stdout io.Reader) {
	defer close(a.lines)
	lines := bufio.NewScanner(stdout)
	lines.Buffer(nil, maxAgentLine)
	send := func(l agentLine) {
		select {
		case a.lines <- l:
		case <-ctx.Done():
		}
	}
	for lines.Scan() {
		frame, err := ParseValue(bytes.Clone(lines.Bytes()))
		if err != nil {
			err = fmt.Errorf("a line on standard output is not JSON: %q: %w", lines.Text(), err)
		}
		send(agentLine{frame, err})
	}
	if err := lines.Err(); err != nil {
		send(agentLine{err: fmt.Errorf("standard output: %w", err)})
	}
}

// agentErrors takes the agent's standard error.
type agentErrors struct {
	*agentProcess
	line []byte
}

func (w *agentErrors) Write(p []byte) (int, error) {
	w.mu.Lock()
	if room := maxAgentNote - w.stderr.Len(); room > 0 {
		w.stderr.Write(p[:min(len(p), room)])
	}
	w.mu.Unlock()
	for _, b := range p {
		if b != '\n' {
			if len(w.line) < maxAgentNote {
				w.line = append(w.line, b)
			}
			continue
		}
		if string(bytes.TrimRight(w.line, "\r")) == AgentHanging {
			select {
			case w.hanging <- struct{}{}:
			default:
			}
		}
		w.line = w.line[:0]
	}
	return len(p), nil
}

// steps sends the requests of a case, each when the one before it has been answered.
func (a *agentProcess) steps(steps []Value) error {
	for i, step := range steps {
		id := i + 1
		method, params, err := a.request(step)
		if err != nil {
			return fmt.Errorf("step %d: %w", id, err)
		}
		if err := a.send(fields{"jsonrpc", "2.0", "id", id, "method", method, "params", params}); err != nil {
			return fmt.Errorf("step %d: %w", id, err)
		}
		if err := a.answer(id, step.Get("cancel").isTrue(), params); err != nil {
			return fmt.Errorf("step %d: %w", id, err)
		}
	}
	return nil
}

// request is what a step sends.
func (a *agentProcess) request(step Value) (method string, params fields, err error) {
	switch op := step.Get("op").str(""); op {
	case "initialize":
		return op, fields{"protocolVersion", 1, "clientCapabilities", fields{}}, nil
	case "newSession":
		return "session/new", fields{"cwd", "/work", "mcpServers", []any{}}, nil
	case "prompt":
		prompt := any(step.Get("blocks"))
		if !step.Get("blocks").present() {
			prompt = []any{fields{"type", "text", "text", step.Get("text").str("")}}
		}
		return "session/prompt", fields{"sessionId", step.Get("session").str(a.session), "prompt", prompt}, nil
	default:
		return "", nil, fmt.Errorf("the operation %q is not known", op)
	}
}

func (a *agentProcess) send(message fields) error {
	line, err := encode(nil, message)
	if err != nil {
		return err
	}
	_, err = a.stdin.Write(append(line, '\n'))
	return err
}

// answer reads up to the answer of a request. With cancel, the prompt is cancelled once its answer hangs.
func (a *agentProcess) answer(id int, cancel bool, params fields) error {
	var hanging chan struct{}
	if cancel {
		hanging = a.hanging
	}
	for {
		select {
		case <-hanging:
			hanging = nil
			if err := a.send(fields{"jsonrpc", "2.0", "method", "session/cancel", "params", params[:2]}); err != nil {
				return err
			}
		case line, ok := <-a.lines:
			switch {
			case !ok:
				return errors.New("the agent's output has ended without an answer")
			case line.err != nil:
				return line.err
			}
			a.frames = append(a.frames, line.frame)
			if line.frame.Has("method") || line.frame.Get("id").number() != float64(id) {
				continue
			}
			if given := line.frame.Get("result").Get("sessionId").ptr(); given != nil {
				a.session = *given
			}
			return nil
		}
	}
}

// end closes the agent's input and returns its exit status.
func (a *agentProcess) end() (int, error) {
	if err := a.stdin.Close(); err != nil {
		return 0, err
	}
	for line := range a.lines {
		if line.err != nil {
			return 0, line.err
		}
		a.frames = append(a.frames, line.frame)
	}
	err := a.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return a.cmd.ProcessState.ExitCode(), nil
}

// stop ends the process if it still runs. It can be called twice.
func (a *agentProcess) stop() {
	a.cancel()
	_ = a.cmd.Wait() // closes the pipes, also if a child of the agent has them
	for range a.lines {
		continue
	}
}

// explain adds to a failure why the time was up, and what the agent had to say.
func (a *agentProcess) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: %w", context.Cause(ctx), err)
	}
	a.stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	if said := bytes.TrimSpace(a.stderr.Bytes()); len(said) > 0 {
		err = fmt.Errorf("%w; it says: %s", err, said)
	}
	return err
}
