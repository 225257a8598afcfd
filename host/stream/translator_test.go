package stream_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
)

func TestIdSpacesAreApart(t *testing.T) {
	r := translate(t, configFor(t, "omp", "ls"),
		`{"type":"text-delta","id":"x","delta":"t"}`, `{"type":"reasoning-delta","id":"x","delta":"r"}`,
		`{"type":"tool-input-delta","id":"x","delta":"{"}`, `{"type":"text-delta","id":"x","delta":"T"}`,
		`{"type":"reasoning-end","id":"x"}`, `{"type":"text-end","id":"y"}`, `{"type":"reasoning-end","id":"y"}`,
		`{"type":"tool-call","toolCallId":"x","toolName":"ls","input":"{\"a\":1}"}`, finishTools)
	assert.Equal(t, []string{
		`{"type":"start"}`,
		`{"type":"text_start","contentIndex":0}`, `{"type":"text_delta","contentIndex":0,"delta":"t"}`,
		`{"type":"thinking_start","contentIndex":1}`, `{"type":"thinking_delta","contentIndex":1,"delta":"r"}`,
		`{"type":"toolcall_start","contentIndex":2}`, `{"type":"toolcall_delta","contentIndex":2,"delta":"{"}`,
		`{"type":"text_delta","contentIndex":0,"delta":"T"}`, `{"type":"thinking_end","contentIndex":1,"content":"r"}`,
		`{"type":"toolcall_end","contentIndex":2,"toolCall":{"type":"toolCall","id":"x","name":"ls","arguments":{"a":1}}}`,
		`{"type":"done","reason":"toolUse"}`,
	}, r.events)
}

func TestUnknownPartsSayNothing(t *testing.T) {
	r := translate(t, configFor(t, "pi"), `{}`, `{"type":"weather","id":"a","delta":"b"}`, `{"type":"tool-approval-request","toolCallId":"a"}`,
		`{"type":"tool-result","toolCallId":"a","result":1}`, `{"type":"source","id":"a"}`, `{"type":"raw","rawValue":{"type":"error"}}`, finishStop)
	assert.Equal(t, []string{`{"type":"start"}`, `{"type":"done","reason":"stop"}`}, r.events)
}

func TestWithoutToolset(t *testing.T) {
	cfg := &stream.Config{}
	r := translate(t, cfg, `{"type":"tool-call","toolCallId":"c","toolName":"ls","input":"{}"}`)
	assert.Equal(t, stream.UnadvertisedTool, r.final.Failure)
	cfg.Unchecked = true
	r = translate(t, cfg, `{"type":"tool-input-start","id":"d","toolName":"ls"}`,
		`{"type":"tool-call","toolCallId":"c","toolName":"task","input":"{"}`, finishStop)
	assert.Equal(t, `{"type":"toolCall","id":"d","name":"ls","arguments":{}},{"type":"toolCall","id":"c","name":"task","arguments":{}}`,
		content(r.final))
	assert.Positive(t, r.final.Timestamp)
}

// Everything that is said about a message is in its JSON, in the order in which hosts have it.
// Events are marshalled whole, as values and behind pointers.
func TestEventJSON(t *testing.T) {
	r := translate(t, configFor(t, "pi"), `{"type":"text-delta","id":"1","delta":"<"}`, finishStop)
	for _, e := range r.raw {
		for _, v := range []any{e, &e} {
			got, err := json.Marshal(v)
			require.NoError(t, err)
			assert.JSONEq(t, string(e.AppendJSON(nil, true)), string(got))
			assert.Contains(t, string(got), `"role":"assistant"`)
		}
	}
}

func TestMessageJSON(t *testing.T) {
	cfg := configFor(t, "pi", "ls")
	r := translate(t, cfg, `{"type":"text-delta","id":"1","delta":"a\"\ud83d"}`, `{"type":"text-delta","id":"1","delta":"\ude00"}`,
		`{"type":"tool-call","toolCallId":"q","toolName":"w","providerExecuted":true,"input":"{\n}"}`,
		`{"type":"tool-result","toolCallId":"q","result":{"a":`+"\n"+`1},"isError":true}`,
		`{"type":"error","error":""}`)
	usage := `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	block := `{"type":"text","text":"a\"\ud83d\ude00"}`
	want := `{"role":"assistant","content":[` + block + `],"api":"a","provider":"p","model":"m",` + usage +
		`,"stopReason":"error","errorMessage":"","timestamp":7,"providerExecuted":[` +
		`{"at":1,"toolCallId":"q","toolName":"w","input":{},"result":{"a":1},"isError":true}]}`
	assert.Equal(t, want, string(r.final.AppendJSON(nil)))
	last := r.raw[len(r.raw)-1]
	assert.Equal(t, `{"type":"error","reason":"error","error":`+want+`}`, string(last.AppendJSON(nil, true)))
	assert.Equal(t, `{"type":"error","reason":"error"}`, string(last.AppendJSON(nil, false)))
	marshalled, err := r.final.MarshalJSON()
	require.NoError(t, err)
	assert.Equal(t, want, string(marshalled))

	begun := &stream.Event{Type: stream.EventTextStart, Message: r.snapshots[1]}
	assert.Equal(t, `{"type":"text_start","contentIndex":0,"partial":{"role":"assistant","content":[{"type":"text","text":""}],`+
		`"api":"a","provider":"p","model":"m",`+usage+`,"stopReason":"stop","timestamp":7}}`, string(begun.AppendJSON(nil, true)))

	r = translate(t, cfg, finishStop)
	last = r.raw[len(r.raw)-1]
	assert.Equal(t, `{"type":"done","reason":"stop","message":`+string(r.final.AppendJSON(nil))+`}`, string(last.AppendJSON(nil, true)))
	assert.NotContains(t, string(r.final.AppendJSON(nil)), "errorMessage")
}

// A part is not kept: what it was read from can be used again.
func TestPartsAreNotKept(t *testing.T) {
	cfg := configFor(t, "omp", "ls")
	tr := stream.NewTranslator(context.Background(), cfg)
	r := &ran{}
	meta, result := []byte(`{"p":{"k":"v"}}`), []byte(`{"r":1}`)
	tr.Part(&stream.Part{Type: stream.PartTextStart, ID: "1", Metadata: meta}, r.take)
	tr.Part(&stream.Part{Type: stream.PartToolCall, ID: "c", ToolName: "x", ProviderExecuted: true}, r.take)
	no := false
	tr.Part(&stream.Part{Type: stream.PartToolResult, ID: "c", Result: result, IsError: &no}, r.take)
	clear(meta)
	clear(result)
	no = true
	tr.Part(&parse(t, finishStop)[0], r.take)
	assert.Equal(t, `{"p":{"k":"v"}}`, r.final.Content[0].Signature())
	assert.Equal(t, `{"r":1}`, string(r.final.ProviderExecuted[0].Result))
	assert.False(t, *r.final.ProviderExecuted[0].IsError)
}

// Blocks are dense whatever opens them, and an index that was given stays.
func TestManyIds(t *testing.T) {
	const n = 5000
	tr := stream.NewTranslator(context.Background(), configFor(t, "pi"))
	r := &ran{}
	last := stream.Event{}
	take := func(e stream.Event) bool { last = e; return true }
	id := func(i int) string { return string(rune('a'+i%26)) + "-" + string(rune(i)) }
	for round := range 3 {
		for i := range n {
			tr.Part(&stream.Part{Type: stream.PartTextDelta, ID: id(i), Delta: string(rune('0' + round))}, take)
			require.Equal(t, i, last.ContentIndex)
		}
	}
	tr.Part(&parse(t, finishStop)[0], r.take)
	require.Len(t, r.final.Content, n)
	for _, b := range r.final.Content {
		require.Equal(t, "012", b.Text())
	}
}
