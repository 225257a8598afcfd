package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// A call is what a handler may use of the request that it serves.
type call struct {
	server *Server
	conn   *jsonrpc.Conn
	id     jsonrpc.ID // zero for a notification
}

// A method serves the requests of one name. The key of its requests is a text in their params: those in
// which it is the same are served one after the other.
type method struct {
	serve func(ctx context.Context, c *call, params json.RawMessage) (any, error)
	key   []string // the path of that text in params; nil: none
}

// handle makes a method of a function. Its params are decoded with encoding/json; a P that unmarshals itself
// gets the client's bytes, and a json.RawMessage is them: they are not to be changed. The result is encoded with
// encoding/json, without escapes for HTML; a json.RawMessage is sent as it is.
func handle[P, R any](serve func(context.Context, *call, *P) (R, error)) method {
	return method{serve: func(ctx context.Context, c *call, params json.RawMessage) (any, error) {
		p := new(P)
		if err := decode(params, p); err != nil {
			return nil, err
		}
		return serve(ctx, c, p)
	}}
}

// inOrderOf makes the text at a path in the params the key of a method.
func (m method) inOrderOf(path ...string) method {
	m.key = path
	return m
}

// decode reads params. That they are an object is known.
func decode(params json.RawMessage, p any) (err error) {
	switch p := p.(type) {
	case *json.RawMessage:
		*p = params
		return nil
	case json.Unmarshaler:
		err = p.UnmarshalJSON(params)
	default:
		err = json.Unmarshal(params, p)
	}
	if err == nil {
		return nil
	}
	if known := (*jsonrpc.Error)(nil); errors.As(err, &known) {
		return known
	}
	return jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "%s", misfit("params", err))
}

// route finds the method of a request.
func (s *Server) route(req *jsonrpc.Request) (jsonrpc.Handler, string, error) {
	notification := req.ID == jsonrpc.ID{}
	if notification && req.Method == "exit" {
		s.exit()
		return nil, "", nil
	}
	m, ok := methods[req.Method]
	switch {
	case !ok && notification:
		return nil, "", nil
	case !ok:
		return nil, "", jsonrpc.Errorf(jsonrpc.CodeMethodNotFound, "there is no method %q", start(req.Method))
	case len(req.Params) == 0 || string(req.Params) == "null":
		req.Params = json.RawMessage("{}")
	case req.Params[0] != '{':
		return nil, "", jsonrpc.Errorf(jsonrpc.CodeInvalidParams, "params: want an object")
	}
	if err := s.enter(req.Method); err != nil {
		return nil, "", err
	}
	if req.Method == "shutdown" {
		req.Taken = func() { s.become(shutDown, serving) }
	}
	serve := func(ctx context.Context, req *jsonrpc.Request) (any, error) {
		return m.serve(ctx, &call{server: s, conn: s.conn, id: req.ID}, req.Params)
	}
	key, within := m.keyOf(req.Params)
	if key != "" && within != nil {
		// Made for the answer to one of our requests: behind the call that waits for it, it would wait for ever.
		if outer, ok := jsonrpc.ParseID(within); ok && s.conn.Holds(outer) {
			key, req.AtOnce = "", true
		}
	}
	return serve, key, nil
}

// keyOf finds the key in params, "" for none, and the id of the call within which the request is made. Only
// sessions have such calls: what a stream is asked for never waits for the client, and must stay in order.
func (m method) keyOf(params []byte) (key string, within []byte) {
	if m.key == nil {
		return "", nil
	}
	values := jsonvalue.Pick(params, m.key[0], "within")
	value := values[0]
	for _, name := range m.key[1:] {
		value = jsonvalue.Pick(value, name)[0]
	}
	text, ok := jsonvalue.TextOf(value)
	if !ok || text == "" {
		return "", nil
	}
	of := m.key[len(m.key)-1]
	if of != "sessionId" {
		return of + " " + text, nil
	}
	return of + " " + text, values[1]
}

// start is what an error shows of a text that may be anything.
func start(text string) string {
	if len(text) <= 200 {
		return text
	}
	return strings.ToValidUTF8(text[:200], "") + "…"
}
