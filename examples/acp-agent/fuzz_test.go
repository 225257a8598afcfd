package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

// Whatever an editor sends, the agent ends with its input, and says nothing but messages.
func FuzzInput(f *testing.F) {
	f.Add([]byte(`{"id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n" + `{"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`))
	f.Add([]byte("{\"id\":1,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"x\",\"prompt\":[]}}\n{\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"x\"}}\n"))
	f.Add([]byte(`{"id":"a","id":null,"method":"x"}` + "\n" + `{"id":"<","method":""}` + "\n[]\n{\"ID\":3,\"METHOD\":\"y\"}"))
	f.Add([]byte(`{"id":1,"method":"$/cancel_request","params":{}}` + "\n" + `{"method":"$/cancel_request","params":{"requestId":1}}`))
	f.Add([]byte(`{"jsonrpc":7,"id":1,"method":"x"}` + "\n" + `{"id":1,"method":"x","error":{"code":"x"}}` + "\n" + `{"id":-0.0,"method":"x"}` + "\n" + `{"id":1e5,"method":"x"}`))
	f.Fuzz(check)
}

// The same at random, made of what an editor might send.
func TestInputAtRandom(t *testing.T) {
	pieces := strings.Fields(`{ } [ ] : , "id" "method" "params" "error" "result" "jsonrpc" null 1 2 -0.0 1e999 "1" "2" "initialize" "session/new"
		"session/prompt" "session/cancel" "session/load" "$/cancel_request" "_x" "" "sessionId" "cwd" "/w" "mcpServers" "prompt"`)
	whole := []string{
		`{"id":1,"method":"initialize","params":{"protocolVersion":1}}`, `{"id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`,
		`{"method":"session/cancel","params":{"sessionId":"x"}}`, `{"id":"3","method":"session/prompt","params":{"sessionId":"x","prompt":[]}}`,
		`{"method":"$/cancel_request","params":{"requestId":2}}`, `{"id":1,"result":{}}`,
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		var input []byte
		for range 1 + r.IntN(12) {
			line := []byte(whole[r.IntN(len(whole))])
			switch r.IntN(4) {
			case 0: // damaged
				line[r.IntN(len(line))] = byte(r.Uint32())
			case 1: // cut
				line = line[:r.IntN(len(line))]
			case 2:
				line = line[:0]
				for range r.IntN(12) {
					line = append(line, pieces[r.IntN(len(pieces))]...)
				}
			}
			input = append(append(input, line...), '\n')
		}
		check(t, input)
		if t.Failed() {
			t.Fatalf("%q", input)
		}
	}
}

// check gives an agent some input.
func check(t *testing.T, input []byte) {
	opts := options{
		sessions: t.TempDir(), log: slog.New(slog.DiscardHandler), live: true, load: true, script: &script{},
		route: message.Route{Provider: "p", Model: "m"},
	}
	a, err := open(t.Context(), opts, io.Discard)
	require.NoError(t, err)
	var out bytes.Buffer
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.serve(t.Context(), bytes.NewReader(input), &out)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
		require.Fail(t, "the agent does not end", "%q", input)
	}
	require.NoError(t, a.close(t.Context()))
	for line := range strings.Lines(out.String()) {
		assert.True(t, json.Valid([]byte(line)), line)
	}
}
