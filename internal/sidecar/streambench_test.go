package sidecar

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// largeParts are the parts of a recorded answer of 20,000, as lines, scale times over.
func largeParts(b *testing.B, name string, scale int) []json.RawMessage {
	f, err := os.Open(filepath.Join(vectors, "streams/large", name+".v4.parts.ndjson.gz"))
	require.NoError(b, err)
	defer f.Close()
	in, err := gzip.NewReader(f)
	require.NoError(b, err)
	text, err := io.ReadAll(in)
	require.NoError(b, err)
	var once, parts []json.RawMessage
	for line := range bytes.Lines(text) {
		once = append(once, bytes.TrimSpace(line))
	}
	finish := len(once) - 1
	for range scale {
		parts = append(parts, once[:finish]...)
	}
	return append(parts, once[finish])
}

// translateLines is the work without a connection: parts from JSON, events to JSON.
func translateLines(b *testing.B, parts []json.RawMessage) {
	p, err := profile.Named("pi")
	require.NoError(b, err)
	cfg := &stream.Config{Toolset: p.Bind(nil, profile.Options{}), Unchecked: true}
	t := stream.NewTranslator(context.Background(), cfg)
	var out []byte
	take := func(e stream.Event) bool {
		out = e.AppendJSON(out[:0], e.Type == stream.EventDone)
		return true
	}
	var part stream.Part
	for _, line := range parts {
		require.NoError(b, stream.ParsePart(line, &part))
		t.Part(&part, take)
	}
}

// The cost of a part through the sidecar, over two pipes of the system, by the size of a push. Each push waits
// for its answer. x-native is the ratio to the same work in this process, done in turn.
func BenchmarkStreamPush(b *testing.B) {
	c := newBenchClient(b)
	for _, name := range []string{"anthropic-many-blocks", "openai-compatible-huge-text-huge-tool"} {
		for _, scale := range []int{1, 10} {
			parts := largeParts(b, name, scale)
			for _, size := range []int{1, 16, 128, streamWindow} {
				if size == 1 && scale > 1 {
					continue // seconds
				}
				b.Run(fmt.Sprintf("%s/%dx/push=%d", name, scale, size), func(b *testing.B) {
					var pushed, native time.Duration
					for b.Loop() {
						begun := time.Now()
						pushAll(b, c, parts, size)
						between := time.Now()
						translateLines(b, parts)
						pushed, native = pushed+between.Sub(begun), native+time.Since(between)
					}
					b.ReportMetric(float64(pushed)/float64(b.N*len(parts)), "ns/part")
					b.ReportMetric(float64(native)/float64(b.N*len(parts)), "native-ns/part")
					b.ReportMetric(float64(pushed)/float64(native), "x-native")
					b.ReportMetric(0, "ns/op") // both together: of no use
				})
			}
		}
	}
}

func pushAll(b *testing.B, c *jsonrpc.Conn, parts []json.RawMessage, size int) {
	ctx := context.Background()
	var opened struct{ Stream string }
	require.NoError(b, c.Call(ctx, "stream/open", json.RawMessage(`{"host":"pi","model":{},"unchecked":true}`), &opened))
	var params []byte
	for len(parts) > 0 {
		n := min(size, len(parts))
		params = append(append(params[:0], `{"stream":"`...), opened.Stream...)
		params = append(append(append(params, `","parts":[`...), bytes.Join(asBytes(parts[:n]), []byte(","))...), "]}"...)
		parts = parts[n:]
		var result json.RawMessage
		require.NoError(b, c.Call(ctx, "stream/push", json.RawMessage(params), &result))
	}
}

func asBytes(list []json.RawMessage) [][]byte {
	out := make([][]byte, len(list))
	for i, item := range list {
		out[i] = item
	}
	return out
}

// newBenchClient is a client over pipes of the system, which nothing looks into.
func newBenchClient(b *testing.B) *jsonrpc.Conn {
	in, toServer, err := os.Pipe()
	require.NoError(b, err)
	fromServer, out, err := os.Pipe()
	require.NoError(b, err)
	ended := make(chan struct{}, 2)
	go func() { _ = Serve(context.Background(), in, out, patient(Options{})); ended <- struct{}{} }()
	none := func(*jsonrpc.Request) (jsonrpc.Handler, string, error) { return nil, "", nil }
	c := jsonrpc.NewConn(fromServer, toServer, jsonrpc.DefaultLimits(), none, slog.New(slog.DiscardHandler))
	go func() { _ = c.Serve(context.Background()); ended <- struct{}{} }()
	b.Cleanup(func() {
		c.Close()
		<-ended
		<-ended
	})
	params := object{"protocol": []int{protocolVersion}, "agentDir": b.TempDir(), "config": object{"adapters": false}}
	require.NoError(b, c.Call(context.Background(), "initialize", params, nil))
	return c
}
