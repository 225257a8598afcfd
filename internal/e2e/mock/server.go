// Package mock answers like the providers whose APIs a Pi speaks: five streams as they are on the wire, on
// a loopback address, with what a test's script says.
package mock

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// The APIs, under the names that Pi has for them.
const (
	Responses   = "openai-responses"
	Codex       = "openai-codex-responses"
	Completions = "openai-completions"
	Messages    = "anthropic-messages"
	Google      = "google-generative-ai"
)

// APIs lists them all.
var APIs = []string{Responses, Codex, Completions, Messages, Google}

// A Request is what arrived.
type Request struct {
	Number int // from 1, over all APIs of the server
	API    string
	Body   []byte // decompressed
}

// A Call is a tool call of an answer. Arguments is a JSON object.
type Call struct{ ID, Name, Arguments string }

// An Answer is what the model says: text, then calls.
type Answer struct {
	Text  string
	Calls []Call
}

// A Script answers a request. It runs on the request's own goroutine, before the first byte of the answer,
// so a test can do something there while the agent waits.
type Script func(Request) Answer

// Server is the mock. Its methods may be called at any time, from any goroutine.
type Server struct {
	http   *httptest.Server
	script Script

	mu       sync.Mutex
	requests []Request
	faults   []string
}

// Start starts a server; Close ends it.
func Start(script Script) *Server {
	s := &Server{script: script}
	s.http = httptest.NewServer(s)
	return s
}

func (s *Server) Close() { s.http.Close() }

// BaseURL is the address that an agent's configuration needs for an API.
func (s *Server) BaseURL(api string) string {
	return s.http.URL + "/" + api + base[api]
}

// base is what a provider's address has in front of the path that its client adds.
var base = map[string]string{Responses: "/v1", Codex: "/backend-api", Completions: "/v1", Messages: "", Google: "/v1beta"}

var streams = map[string]func(*stream, Request, Answer){
	Responses: responses, Codex: responses, Completions: completions, Messages: messages, Google: google,
}

// Requests returns what has arrived so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Faults returns what was asked for that none of the APIs has.
func (s *Server) Faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.faults...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	req, err := read(r)
	if err != nil {
		s.mu.Lock()
		s.faults = append(s.faults, err.Error())
		s.mu.Unlock()
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	req.Number = len(s.requests) + 1
	s.requests = append(s.requests, req)
	s.mu.Unlock()
	answer := s.script(req)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Request-Id", fmt.Sprintf("req_%d", req.Number))
	streams[req.API](&stream{w: w}, req, answer)
}

func read(r *http.Request) (Request, error) {
	api, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method != http.MethodPost || streams[api] == nil || !wanted(api, "/"+path, r.URL.RawQuery) {
		return Request{}, fmt.Errorf("mock: no API answers %s %s", r.Method, r.URL)
	}
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "zstd" {
		d, err := zstd.NewReader(r.Body)
		if err != nil {
			return Request{}, err
		}
		defer d.Close()
		body = d
	}
	var b bytes.Buffer
	if _, err := b.ReadFrom(body); err != nil {
		return Request{}, fmt.Errorf("mock: body of %s: %w", r.URL, err)
	}
	return Request{API: api, Body: b.Bytes()}, nil
}

func wanted(api, path, query string) bool {
	switch api {
	case Responses:
		return path == "/v1/responses"
	case Codex:
		return path == "/backend-api/codex/responses"
	case Completions:
		return path == "/v1/chat/completions"
	case Messages:
		return path == "/v1/messages"
	default:
		return strings.HasPrefix(path, "/v1beta/models/") && strings.HasSuffix(path, ":streamGenerateContent") && query == "alt=sse"
	}
}
