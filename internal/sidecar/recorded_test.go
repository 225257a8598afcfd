package sidecar

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

var timestamps = regexp.MustCompile(`"timestamp":\d+`)

// noTimes takes away the times of messages.
func noTimes(lines []json.RawMessage) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = timestamps.ReplaceAllString(string(line), `"timestamp":0`)
	}
	return out
}

// nativeAnswer is what an answer is without a connection.
type nativeAnswer struct {
	events, chunks []json.RawMessage
	blocks         []message.Block
	state          json.RawMessage
	incomplete     []int
}

func translateNatively(t *testing.T, host string, parts []byte) nativeAnswer {
	p, err := profile.Named(host)
	require.NoError(t, err)
	cfg := &stream.Config{
		Toolset: p.Bind(nil, profile.Options{}), Unchecked: true,
		Model: stream.Model{ID: "m-1", API: "acme-bridge", Provider: "acme"},
	}
	var n nativeAnswer
	chunker := stream.Chunker{Requested: message.Route{Provider: "acme", Model: "m-1"}}
	var a assembler.Assembler
	for e := range stream.Translate(context.Background(), cfg, stream.ReadParts(bytes.NewReader(parts))) {
		terminal := e.Type == stream.EventDone || e.Type == stream.EventError
		n.events = append(n.events, e.AppendJSON(nil, terminal))
		chunks, err := chunker.Event(&e)
		require.NoError(t, err)
		for i := range chunks {
			n.chunks = append(n.chunks, chunks[i].AppendJSON(nil))
			require.NoError(t, a.Push(&chunks[i]))
		}
		if !terminal {
			continue
		}
		for i, b := range e.Message.Content {
			if b.Incomplete {
				n.incomplete = append(n.incomplete, i)
			}
		}
	}
	result, err := a.Result()
	require.NoError(t, err)
	n.blocks, n.state = result.Blocks, result.ReplayState
	if f := a.Finish(); f.Kind == message.Aborted {
		n.blocks, n.state = a.Interrupted(), nil
	}
	return n
}

// All recorded answers, on both hosts, in pushes of random sizes: events, chunks and the durable message are
// those of a translation in this process.
func TestRecordedStreamsOverAConnection(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(vectors, "streams/*.parts.ndjson"))
	require.NoError(t, err)
	require.Greater(t, len(names), 100)
	c := newStreamClient(t)
	random := rand.New(rand.NewPCG(7, 7))
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		var parts []json.RawMessage
		var compact bytes.Buffer // as clients write it
		for line := range bytes.Lines(text) {
			from := compact.Len()
			require.NoError(t, json.Compact(&compact, line))
			parts = append(parts, bytes.Clone(compact.Bytes()[from:]))
			compact.WriteByte('\n')
		}
		for _, host := range []string{"pi", "omp"} {
			want := translateNatively(t, host, compact.Bytes())
			id := c.openStream(object{"host": host, "assemble": true, "chunks": true, "id": "msg-1"})
			var got pushAnswer
			for at := 0; got.Assembled == nil; {
				require.Less(t, at, len(parts), "%s has not ended", name)
				end := min(at+1+random.IntN(40), len(parts))
				next := c.push(object{"stream": id, "parts": parts[at:end], "end": end == len(parts)})
				next.Events = append(got.Events, next.Events...)
				next.Chunks = append(got.Chunks, next.Chunks...)
				at, got = end, next
			}
			for i, e := range got.Events {
				got.Events[i] = withoutStartID(e)
			}
			base := filepath.Base(name)
			assert.Equal(t, noTimes(want.events), noTimes(got.Events), base)
			assert.Equal(t, noTimes(want.chunks), noTimes(got.Chunks), base)
			assert.Equal(t, want.incomplete, got.Incomplete, base)
			var whole struct{ Message message.Message }
			require.NoError(t, json.Unmarshal(got.Assembled, &whole))
			expected := message.Message{ID: "msg-1", Role: message.Assistant, Content: want.blocks, Source: message.Source{
				Kind: message.FromModel, Provider: "acme", Model: "m-1", ReplayState: want.state,
			}}
			assert.JSONEq(t, string(expected.AppendJSON(nil)), string(whole.Message.AppendJSON(nil)), base)
			c.readBack(whole.Message.AppendJSON(nil), base)
		}
	}
}

var startID = regexp.MustCompile(`^(\{"type":"toolcall_start","contentIndex":\d+),"id":".*"\}$`)

// withoutStartID takes away what the sidecar adds to an event of a host.
func withoutStartID(event json.RawMessage) json.RawMessage {
	return startID.ReplaceAll(event, []byte("$1}"))
}

// readBack gives a durable message back to its provider: the way that it goes in the next call.
func (c *testClient) readBack(m json.RawMessage, name string) {
	var read struct {
		Context     json.RawMessage
		Diagnostics []object
		Reports     []object
	}
	route := object{"provider": "acme", "model": "m-1"}
	raw := c.must("history/read", object{"messages": []any{m}, "route": route, "owned": []string{"acme"}})
	require.NoError(c.t, json.Unmarshal(raw, &read))
	assert.Empty(c.t, read.Diagnostics, name)
	assert.Empty(c.t, read.Reports, name)
	c.must("history/options", object{"host": "omp", "model": harbour, "context": read.Context})
}
