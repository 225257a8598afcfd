package sidecar

import (
	"strconv"
	"sync"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

const (
	// maxStreams is how many streams may be open on a connection, and maxAllBytes how many bytes their parts
	// may have together.
	maxStreams  = 64
	maxAllBytes = 256 << 20
)

// streams are the open ones of a connection. The zero value has none.
type streams struct {
	mu     sync.Mutex
	open   map[string]*heldAnswer
	last   uint64
	bytes  int
	closed bool
}

// A heldAnswer is an answer with the bytes that it has been given.
type heldAnswer struct {
	*answer
	bytes int
}

// add gives an answer its id.
func (s *streams) add(a *answer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= maxStreams || s.closed {
		return tooMuch(maxStreams, "%d streams are open: close one first", len(s.open))
	}
	if s.open == nil {
		s.open = map[string]*heldAnswer{}
	}
	s.last++
	a.id = "s" + strconv.FormatUint(s.last, 10)
	s.open[a.id] = &heldAnswer{answer: a}
	return nil
}

// take finds the answer that is to be given more bytes. One that would become too large is removed.
func (s *streams) take(id string, bytes int) (*answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := s.open[id]
	if held == nil {
		return nil, noStream(id)
	}
	if s.bytes+bytes > maxAllBytes {
		return nil, tooMuch(maxAllBytes, "the open streams have %d bytes: wait until one has ended", s.bytes)
	}
	if held.bytes+bytes > maxStreamBytes {
		s.drop(id)
		return nil, tooMuch(maxStreamBytes, "the parts of the stream have more than %d bytes; it is closed", maxStreamBytes)
	}
	held.bytes += bytes
	s.bytes += bytes
	return held.answer, nil
}

// remove closes an answer, if it is open.
func (s *streams) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(id)
}

func (s *streams) drop(id string) {
	if held := s.open[id]; held != nil {
		delete(s.open, id)
		s.bytes -= held.bytes
		held.abort()
	}
}

// close closes all of them. No more can be opened.
func (s *streams) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for id := range s.open {
		s.drop(id)
	}
}

func tooMuch(limit int, format string, args ...any) error {
	return jsonrpc.Errorf(jsonrpc.CodeTooMuch, format, args...).With(map[string]int{"limit": limit})
}
