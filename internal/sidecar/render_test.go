package sidecar

import (
	"context"
	"encoding/json"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// A client that answers render with something else is told what, in its own words rather than in Go's.
func TestAnswersOfWrongShapes(t *testing.T) {
	for answer, want := range map[string]string{
		`[]`:                       "the client's answer to render: result: want an object, got array",
		`{"results":{}}`:           "the client's answer to render: results: want an array, got object",
		`{"results":["text"]}`:     "the client's answer to render: results: want an object, got string",
		`{"results":[{"text":1}]}`: "the client's answer to render: results.text: want a string, got number",
		`null`:                     errUnanswered.Error(),
		`{"results":[null]}`:       "",
	} {
		toClient, in := io.Pipe()
		fromClient, out := io.Pipe()
		c := alone(t, &stockAdapters{out: true})
		c.server.process.renders = true
		c.conn = jsonrpc.NewConn(fromClient, in, jsonrpc.DefaultLimits(), nil, c.server.log)
		client := jsonrpc.NewConn(toClient, out, jsonrpc.DefaultLimits(), func(*jsonrpc.Request) (jsonrpc.Handler, string, error) {
			return func(context.Context, *jsonrpc.Request) (any, error) { return json.RawMessage(answer), nil }, "", nil
		}, c.server.log)
		ended := make(chan error, 2)
		for _, end := range []*jsonrpc.Conn{c.conn, client} {
			go func() { ended <- end.Serve(t.Context()) }()
		}
		raw, err := json.Marshal(object{"request": request("s", nil), "contributions": []any{object{"handle": 1, "id": "a"}}})
		require.NoError(t, err)
		got, err := turnMethods["turn/start"].serve(t.Context(), c, raw)
		require.NoError(t, err)
		assert.Equal(t, want, got.(*turnStartResult).Report.Contributions[0].Error, answer)
		client.Close()
		assert.NoError(t, receive(t, ended))
		assert.NoError(t, receive(t, ended))
	}
}
