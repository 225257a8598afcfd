package stream_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
)

// Others may read snapshots, events and texts while the stream goes on. The race detector looks on.
func TestSnapshotsAreSafe(t *testing.T) {
	var lines []string
	for i := range 200 {
		n := string(rune('a' + i%26))
		lines = append(lines, `{"type":"text-delta","id":"`+n+`","delta":"word ","providerMetadata":{"p":{"`+n+`":1}}}`,
			`{"type":"text-end","id":"`+n+`"}`, `{"type":"tool-input-delta","id":"c","delta":"{"}`, call("c", "ls", `{"a":1}`),
			`{"type":"tool-input-end","id":"c","providerMetadata":{"p":{"`+n+`":2}}}`,
			`{"type":"tool-call","toolCallId":"t","toolName":"x","input":"{}","providerExecuted":true}`,
			`{"type":"tool-result","toolCallId":"t","result":1}`)
	}
	type seen struct {
		event   stream.Event
		message *stream.Message
		json    string
	}
	all := make(chan seen, len(lines))
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for s := range all {
				assert.Equal(t, s.json, string(s.message.AppendJSON(nil)))
				s.event.Message = nil
				_ = s.event.AppendJSON(nil, true)
			}
		})
	}
	for e := range stream.Translate(context.Background(), configFor(t, "pi", "ls"), valuesOf(parse(t, append(lines, finishTools)...))) {
		m := e.Message.Snapshot()
		all <- seen{e, m, string(m.AppendJSON(nil))}
	}
	close(all)
	readers.Wait()
}

func TestSnapshotSharesTexts(t *testing.T) {
	r := translate(t, configFor(t, "pi"), `{"type":"text-delta","id":"1","delta":"`+strings.Repeat("x", 5000)+`"}`, `{"type":"text-end","id":"1"}`, finishStop)
	final := r.final.Content[0].Text()
	for _, other := range []string{r.snapshots[2].Content[0].Text(), r.raw[3].Content, r.final.Snapshot().Content[0].Text()} {
		assert.Equal(t, unsafe.StringData(final), unsafe.StringData(other))
	}
	r.final.Snapshot().Content[0].Name = "changed"
	assert.Empty(t, r.final.Content[0].Name)
}

// A result that takes the place of another one does not do so in a snapshot.
func TestSnapshotKeepsResults(t *testing.T) {
	theirs := `{"type":"tool-call","toolCallId":"t","toolName":"x","input":"{}","providerExecuted":true}`
	result := func(value string) string { return `{"type":"tool-result","toolCallId":"t","result":` + value + `}` }
	text := `{"type":"text-delta","id":"1","delta":"x"}`
	r := translate(t, configFor(t, "pi"), theirs, result("1"), text, result("2"), text, finishStop)
	var results []string
	for _, m := range r.snapshots[1:] {
		results = append(results, string(m.ProviderExecuted[0].Result))
	}
	assert.Equal(t, []string{"1", "1", "2", "2"}, results)
}

// Texts are where they are, or move to where they can double: what was given out stays, and what is given
// out of one block again and again is not copied every time.
func TestTextsGrowInTurns(t *testing.T) {
	const rounds = 20_000
	for name, ids := range map[string][]string{"one": {"a"}, "two": {"a", "b"}, "many": {"a", "b", "c", "d", "e", "f", "g"}} {
		var parts []stream.Part
		for range rounds {
			for _, id := range ids {
				parts = append(parts, stream.Part{Type: stream.PartTextDelta, ID: id, Delta: id + "-"}, stream.Part{Type: stream.PartTextEnd, ID: id})
			}
		}
		parts = append(parts, stream.Part{Type: stream.PartFinish})
		cfg := configFor(t, "pi")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range stream.Translate(context.Background(), cfg, valuesOf(parts)) {
		}
		runtime.ReadMemStats(&after)
		text := uint64(rounds * 2 * len(ids))
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, 6*text+100_000, name)

		ends := map[int][]string{}
		var final *stream.Message
		for e := range stream.Translate(context.Background(), cfg, valuesOf(parts)) {
			if e.Type == stream.EventTextEnd {
				ends[e.ContentIndex] = append(ends[e.ContentIndex], e.Content)
			}
			final = e.Message
		}
		for i, id := range ids {
			want := strings.Repeat(id+"-", rounds)
			require.Equal(t, want, final.Content[i].Text())
			for n, content := range ends[i] {
				if content != want[:2*(n+1)] {
					t.Fatalf("end %d of block %s has changed", n, id)
				}
			}
		}
	}
}
