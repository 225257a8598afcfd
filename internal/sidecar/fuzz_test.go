package sidecar

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// FuzzServer sends a server anything: each line of the input is a message, and the last one may be cut. The
// connection ends well, every message that is sent is JSON-RPC, and nothing is an internal error.
func FuzzServer(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		f.Add([]byte(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"sessionId":"s","stream":"s1"}}`, name)), 0)
	}
	for _, seed := range []string{
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"stream/open\",\"params\":{\"host\":\"pi\"}}\n" +
			"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"stream/push\",\"params\":{\"stream\":\"s1\",\"parts\":[{}]}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"turn/start\",\"params\":{\"request\":{\"sessionId\":\"s\"},\"contributions\":[{\"handle\":1,\"id\":\"a\"}]}}\n" +
			"{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"payload/adapt\",\"params\":{\"sessionId\":\"s\",\"provider\":\"openai\",\"payload\":{\"input\":[]}}}",
		"[]\n{\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}",
	} {
		f.Add([]byte(seed), 0)
		f.Add([]byte(seed), 3)
	}
	handshake, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": map[string]any{
		"protocol": []int{1}, "agentDir": f.TempDir(), "cwd": f.TempDir(), "config": map[string]any{"adapters": false},
		"environment": map[string]any{"timezone": "UTC", "currentDate": "2020-01-01"}, "capabilities": map[string]bool{"log": true}}})
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, lines []byte, cut int) {
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		ended := make(chan error, 1)
		go func() { ended <- Serve(context.Background(), in, out, patient(Options{})) }()
		r := jsonrpc.NewReader(fromServer, jsonrpc.DefaultLimits().Message)
		answered, answers := map[string]chan struct{}{"first": make(chan struct{}), "last": make(chan struct{})}, make(chan map[string]int, 1)
		go func() { answers <- readAll(t, r, answered) }()

		first := jsonrpc.NewWriter(toServer)
		require.NoError(t, first.Write(handshake))
		require.NoError(t, first.Flush())
		receive(t, answered["first"])
		_, _ = toServer.Write(framed(t, lines, cut))
		if cut <= 0 { // the rest is served before the last one is
			receive(t, answered["last"])
		}
		_ = toServer.Close()

		if err := receive(t, ended); err != nil {
			assert.ErrorIs(t, err, ErrNoShutdown)
		}
		receive(t, answers)
	})
}

// framed makes lines messages, and lets the last bytes away, or else adds a shutdown.
func framed(t *testing.T, lines []byte, cut int) []byte {
	var all bytes.Buffer
	w := jsonrpc.NewWriter(&all)
	for line := range bytes.Lines(lines) {
		require.NoError(t, w.Write(line))
	}
	if cut <= 0 {
		require.NoError(t, w.Write([]byte(`{"jsonrpc":"2.0","id":"last","method":"shutdown"}`)))
	}
	require.NoError(t, w.Flush())
	return all.Bytes()[:max(0, all.Len()-max(0, cut))]
}

// readAll reads to the end. It closes the channel of an id that is answered, all of them at the end.
func readAll(t *testing.T, r *jsonrpc.Reader, answered map[string]chan struct{}) map[string]int {
	answers := map[string]int{}
	for {
		frame, err := r.Read()
		if err != nil {
			assert.Equal(t, io.EOF, err)
			for id, c := range answered {
				if answers[id] == 0 {
					close(c)
				}
			}
			return answers
		}
		var m struct {
			JSONRPC string         `json:"jsonrpc"`
			ID      any            `json:"id"`
			Method  string         `json:"method"`
			Error   *jsonrpc.Error `json:"error"`
		}
		if !assert.NoError(t, json.Unmarshal(frame, &m), "%s", frame) {
			continue
		}
		assert.Equal(t, "2.0", m.JSONRPC)
		if m.Error != nil {
			assert.NotEqual(t, jsonrpc.CodeInternal, m.Error.Code, "%s", frame)
		}
		id, _ := m.ID.(string)
		if answers[id]++; m.Method == "" && answers[id] == 1 && answered[id] != nil {
			close(answered[id])
		}
	}
}
