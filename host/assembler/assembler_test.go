package assembler_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

// parsed reads a JSON list of chunks.
func parsed(t require.TestingT, list string) []message.Chunk {
	var raws []json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(list), &raws), list)
	chunks := make([]message.Chunk, len(raws))
	for i, raw := range raws {
		var err error
		chunks[i], err = message.ParseChunk(raw)
		require.NoError(t, err)
	}
	return chunks
}

func pushed(t require.TestingT, a *assembler.Assembler, list string) {
	chunks := parsed(t, list)
	for i := range chunks {
		require.NoError(t, a.Push(&chunks[i]))
	}
}

func written(t require.TestingT, blocks []message.Block) string { return jsonOf(t, blocks) }

func jsonOf(t require.TestingT, v any) string {
	out, err := json.Marshal(v)
	require.NoError(t, err)
	return string(out)
}

const (
	stop      = `{"type":"finish","reason":{"kind":"stop"}}`
	maxTokens = `{"type":"finish","reason":{"kind":"max-tokens"}}`
)

// The shapes that an adapter must not send, and what becomes of them.
func TestIllegalShapes(t *testing.T) {
	for name, c := range map[string]struct{ chunks, blocks string }{
		"delta with no start": {
			`{"type":"reasoning-delta","index":0,"text":"a"},{"type":"tool-call-delta","index":1,"id":"c","name":"n","argumentsDelta":"{"}`,
			`[{"type":"reasoning","text":"a"},{"type":"tool-call","id":"c","name":"n","arguments":"{"}]`},
		"end with no start": {
			`{"type":"block-end","index":0,"block":{"type":"chart","x":1.50}}`, `[{"type":"chart","x":1.50}]`},
		"second start of an open block": {
			`{"type":"block-start","index":0,"blockType":"text"},{"type":"block-start","index":0,"blockType":"chart"}`,
			`[{"type":"text","text":""}]`},
		"second start of a closed block": {
			`{"type":"block-end","index":0,"block":{"type":"text","text":"a"}},{"type":"block-start","index":0,"blockType":"chart"}`,
			`[{"type":"text","text":"a"}]`},
		"deltas of other kinds": {
			`{"type":"block-start","index":0,"blockType":"text"},{"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":"{"},
			 {"type":"reasoning-delta","index":0,"text":"a"},{"type":"text-delta","index":0,"text":"b"},
			 {"type":"block-start","index":1,"blockType":"tool-call"},{"type":"text-delta","index":1,"text":"c"}`,
			`[{"type":"text","text":"ab"},{"type":"tool-call","id":"call-1","name":"","arguments":""}]`},
		"what comes for a closed block": {
			`{"type":"block-end","index":0,"block":{"type":"text","text":"a"}},{"type":"text-delta","index":0,"text":"b"},
			 {"type":"tool-call-delta","index":0,"id":"c","argumentsDelta":"{"},{"type":"block-end","index":0,"block":{"type":"text","text":"c"}}`,
			`[{"type":"text","text":"a"}]`},
		"end with another text or kind": {
			`{"type":"text-delta","index":0,"text":"a"},{"type":"block-end","index":0,"block":{"type":"text","text":"b"}},
			 {"type":"text-delta","index":1,"text":"a"},{"type":"block-end","index":1,"block":{"type":"tool-call","id":"c"}}`,
			`[{"type":"text","text":"b"},{"type":"tool-call","id":"c"}]`},
		"indexes of every sort": {
			`{"type":"text-delta","index":-1,"text":"a"},{"type":"text-delta","index":4e9,"text":"b"},{"type":"text-delta","index":0.5,"text":"c"},
			 {"type":"text-delta","index":1e999,"text":"d"},{"type":"text-delta","index":"x","text":"e"},{"type":"text-delta","text":"f"},
			 {"type":"text-delta","index":0,"text":"g"},{"type":"text-delta","index":-0,"text":"h"},{"type":"text-delta","index":0.0,"text":"i"},
			 {"type":"text-delta","index":4000000000,"text":"j"},{"type":"text-delta","index":15.5,"text":"k"},{"type":"text-delta","index":15,"text":"l"},
			 {"type":"text-delta","index":16,"text":"m"}`,
			`[{"type":"text","text":"a"},{"type":"text","text":"bj"},{"type":"text","text":"c"},{"type":"text","text":"d"},{"type":"text","text":"ef"},
			  {"type":"text","text":"ghi"},{"type":"text","text":"k"},{"type":"text","text":"l"},{"type":"text","text":"m"}]`},
		"ids of calls that have none": {
			`{"type":"block-start","index":-0,"blockType":"tool-call"},{"type":"block-start","index":1e21,"blockType":"tool-call"},
			 {"type":"block-start","index":-2.5e-7,"blockType":"tool-call"},{"type":"block-start","blockType":"tool-call"},
			 {"type":"block-start","index":-1e999,"blockType":"tool-call"}`,
			`[{"type":"tool-call","id":"call-0","name":"","arguments":""},{"type":"tool-call","id":"call-1e+21","name":"","arguments":""},
			  {"type":"tool-call","id":"call--2.5e-7","name":"","arguments":""},{"type":"tool-call","id":"call-undefined","name":"","arguments":""},
			  {"type":"tool-call","id":"call--Infinity","name":"","arguments":""}]`},
		"the last id and the last name count": {
			`{"type":"tool-call-delta","index":0,"id":"a","name":"x","argumentsDelta":""},{"type":"tool-call-delta","index":0,"id":"","name":"","argumentsDelta":""},
			 {"type":"tool-call-delta","index":1,"id":"a","name":"x","argumentsDelta":""},{"type":"tool-call-delta","index":1,"name":"y","argumentsDelta":""}`,
			`[{"type":"tool-call","id":"","name":"x","arguments":""},{"type":"tool-call","id":"call-1","name":"y","arguments":""}]`},
		"empty and blank blocks": {
			`{"type":"text-delta","index":0,"text":""},{"type":"block-start","index":1,"blockType":"reasoning"},{"type":"text-delta","index":2,"text":" "}`,
			`[{"type":"text","text":""},{"type":"reasoning","text":""},{"type":"text","text":" "}]`},
		"after the finish": {
			stop + `,{"type":"text-delta","index":0,"text":"a"}`, `[{"type":"text","text":"a"}]`},
		"nothing": {stop, `[]`},
	} {
		t.Run(name, func(t *testing.T) {
			for _, reference := range []bool{false, true} {
				a := assembler.Assembler{Reference: reference}
				pushed(t, &a, "["+c.chunks+"]")
				r, err := a.Result()
				require.NoError(t, err)
				assert.JSONEq(t, c.blocks, written(t, r.Blocks))
				again, err := a.Result()
				require.NoError(t, err)
				assert.Equal(t, r, again)
			}
		})
	}
}

// A closed block is what the end carried, byte for byte.
func TestClosedBlocksAreVerbatim(t *testing.T) {
	block := `{ "label":"\u0041\ud83e", "type":"chart","n":1.50,"n":2 }`
	var a assembler.Assembler
	c, err := message.ParseChunk([]byte(`{"type":"block-end","index":0,"block":` + block + `}`))
	require.NoError(t, err)
	require.NoError(t, a.Push(&c))
	r, err := a.Result()
	require.NoError(t, err)
	assert.Equal(t, `{"blocks":[`+block+`]}`, string(r.AppendJSON(nil)))
}

func TestMaxTokensDropsEveryCall(t *testing.T) {
	chunks := `[{"type":"block-end","index":0,"block":{"type":"tool-call","id":"a","name":"n","arguments":"{}"}},
		{"type":"tool-call-delta","index":1,"id":"b","argumentsDelta":"{"},
		{"type":"block-start","index":2,"blockType":"tool-call"},{"type":"block-end","index":2,"block":{"type":"text","text":"kept"}},
		{"type":"block-start","index":3,"blockType":"text"},{"type":"block-end","index":3,"block":{"type":"tool-call","id":"c"}},
		{"type":"block-end","index":4,"block":{"type":"chart"}}`
	var a assembler.Assembler
	pushed(t, &a, chunks+","+maxTokens+"]")
	r, err := a.Result()
	require.NoError(t, err)
	assert.JSONEq(t, `[{"type":"text","text":"kept"},{"type":"chart"}]`, written(t, r.Blocks))

	for _, other := range []string{"stop", "tool-calls", "aborted", "error", "content-filter"} {
		a.Reset()
		pushed(t, &a, chunks+","+maxTokens+`,{"type":"finish","reason":{"kind":"`+other+`"}}]`)
		r, err := a.Result()
		require.NoError(t, err)
		assert.Len(t, r.Blocks, 5, other)
	}
}

func TestOpenBlocksOfOtherKindsCannotBeRead(t *testing.T) {
	for _, kind := range []string{"image", "tool-result", "chart", ""} {
		for _, finish := range []string{stop, maxTokens} {
			var a assembler.Assembler
			pushed(t, &a, `[{"type":"text-delta","index":0,"text":"a"},{"type":"block-start","index":7,"blockType":"`+kind+`"},
				{"type":"text-delta","index":7,"text":"b"},`+finish+`]`)
			_, err := a.Result()
			var failure *assembler.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, assembler.Error{Code: assembler.UnassemblableBlock, Type: kind, Index: 7}, *failure)
			assert.Contains(t, err.Error(), "block 7")
			assert.JSONEq(t, `[{"type":"text","text":"a"}]`, written(t, a.Interrupted()))

			pushed(t, &a, `[{"type":"block-end","index":7,"block":{"type":"`+kind+`"}}]`)
			r, err := a.Result()
			require.NoError(t, err)
			assert.Len(t, r.Blocks, 2)
		}
	}
}

func TestRefusedChunksChangeNothing(t *testing.T) {
	var a assembler.Assembler
	pushed(t, &a, `[{"type":"text-delta","index":0,"text":"a"},`+stop+`]`)
	for _, c := range []message.Chunk{
		{Type: "audio-delta"}, {}, {Type: message.BlockEnd, Index: 1}, {Type: message.UsageChunk}, {Type: message.FinishChunk},
	} {
		err := a.Push(&c)
		var failure *assembler.Error
		require.ErrorAs(t, err, &failure)
		assert.Equal(t, c.Type, failure.Type)
		known := c.Type != "" && c.Type != "audio-delta"
		assert.Equal(t, known, failure.Code == assembler.MalformedChunk)
		assert.Equal(t, !known, failure.Code == assembler.UnknownChunk)
		assert.Contains(t, err.Error(), fmt.Sprintf("%q", c.Type))
	}
	r, err := a.Result()
	require.NoError(t, err)
	assert.JSONEq(t, `[{"type":"text","text":"a"}]`, written(t, r.Blocks))
	assert.Nil(t, a.Usage())
}

func TestTheLastUsageAndFinishCount(t *testing.T) {
	var a assembler.Assembler
	assert.Equal(t, message.Finish{Kind: message.Stop}, a.Finish())
	assert.Nil(t, a.Usage())
	assert.Nil(t, a.Answered())

	finish := parsed(t, `[{"type":"finish","reason":{"kind":"error","failure":{"message":"m","code":"SERVER","extra":1}},"replayState":{"response":1}}]`)[0]
	finish.Answered = &message.Route{Provider: "p", Model: "m"}
	require.NoError(t, a.Push(&finish))
	pushed(t, &a, `[{"type":"usage","usage":{"inputTokens":1,"outputTokens":2,"cacheReadTokens":3}},{"type":"usage","usage":{"inputTokens":4,"outputTokens":5}}]`)
	r, err := a.Result()
	require.NoError(t, err)
	assert.Equal(t, `{"response":1}`, string(r.ReplayState), "a failed answer has its state")
	assert.Equal(t, message.Route{Provider: "p", Model: "m"}, *a.Answered())
	reason := a.Finish()
	assert.Equal(t, `{"kind":"error","failure":{"message":"m","code":"SERVER","extra":1}}`, string(reason.AppendJSON(nil)))
	assert.Equal(t, int64(4), a.Usage().Input)
	assert.Zero(t, a.Usage().CacheRead)

	pushed(t, &a, `[{"type":"finish","reason":{"kind":"content-filter"}}]`)
	r, err = a.Result()
	require.NoError(t, err)
	assert.Nil(t, r.ReplayState)
	assert.Nil(t, r.Discarded)
	assert.Nil(t, a.Answered())
	assert.Equal(t, "content-filter", a.Finish().Kind)

	half := message.Chunk{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}, Answered: &message.Route{Provider: "p"}}
	require.NoError(t, a.Push(&half))
	assert.Nil(t, a.Answered(), "a route has two names")
}

func TestInterrupted(t *testing.T) {
	var a assembler.Assembler
	pushed(t, &a, `[{"type":"text-delta","index":0,"text":"\u00a0\ufeff\u2003\u000b"},{"type":"reasoning-delta","index":1,"text":"\u0085"},
		{"type":"text-delta","index":2,"text":"\u180e"},{"type":"text-delta","index":3,"text":"\u200b"},
		{"type":"tool-call-delta","index":4,"id":"c","argumentsDelta":"{}"},{"type":"block-start","index":5,"blockType":"chart"},
		{"type":"block-start","index":6,"blockType":"tool-call"},{"type":"block-end","index":6,"block":{"type":"text","text":"a","x":1}},
		{"type":"block-start","index":7,"blockType":"text"},{"type":"block-end","index":7,"block":{"type":"tool-call","id":"d"}},
		{"type":"text-delta","index":8,"text":"streamed"},{"type":"block-end","index":8,"block":{"type":"text","text":" \n"}},
		{"type":"block-end","index":9,"block":{"type":"chart","text":"x"}},{"type":"text-delta","index":10,"text":" last "}]`)
	assert.JSONEq(t, `[{"type":"reasoning","text":"\u0085"},{"type":"text","text":"\u180e"},{"type":"text","text":"\u200b"},
		{"type":"text","text":"a","x":1},{"type":"text","text":" last "}]`, written(t, a.Interrupted()))

	a.Reset()
	assert.NotNil(t, a.Interrupted())
	assert.Empty(t, a.Interrupted())
}

// Halves of a character meet wherever they come in, and nothing else is changed.
func TestHalvesJoin(t *testing.T) {
	const high, low = "\xed\xa0\xbe", "\xed\xb7\xbe" // of U+1F9FE
	for want, fragments := range map[string][]string{
		"a🧾b":                {"a" + high, low + "b"},
		"🧾":                  {high, "", low},
		"🧾🧾":                 {high, low, high, low},
		high + "🧾":           {high, high, low},
		"🧾" + low:            {high, low, low},
		low + high:           {low, high},
		high + "x" + low:     {high, "x", low},
		high:                 {high},
		"\xed\x9f\xbf\ue000": {"\xed\x9f\xbf", "\ue000"},
		high + "\xed\xb7":    {high, "\xed\xb7"},  // not a half
		high + "\xed\xb7A":   {high, "\xed\xb7A"}, // nor this
		"\xed\xa0A" + low:    {"\xed\xa0A", low},  // nor this
		"𐀀􏿿":                 {"\xed\xa0\x80", "\xed\xb0\x80\xed\xaf\xbf", "\xed\xbf\xbf"},
	} {
		var a assembler.Assembler
		for _, f := range fragments {
			for _, c := range []message.Chunk{
				{Type: message.TextDelta, Index: 0, Text: f}, {Type: message.ReasoningDelta, Index: 1, Text: f},
				{Type: message.ToolCallDelta, Index: 2, ID: "c", ArgumentsDelta: f},
			} {
				require.NoError(t, a.Push(&c))
			}
		}
		r, err := a.Result()
		require.NoError(t, err)
		assert.Equal(t, want, r.Blocks[0].Text)
		assert.Equal(t, want, r.Blocks[1].Text)
		assert.Equal(t, want, r.Blocks[2].Arguments)
	}
}

// The caller may reuse a chunk and the memory behind its texts.
func TestPushCopies(t *testing.T) {
	var a assembler.Assembler
	c := message.Chunk{Type: message.ToolCallDelta, ID: "id", Name: "name", ArgumentsDelta: "a"}
	require.NoError(t, a.Push(&c))
	c = message.Chunk{Type: message.BlockEnd, Index: 1, Block: &message.Block{Type: message.Text, Text: "b"}}
	require.NoError(t, a.Push(&c))
	*c.Block = message.Block{Type: "other"}
	c = message.Chunk{Type: message.UsageChunk, Usage: &message.Usage{Input: 1}}
	require.NoError(t, a.Push(&c))
	c.Usage.Input = 2
	a.Usage().Input = 3
	c = message.Chunk{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}}
	require.NoError(t, a.Push(&c))
	c.Reason.Kind = message.MaxTokens

	r, err := a.Result()
	require.NoError(t, err)
	assert.JSONEq(t, `[{"type":"tool-call","id":"id","name":"name","arguments":"a"},{"type":"text","text":"b"}]`, written(t, r.Blocks))
	assert.Equal(t, int64(1), a.Usage().Input)

	require.NoError(t, a.Push(&message.Chunk{Type: message.ToolCallDelta, ID: "id", ArgumentsDelta: "b"}))
	assert.Equal(t, "a", r.Blocks[0].Arguments, "a result does not change any more")
}

func TestReset(t *testing.T) {
	a := assembler.Assembler{Reference: true}
	pushed(t, &a, `[{"type":"text-delta","index":0,"text":"a"},{"type":"text-delta","index":99,"text":"b"},{"type":"text-delta","text":"c"},
		{"type":"block-end","index":1,"block":{"type":"text","text":"c"}},{"type":"usage","usage":{"inputTokens":1,"outputTokens":1}},
		{"type":"finish","reason":{"kind":"max-tokens"},"replayState":{"response":1}}]`)
	before, err := a.Result()
	require.NoError(t, err)
	a.Reset()
	assert.True(t, a.Reference)
	empty, err := a.Result()
	require.NoError(t, err)
	assert.Equal(t, assembler.Result{Blocks: []message.Block{}}, empty)
	assert.Equal(t, message.Stop, a.Finish().Kind)
	assert.Nil(t, a.Usage())

	pushed(t, &a, `[{"type":"tool-call-delta","index":99,"argumentsDelta":"xyz"},{"type":"text-delta","index":0,"text":"zzz"}]`)
	after, err := a.Result()
	require.NoError(t, err)
	assert.JSONEq(t, `[{"type":"tool-call","id":"call-99","name":"","arguments":"xyz"},{"type":"text","text":"zzz"}]`, written(t, after.Blocks))
	assert.JSONEq(t, `[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"},{"type":"text","text":"c"}]`, written(t, before.Blocks))
}

// Once the buffers have grown, a delta takes no memory, whatever its index.
func TestDeltasAllocateNothing(t *testing.T) {
	chunks := []message.Chunk{
		{Type: message.TextDelta, Index: 0, Text: "text "},
		{Type: message.ReasoningDelta, Index: 1, Text: "thought\xed\xa0\xbe"},
		{Type: message.ReasoningDelta, Index: 1, Text: "\xed\xb7\xbe"},
		{Type: message.ToolCallDelta, Index: 2, ID: "call_1", Name: "name", ArgumentsDelta: `{"a":1`},
		{Type: message.TextDelta, Index: 1e9, Text: "text "},
		{Type: message.TextDelta, Index: -0.5, Text: "text "},
		{Type: message.TextDelta, Index: math.NaN(), Text: "text "},
	}
	var a assembler.Assembler
	fill := func() {
		for range 100 {
			for i := range chunks {
				_ = a.Push(&chunks[i])
			}
		}
	}
	for range 4 {
		fill()
	}
	a.Reset()
	for i := range chunks { // the blocks are opened, and ids copied
		require.NoError(t, a.Push(&chunks[i]))
	}
	assert.Zero(t, testing.AllocsPerRun(2, fill))
	r, err := a.Result()
	require.NoError(t, err)
	assert.Equal(t, 301, strings.Count(r.Blocks[1].Text, "thought🧾"))
}

// A new assembler's buffer doubles: a text that is 16 times as long costs four allocations more.
func TestGrowthIsLogarithmic(t *testing.T) {
	const small = 5
	for _, c := range []message.Chunk{
		{Type: message.TextDelta, Text: "abcde"}, {Type: message.ReasoningDelta, Text: "abcde"},
		{Type: message.ToolCallDelta, ID: "c", Name: "n", ArgumentsDelta: "abcde"},
	} {
		allocations := func(size int) float64 {
			return testing.AllocsPerRun(2, func() {
				var a assembler.Assembler
				for range size / small {
					_ = a.Push(&c)
				}
			})
		}
		of64KB := allocations(64 << 10)
		require.LessOrEqual(t, of64KB, 16.0, c.Type) // from 256 bytes on in 8 steps, and a few that do not grow
		assert.LessOrEqual(t, allocations(1<<20)-of64KB, 4.0, c.Type)
	}
}

// A hostile index costs no more than a block.
func TestIndexesCostNoTable(t *testing.T) {
	var a assembler.Assembler
	index := 1.0
	for range 1000 {
		index *= 2
		require.NoError(t, a.Push(&message.Chunk{Type: message.TextDelta, Index: index, Text: "x"}))
		require.NoError(t, a.Push(&message.Chunk{Type: message.TextDelta, Index: -index, Text: "y"}))
		require.NoError(t, a.Push(&message.Chunk{Type: message.TextDelta, Index: 1 / index, Text: "z"}))
	}
	r, err := a.Result()
	require.NoError(t, err)
	assert.Len(t, r.Blocks, 3000)
}
