package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/testpayload"
)

// A call of a sidecar in another process that has nothing to do there: a session that has no prompt yet, and
// a payload for which there is no adapter. The floor, in x-floor, is a process that reads the same bytes and
// writes a few.
func BenchmarkServe(b *testing.B) {
	adapt := func(payload []byte) map[string]any {
		return map[string]any{"sessionId": "s", "provider": "nobody", "payload": json.RawMessage(payload)}
	}
	for _, c := range []struct {
		name, method string
		params       any
	}{
		{"small", "context/message", map[string]string{"sessionId": "s"}},
		{"1MB", "payload/adapt", adapt(testpayload.Large("openai-responses", "1MB"))},
		{"10MB", "payload/adapt", adapt(testpayload.Large("openai-responses", "10MB"))},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := startServe(b)
			require.NoError(b, s.Call(b.Context(), "initialize", handshake(b.TempDir()), nil))
			encoded, err := json.Marshal(c.params)
			require.NoError(b, err)
			b.SetBytes(int64(len(encoded)))
			for b.Loop() {
				if err := s.Call(b.Context(), c.method, json.RawMessage(encoded), nil); err != nil {
					b.Fatal(err)
				}
			}
			own := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(own)/float64(rawCalls(b, encoded, b.N)), "x-floor")
		})
	}
}

// rawCalls is how long it takes to send a frame to another process and get one back.
func rawCalls(b *testing.B, frame []byte, times int) time.Duration {
	cmd := exec.Command("pintle-echo")
	in, err := cmd.StdinPipe()
	require.NoError(b, err)
	out, err := cmd.StdoutPipe()
	require.NoError(b, err)
	require.NoError(b, cmd.Start())
	w, r := jsonrpc.NewWriter(in), jsonrpc.NewReader(out, 1<<20)
	start := time.Now()
	for range times {
		require.NoError(b, w.Write(frame))
		require.NoError(b, w.Flush())
		_, err := r.Read()
		require.NoError(b, err)
	}
	took := time.Since(start)
	require.NoError(b, in.Close())
	_, _ = io.Copy(io.Discard, out)
	require.NoError(b, cmd.Wait())
	return took / time.Duration(times)
}

// echoFrames answers every frame with the beginning of it.
func echoFrames() {
	r, w := jsonrpc.NewReader(os.Stdin, jsonrpc.DefaultLimits().Message), jsonrpc.NewWriter(os.Stdout)
	for {
		frame, err := r.Read()
		if err != nil {
			return
		}
		if w.Write(frame[:min(len(frame), 100)]) != nil || w.Flush() != nil {
			return
		}
	}
}
