package stream_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/stream"
)

// chunked translates parts, and assembles their chunks, which have to be legal.
func chunked(t require.TestingT, c *stream.Chunker, cfg *stream.Config, parts []stream.Part) (*ran, assembler.Result, []message.Chunk) {
	r := &ran{}
	var chunks []message.Chunk
	events := func(yield func(stream.Event) bool) {
		for e := range stream.Translate(context.Background(), cfg, valuesOf(parts)) {
			r.take(e)
			if !yield(e) {
				return
			}
		}
	}
	var g assembler.Grammar
	var a assembler.Assembler
	for chunk, err := range c.Chunks(events) {
		require.NoError(t, err)
		require.NoError(t, g.Check(&chunk))
		require.NoError(t, a.Push(&chunk))
		chunks = append(chunks, chunk)
	}
	require.NoError(t, g.End())
	result, err := a.Result()
	require.NoError(t, err)
	return r, result, chunks
}

// Whatever the order of the parts, the chunks are legal, and the durable message is the host's, but for
// calls that must not run.
func TestChunksOfAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := anyConfig(rt, t)
		parts := rapid.SliceOfN(rapid.Custom(anyPart), 0, 40).Draw(rt, "parts")
		for i := range parts {
			// Half a pair is joined with another one only when JSON is written.
			parts[i].Delta = strings.ReplaceAll(parts[i].Delta, "\xed\xa0\xbd", "half")
		}
		if rapid.Bool().Draw(rt, "finished") {
			parts = append(parts, stream.Part{Type: stream.PartFinish, FinishReason: json.RawMessage(`"stop"`)})
		}
		r, result, chunks := chunked(rt, &stream.Chunker{}, cfg, parts)
		require.Len(rt, result.Blocks, len(r.final.Content))
		for i, b := range r.final.Content {
			got := result.Blocks[i]
			switch b.Type {
			case stream.BlockText:
				require.Equal(rt, message.Text, got.Type)
				require.Equal(rt, b.Text(), got.Text)
			case stream.BlockThinking:
				require.Equal(rt, message.Reasoning, got.Type)
				require.Equal(rt, b.Text(), got.Text)
			case stream.BlockImage:
				require.Equal(rt, "[image left out: image/png]", got.Text)
			case stream.BlockToolCall:
				require.Equal(rt, b.ID, got.ID)
				require.Equal(rt, b.Name, got.Name)
				if b.Incomplete {
					require.False(rt, got.Arguments == "" || json.Valid([]byte(got.Arguments)), got.Arguments)
				} else {
					require.JSONEq(rt, string(b.Arguments), got.Arguments)
				}
			}
		}
		for cut := range chunks { // the chunks may be cut too
			var a assembler.Assembler
			for i := range chunks[:cut] {
				require.NoError(rt, a.Push(&chunks[i]))
			}
			result, err := a.Result()
			require.NoError(rt, err)
			for i, b := range result.Blocks {
				whole := r.final.Content[i]
				if b.Type == message.ToolCall && b.Name != "" && json.Valid([]byte(b.Arguments)) {
					require.False(rt, whole.Incomplete)
					require.JSONEq(rt, string(whole.Arguments), b.Arguments)
				}
			}
		}
		finish := chunks[len(chunks)-1]
		if r.final.StopReason == stream.StopStop && len(r.final.Content) > 0 {
			require.NotNil(rt, finish.ReplayState)
			require.Nil(rt, result.Discarded)
		}
	})
}

func TestChunksOfOneAnswer(t *testing.T) {
	parts := parse(t,
		`{"type":"text-start","id":"1"}`,
		`{"type":"text-delta","id":"1","delta":"Look"}`,
		`{"type":"text-end","id":"1"}`,
		`{"type":"text-delta","id":"1","delta":"ing.","providerMetadata":{"acme":{"sig":"s"}}}`,
		`{"type":"tool-input-start","id":"c","toolName":"read"}`,
		`{"type":"tool-input-delta","id":"c","delta":"{\"filePath\":\"/a;/b\"}"}`,
		`{"type":"tool-call","toolCallId":"c","toolName":"read","input":"{\"filePath\":\"/a;/b\"}"}`,
		`{"type":"finish","finishReason":"tool-calls","usage":{"inputTokens":5,"outputTokens":7}}`)
	_, _, chunks := chunked(t, &stream.Chunker{}, configFor(t, "omp", "read"), parts)
	var lines []string
	for i := range chunks {
		lines = append(lines, string(chunks[i].AppendJSON(nil)))
	}
	assert.Equal(t, []string{
		`{"type":"block-start","index":0,"blockType":"text"}`,
		`{"type":"text-delta","index":0,"text":"Look"}`,
		`{"type":"text-delta","index":0,"text":"ing."}`,
		`{"type":"block-start","index":1,"blockType":"tool-call"}`,
		`{"type":"tool-call-delta","index":1,"id":"c","argumentsDelta":"{\"filePath\":\"/a;/b\"}"}`,
		`{"type":"block-start","index":2,"blockType":"tool-call"}`,
		`{"type":"block-end","index":0,"block":{"type":"text","text":"Looking."}}`,
		`{"type":"block-end","index":1,"block":{"type":"tool-call","id":"c#0","name":"read","arguments":"{\"path\":\"/a\"}"}}`,
		`{"type":"block-end","index":2,"block":{"type":"tool-call","id":"c#1","name":"read","arguments":"{\"path\":\"/b\"}"}}`,
		`{"type":"usage","usage":{"inputTokens":5,"outputTokens":7}}`,
		`{"type":"finish","reason":{"kind":"tool-calls"},"replayState":{"response":{"kind":"pi-ai","version":2,` +
			`"api":"a","provider":"p","model":"m","stopReason":"toolUse"},"blocks":[{"type":"text",` +
			`"textSignature":"{\"acme\":{\"sig\":\"s\"}}"},{"type":"tool-call"},{"type":"tool-call"}]}}`,
	}, lines)
}

// What the model has given is kept as it gave it, and never made to run.
func TestChunksOfUnusableCalls(t *testing.T) {
	for _, c := range []struct {
		name, want string
		lines      []string
	}{
		{"no input at all", "{", []string{`{"type":"tool-input-start","id":"c","toolName":"ls"}`}},
		{"cut", `{"a":`, []string{
			`{"type":"tool-input-start","id":"c","toolName":"ls"}`, `{"type":"tool-input-delta","id":"c","delta":"{\"a\":"}`,
		}},
		{"cut where it reads as JSON", `{}{`, []string{
			`{"type":"tool-input-start","id":"c","toolName":"ls"}`, `{"type":"tool-input-delta","id":"c","delta":"{}"}`,
		}},
		{"no JSON", `{"a":`, []string{`{"type":"tool-call","toolCallId":"c","toolName":"ls","input":"{\"a\":"}`}},
		{"cut before it says anything", " \n{", []string{
			`{"type":"tool-input-start","id":"c","toolName":"ls"}`, `{"type":"tool-input-delta","id":"c","delta":" \n"}`,
		}},
		{"streamed, and blank in the call", `{"a":`, []string{
			`{"type":"tool-input-start","id":"c","toolName":"ls"}`, `{"type":"tool-input-delta","id":"c","delta":"{\"a\":"}`,
			`{"type":"tool-call","toolCallId":"c","toolName":"ls","input":" "}`,
		}},
		{"a text", `"go"{`, []string{`{"type":"tool-call","toolCallId":"c","toolName":"ls","input":"\"go\""}`}},
	} {
		for _, host := range []string{"pi", "omp"} {
			parts := parse(t, append(c.lines, finishStop)...)
			_, result, _ := chunked(t, &stream.Chunker{}, configFor(t, host, "ls"), parts)
			require.Len(t, result.Blocks, 1, c.name)
			assert.Equal(t, "ls", result.Blocks[0].Name, c.name)
			assert.Equal(t, c.want, result.Blocks[0].Arguments, "%s on %s", c.name, host)
		}
	}
}

func TestChunksOfImages(t *testing.T) {
	parts := parse(t, `{"type":"file","mediaType":"image/png","data":"AQI="}`, finishStop)
	c := &stream.Chunker{Image: func(mediaType, data string) string { return mediaType + " " + data }}
	_, result, _ := chunked(t, c, configFor(t, "omp"), parts)
	require.Len(t, result.Blocks, 1)
	assert.Equal(t, "image/png AQI=", result.Blocks[0].Text)
	assert.JSONEq(t, `{"type":"text"}`, string(entries(t, result)[0]))
}

// Calls that the provider ran itself are in the envelope.
func TestChunksOfTheirCalls(t *testing.T) {
	parts := parse(t,
		`{"type":"tool-call","toolCallId":"s","toolName":"search","input":"{\"q\":1}","providerExecuted":true}`,
		`{"type":"tool-result","toolCallId":"s","toolName":"search","result":[2],"providerExecuted":true}`,
		`{"type":"text-delta","id":"1","delta":"Found."}`, finishStop)
	_, result, _ := chunked(t, &stream.Chunker{}, configFor(t, "pi"), parts)
	var state struct {
		Response struct{ ProviderExecuted json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(result.ReplayState, &state))
	assert.JSONEq(t, `[{"at":0,"toolCallId":"s","toolName":"search","input":{"q":1},"result":[2]}]`,
		string(state.Response.ProviderExecuted))
}

// A failed answer ends its blocks too, and has no envelope.
func TestChunksOfFailures(t *testing.T) {
	parts := parse(t, `{"type":"text-delta","id":"1","delta":"So far"}`, `{"type":"error","error":{"message":"rate limit"}}`)
	_, result, chunks := chunked(t, &stream.Chunker{}, configFor(t, "pi"), parts)
	assert.Equal(t, "So far", result.Blocks[0].Text)
	assert.Nil(t, result.ReplayState)
	finish := chunks[len(chunks)-1].Reason
	assert.Equal(t, message.Failed, finish.Kind)
	assert.Equal(t, "RATE_LIMIT", finish.Failure.Code)
	_, err := new(stream.Chunker).Event(&stream.Event{Type: stream.EventDone})
	assert.ErrorContains(t, err, "no message")
	for range new(stream.Chunker).Chunks(stream.Translate(t.Context(), &stream.Config{}, valuesOf(parts))) {
		break
	}
	for _, err := range new(stream.Chunker).Chunks(stream.Translate(t.Context(), &stream.Config{}, valuesOf(parts))) {
		assert.ErrorContains(t, err, "set all of Config.Model")
	}
}

// An answer that has filled the context of its model has not just come to its end.
func TestChunksKnowTheContextWindow(t *testing.T) {
	parts := parse(t, `{"type":"text-delta","id":"1","delta":"x"}`,
		`{"type":"finish","finishReason":"stop","usage":{"inputTokens":1001,"outputTokens":1}}`)
	for window, want := range map[int64]string{0: message.Stop, 5000: message.Stop, 1000: message.Failed} {
		_, _, chunks := chunked(t, &stream.Chunker{ContextWindow: window}, configFor(t, "pi"), parts)
		assert.Equal(t, want, chunks[len(chunks)-1].Reason.Kind, window)
	}
}

// A route that answers for another one is told.
func TestChunksNameTheRoute(t *testing.T) {
	c := &stream.Chunker{Requested: message.Route{Provider: "p", Model: "other"}}
	_, _, chunks := chunked(t, c, configFor(t, "pi"), parse(t, `{"type":"text-delta","id":"1","delta":"x"}`, finishStop))
	assert.Equal(t, &message.Route{Provider: "p", Model: "m"}, chunks[len(chunks)-1].Answered)
}

func entries(t *testing.T, result assembler.Result) []json.RawMessage {
	var state struct{ Blocks []json.RawMessage }
	require.NoError(t, json.Unmarshal(result.ReplayState, &state))
	return state.Blocks
}
