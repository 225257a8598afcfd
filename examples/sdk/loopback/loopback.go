// Package loopback has a server for tests that answers as a provider's does: the replies are written down
// beforehand, event streams among them, and the requests can be looked at afterwards.
package loopback

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Reply answers one request.
type Reply struct {
	// Status is 200 if it is 0.
	Status int
	// Header is in addition to the content type.
	Header map[string]string
	// Body is an event stream, or JSON if it begins with a brace.
	Body string
	// Hang keeps the connection open behind the body until the client goes.
	Hang bool
	// Drop ends the connection behind the body before the answer is complete.
	Drop bool
}

// A Request is one that has been made.
type Request struct {
	Path   string
	Header http.Header
	Body   string
}

// A Server gives its replies in turn, and the last one again and again.
type Server struct {
	URL string

	replies  []Reply
	mu       sync.Mutex
	requests []Request
	// gone is closed when a client has left a reply that hangs.
	gone chan struct{}
	once sync.Once
}

// Serve starts a server that ends with the test.
func Serve(t testing.TB, replies ...Reply) *Server {
	s := &Server{replies: replies, gone: make(chan struct{})}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// Requests are those that have been made so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// WaitGone waits until a client has left a reply that hangs.
func (s *Server) WaitGone(t testing.TB) {
	t.Helper()
	select {
	case <-s.gone:
	case <-time.After(time.Minute):
		t.Fatal("the client holds on to a reply that hangs")
	}
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	reply := s.replies[min(len(s.requests), len(s.replies)-1)]
	s.requests = append(s.requests, Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: string(body)})
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if strings.HasPrefix(reply.Body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	for key, value := range reply.Header {
		w.Header().Set(key, value)
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	_, _ = io.WriteString(w, reply.Body)
	switch {
	case reply.Hang:
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		s.once.Do(func() { close(s.gone) })
	case reply.Drop:
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}
