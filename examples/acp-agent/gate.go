package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/coder/acp-go-sdk"
)

// maxLine bounds a line from the editor, in bytes. The connection takes up to 10 MiB and ends with a
// longer one.
const maxLine = 8 << 20

// A gate lies between the editor and the connection, which starts a goroutine for each request and drops
// what it cannot read. It hands over one line at a time, and the next one only when the request in it has
// been answered, or admitted if it takes long: so a cancellation meets the prompt that was sent before it.
// A line that is not a message is answered with an error, and the end of the input is held back until all
// requests are answered.
type gate struct {
	in  *bufio.Reader
	out io.Writer
	log *slog.Logger
	// ending is called before the last answers are waited for.
	ending func()

	rest []byte        // of the line that is being handed over
	held chan struct{} // of the message before it, closed when the next line may be read; nil for none

	mu     sync.Mutex
	waiter func()              // lets go of held; nil if nothing is held
	heldID string              // the id of the request that is held
	open   map[string]struct{} // ids of the requests without an answer
	idle   *sync.Cond
}

// newGate returns a gate that is closed until it is first told to admit.
func newGate(in io.Reader, out io.Writer, log *slog.Logger, ending func()) *gate {
	g := &gate{in: bufio.NewReaderSize(in, 64<<10), out: out, log: log, ending: ending, open: map[string]struct{}{}}
	g.idle = sync.NewCond(&g.mu)
	g.hold("")
	return g
}

// Read gives the connection the next line.
func (g *gate) Read(p []byte) (int, error) {
	for len(g.rest) == 0 {
		if g.held != nil {
			<-g.held
			g.held = nil
		}
		line, err := g.line()
		if err != nil {
			g.end()
			return 0, err
		}
		if g.take(line) {
			g.rest = append(line, '\n')
		}
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// errLong says that a line was passed over.
var errLong = errors.New("the line is too long")

// line reads the next line that is not blank.
func (g *gate) line() ([]byte, error) {
	for {
		line, err := g.bounded()
		switch {
		case errors.Is(err, errLong):
			g.refuse("a line is longer than %d bytes", maxLine)
		case err != nil:
			return nil, err
		case len(bytes.TrimSpace(line)) > 0:
			return line, nil
		}
	}
}

func (g *gate) bounded() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := g.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; !long {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil && (err != io.EOF || len(part) == 0 && len(line) == 0):
			return nil, err
		case long:
			return nil, errLong
		default:
			return bytes.TrimSuffix(line, []byte("\n")), nil
		}
	}
}

// frame is a message as the connection reads it, so that both take the same lines for the same.
type frame struct {
	JSONRPC string            `json:"jsonrpc"`
	ID      *json.RawMessage  `json:"id"`
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params"`
	Result  json.RawMessage   `json:"result"`
	Error   *acp.RequestError `json:"error"`
}

// id returns the message's id in a form that can be compared, "" if it has none.
func (f *frame) id() (string, error) {
	if f.ID == nil {
		return "", nil
	}
	var id any
	if err := json.Unmarshal(*f.ID, &id); err != nil {
		return "", fmt.Errorf("the id: %w", err)
	}
	switch id := id.(type) {
	case string:
		return "s" + id, nil
	case float64:
		return fmt.Sprint("n", id), nil
	}
	return "", errors.New("an id is a text or a number")
}

// take looks at a line and tells whether the connection is to have it.
func (g *gate) take(line []byte) bool {
	if !json.Valid(line) {
		g.answer(acp.NewParseError(nil))
		return false
	}
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		g.refuse("not a message: %w", err)
		return false
	}
	id, err := f.id()
	switch {
	case err != nil:
		g.refuse("%w", err)
		return false
	case f.Method == "" && id == "":
		g.refuse("a message with neither a method nor an id")
		return false
	case f.Method == "": // an answer
		return true
	case id == "":
		return g.notification(&f)
	}
	g.mu.Lock()
	_, twice := g.open[id]
	if !twice {
		g.open[id] = struct{}{}
		g.hold(id)
	}
	g.mu.Unlock()
	if twice {
		g.refuse("a request with the id of one that has not been answered")
	}
	return !twice
}

// notification holds the next line until a cancellation has been seen to.
func (g *gate) notification(f *frame) bool {
	if f.Method != acp.AgentMethodSessionCancel {
		return true
	}
	var p acp.CancelNotification
	if err := json.Unmarshal(f.Params, &p); err != nil {
		g.log.Warn("a cancellation cannot be read", "error", err)
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.hold("")
	return true
}

// hold is called with mu held.
func (g *gate) hold(id string) {
	held := make(chan struct{})
	g.held, g.heldID = held, id
	g.waiter = sync.OnceFunc(func() { close(held) })
}

// admit lets the next line in while the message at hand is still being worked on.
func (g *gate) admit() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.release()
}

func (g *gate) release() {
	if g.waiter != nil {
		g.waiter()
		g.waiter = nil
	}
}

// refuse answers a line that is no request.
func (g *gate) refuse(format string, args ...any) {
	g.answer(acp.NewInvalidRequest(map[string]any{"error": fmt.Errorf(format, args...).Error()}))
}

// answer sends an error that belongs to no request.
func (g *gate) answer(e *acp.RequestError) {
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": e})
	if err == nil {
		_, err = g.Write(append(line, '\n'))
	}
	if err != nil {
		g.log.Warn("an answer is lost", "error", err)
	}
}

// Write sends a message, whole as the connection writes it, to the editor.
func (g *gate) Write(message []byte) (int, error) {
	var f frame
	_ = json.Unmarshal(message, &f)
	id, _ := f.id()
	g.mu.Lock()
	defer g.mu.Unlock()
	n, err := g.out.Write(message)
	if f.Method == "" && id != "" {
		delete(g.open, id)
		if id == g.heldID {
			g.release()
		}
		g.idle.Broadcast()
	}
	return n, err
}

// end waits until all requests have been answered. It can be called twice.
func (g *gate) end() {
	g.ending()
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.open) > 0 {
		g.idle.Wait()
	}
}
