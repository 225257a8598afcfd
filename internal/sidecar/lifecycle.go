package sidecar

import (
	"context"
	"slices"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// Codes of errors beside those of JSON-RPC.
const (
	codeNotInitialized = -32002
	codeNoVersion      = -32003
	codeBuildFailed    = -32010
	codeNoStream       = -32011
)

// protocolVersion is the only one that is spoken.
const protocolVersion = 1

// A state is how far a connection has come.
type state int

const (
	fresh        state = iota
	initializing       // the handshake is being answered
	serving
	shutDown // no request is taken any more
	exited   // without shutdown
)

// initialize is the handshake. One that failed may be tried again.
func initialize(ctx context.Context, c *call, p *initializeParams) (*initializeResult, error) {
	s := c.server
	if !s.become(initializing, fresh) {
		return nil, errInitialized
	}
	defer s.become(fresh, initializing)
	result, err := s.open(ctx, p)
	if err == nil {
		s.become(serving, initializing)
	}
	return result, err
}

var errInitialized = jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "initialize: the connection has been initialized already")

// become changes the state from another one, if it is that.
func (s *Server) become(next, from state) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state != from {
		return false
	}
	s.state = next
	return true
}

func (s *Server) open(ctx context.Context, p *initializeParams) (*initializeResult, error) {
	if !slices.Contains(p.Protocol, protocolVersion) {
		return nil, jsonrpc.Errorf(codeNoVersion, "no common version of the protocol: this is version %d", protocolVersion).
			With(map[string][]int{"supported": {protocolVersion}})
	}
	if p.Capabilities.Log {
		s.logTo.Store(s.conn)
	}
	opened, result, err := openProcess(ctx, s.options, p)
	if err != nil {
		return nil, err
	}
	s.process = opened
	result.Protocol = protocolVersion
	result.Server = serverInfo{Name: "pintle", Version: s.options.Version, Engine: opened.engineName()}
	limits := jsonrpc.DefaultLimits()
	result.Limits = limitsInfo{Message: limits.Message, Queue: limits.PerKey, Window: streamWindow}
	return &result, nil
}

// enter decides whether a method may be called in the state of the connection.
func (s *Server) enter(method string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state >= shutDown:
		return jsonrpc.Errorf(jsonrpc.CodeInvalidRequest, "%s: the connection has been shut down", method)
	case method == "initialize" && s.state != fresh:
		return errInitialized
	case method == "initialize":
	case s.state != serving:
		return jsonrpc.Errorf(codeNotInitialized, "%s: send initialize first, and wait for its answer", method)
	}
	return nil
}

// shutdown waits for what the client sent before it. Nothing comes after it.
func shutdown(ctx context.Context, c *call, _ *struct{}) (struct{}, error) {
	return struct{}{}, c.conn.AwaitOthers(ctx)
}

// exit ends the connection.
func (s *Server) exit() {
	s.mu.Lock()
	if s.state != shutDown {
		s.state = exited
	}
	s.mu.Unlock()
	s.conn.Close()
}

// serverInfo is what the handshake tells about this program.
type serverInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Engine  string `json:"engine"`
}

// limitsInfo is what the handshake tells a client to keep to.
type limitsInfo struct {
	Message int `json:"message"` // bytes
	Queue   int `json:"queue"`   // requests that wait for one session or stream
	Window  int `json:"window"`  // parts of one stream/push
}
