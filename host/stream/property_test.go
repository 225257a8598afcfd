package stream_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/stream"
)

var propertyTools = []string{"read", "ls", "todo", "find", "task", "subagent"}

// anyPart draws a part of any kind, with ids and names from few.
func anyPart(t *rapid.T) stream.Part {
	p := stream.Part{
		ID:    rapid.SampledFrom([]string{"", "a", "b", "c", "a#0"}).Draw(t, "id"),
		Delta: rapid.SampledFrom([]string{"", "x", "é", "\xed\xa0\xbd", "word ", "{\"a\":", "\n"}).Draw(t, "delta"),
	}
	p.Type = rapid.SampledFrom([]string{
		stream.PartTextStart, stream.PartTextDelta, stream.PartTextDelta, stream.PartTextEnd, stream.PartReasoningStart, stream.PartReasoningDelta,
		stream.PartReasoningEnd, stream.PartToolInputStart, stream.PartToolInputDelta, stream.PartToolInputEnd, stream.PartToolCall, stream.PartToolCall,
		stream.PartToolResult, stream.PartFile, "source", "",
	}).Draw(t, "type")
	if rapid.IntRange(0, 3).Draw(t, "with metadata") == 0 {
		p.Metadata = json.RawMessage(rapid.SampledFrom([]string{`{"p":{"a":1}}`, `{"p":{"a":2,"b":1}}`, `{"q":{}}`, `7`, `{`}).Draw(t, "metadata"))
	}
	switch p.Type {
	case stream.PartToolInputStart, stream.PartToolCall, stream.PartToolResult:
		p.ToolName = rapid.SampledFrom([]string{"read", "ls", "todowrite", "glob", "task"}).Draw(t, "tool")
		p.ProviderExecuted = rapid.IntRange(0, 9).Draw(t, "theirs") == 0
		p.Input = rapid.SampledFrom([]string{
			"", "{}", `{"filePath":"/a;/b"}`, `{"todos":[{"content":"x","status":"completed"}]}`, `[1]`, `{"a":`, `{"prompt":"p"}`,
		}).Draw(t, "input")
		p.Result = json.RawMessage(`{"r":1}`)
	case stream.PartFile:
		p.MediaType = rapid.SampledFrom([]string{"image/png", "text/plain", ""}).Draw(t, "media type")
		p.Data = json.RawMessage(rapid.SampledFrom([]string{`"AQI="`, `{"type":"url","url":"u"}`, `7`, ``}).Draw(t, "data"))
	}
	return p
}

func anyConfig(t *rapid.T, tb testing.TB) *stream.Config {
	cfg := configFor(tb, rapid.SampledFrom([]string{"pi", "omp"}).Draw(t, "host"), propertyTools...)
	cfg.Reference = rapid.Bool().Draw(t, "reference")
	cfg.Unchecked = rapid.IntRange(0, 2).Draw(t, "checked") > 0
	return cfg
}

// Any order of parts: the first event is the start, one terminal event is the last, indices are dense, no
// delta or end comes before its start, and texts are what their deltas were.
func TestAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := anyConfig(rt, t)
		parts := rapid.SliceOfN(rapid.Custom(anyPart), 0, 40).Draw(rt, "parts")
		if rapid.Bool().Draw(rt, "finished") {
			parts = append(parts, stream.Part{Type: stream.PartFinish, FinishReason: json.RawMessage(`"stop"`)})
		}
		r := &ran{}
		for e := range stream.Translate(context.Background(), cfg, valuesOf(parts)) {
			r.take(e)
		}
		checkGrammar(rt, r)
	})
}

func checkGrammar(t require.TestingT, r *ran) {
	require.NotEmpty(t, r.raw)
	require.Equal(t, stream.EventStart, r.raw[0].Type)
	var texts []string
	for i, e := range r.raw {
		require.Same(t, r.raw[0].Message, e.Message)
		require.True(t, json.Valid(e.AppendJSON(nil, false)))
		require.NotContains(t, string(e.AppendJSON(nil, true)), "\n")
		kind, step, _ := strings.Cut(e.Type, "_")
		if step != "" && step != "start" && kind != "image" {
			require.Less(t, e.ContentIndex, len(texts), "a block is not there yet")
		}
		switch e.Type {
		case stream.EventStart:
			require.Zero(t, i, "a second start")
		case stream.EventDone, stream.EventError:
			require.Equal(t, len(r.raw)-1, i, "an event behind the end")
			require.Equal(t, e.Reason, e.Message.StopReason)
		case stream.EventTextStart, stream.EventThinkingStart, stream.EventToolCallStart, stream.EventImageEnd:
			require.Equal(t, len(texts), e.ContentIndex, "indices are not dense")
			texts = append(texts, "")
		case stream.EventTextDelta, stream.EventThinkingDelta:
			texts[e.ContentIndex] += e.Delta
		case stream.EventTextEnd, stream.EventThinkingEnd:
			require.Equal(t, texts[e.ContentIndex], e.Content)
		case stream.EventToolCallEnd:
			require.Equal(t, string(r.events[i]), string(e.AppendJSON(nil, false)), "an event has changed")
		}
		if e.Type != stream.EventDone && e.Type != stream.EventError {
			require.Len(t, r.snapshots[i].Content, len(texts))
		}
		for at, b := range r.snapshots[i].Content {
			if b.Type == stream.BlockText || b.Type == stream.BlockThinking {
				require.Equal(t, texts[at], b.Text())
			}
		}
	}
	require.NotNil(t, r.final, "no terminal event")
	require.Len(t, r.final.Content, len(texts))
	require.True(t, json.Valid(r.final.AppendJSON(nil)))
}

// An answer may be cut anywhere, in the middle of a call's input too, and end in any way. A call in its
// message then either is one that the model has made, whole, or says that it is not to be run: to all who
// read the message in Go, and on hosts that have a place for it, in its JSON.
func TestCutAnywhere(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := configFor(t, rapid.SampledFrom([]string{"pi", "omp"}).Draw(rt, "host"), "ls", "read", "bash")
		cfg.Toolset = toolset(t, cfg.Toolset.Profile().Name, "ls", "web", "mcp")
		reference := rapid.Bool().Draw(rt, "reference")
		cfg.Reference = reference
		whole := map[string]string{}
		var parts []stream.Part
		for i := range rapid.IntRange(1, 4).Draw(rt, "calls") {
			id, tool := fmt.Sprint("c", i), rapid.SampledFrom([]string{"ls", "web", "mcp", "hidden"}).Draw(rt, "tool")
			input := rapid.SampledFrom([]string{`{"path":"/","n":12}`, `{"deep":{"list":[1,{"a":"}"}]}}`, `{"a":"` + strings.Repeat("é", 9) + `"}`}).Draw(rt, "input")
			whole[id] = input
			parts = append(parts, stream.Part{Type: stream.PartToolInputStart, ID: id, ToolName: tool})
			for at := 0; at < len(input); at += 7 {
				parts = append(parts, stream.Part{Type: stream.PartToolInputDelta, ID: id, Delta: input[at:min(at+7, len(input))]})
			}
			parts = append(parts, stream.Part{Type: stream.PartToolInputEnd, ID: id})
			if tool != "hidden" {
				parts = append(parts, stream.Part{Type: stream.PartToolCall, ID: id, ToolName: tool, Input: input})
			}
			parts = append(parts, stream.Part{Type: stream.PartTextDelta, ID: "t", Delta: "so "})
		}
		parts = parts[:rapid.IntRange(0, len(parts)).Draw(rt, "cut")]
		// Some providers make a call of what they have when the line is cut.
		if n := len(parts); n > 0 && parts[n-1].Type == stream.PartToolCall {
			p := &parts[n-1]
			p.Input = p.Input[:rapid.IntRange(1, len(p.Input)).Draw(rt, "input cut")]
		}
		switch rapid.IntRange(0, 3).Draw(rt, "end") {
		case 0:
			parts = append(parts, stream.Part{Type: stream.PartFinish, FinishReason: json.RawMessage(`"tool-calls"`)})
		case 1:
			parts = append(parts, stream.Part{Type: stream.PartFinish, FinishReason: json.RawMessage(`"stop"`)})
		case 2:
			parts = append(parts, stream.Part{Type: stream.PartError, Error: json.RawMessage(`"cut"`)})
		}
		for e := range stream.Translate(context.Background(), cfg, valuesOf(parts)) {
			for _, b := range e.Message.Content {
				if b.Type == stream.BlockToolCall && !b.Incomplete {
					require.Equal(rt, whole[b.ID], string(b.Arguments))
				}
				if b.Incomplete {
					require.Equal(rt, "{}", string(b.Arguments))
				}
			}
			if e.Type == stream.EventDone && cfg.Toolset.Profile().Answer.ArgumentErrors && !reference {
				for _, b := range e.Message.Content {
					if b.Incomplete && b.Name != "" {
						require.Contains(rt, string(b.AppendJSON(nil)), `"argumentsError":"`)
					}
				}
			}
		}
	})
}

// However parts reach the translation, they give the same events.
func TestPushIsPull(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		cfg := anyConfig(rt, t)
		parts := append(rapid.SliceOfN(rapid.Custom(anyPart), 0, 30).Draw(rt, "parts"), stream.Part{Type: stream.PartFinish})
		pulled, pushed := &ran{}, &ran{}
		for e := range stream.Translate(context.Background(), cfg, valuesOf(parts)) {
			pulled.take(e)
		}
		tr := stream.NewTranslator(context.Background(), cfg)
		for i := range parts {
			tr.Part(&parts[i], pushed.take)
		}
		tr.End(nil, pushed.take)
		require.Equal(rt, pulled.events, pushed.events)
		require.Equal(rt, string(pulled.final.AppendJSON(nil)), string(pushed.final.AppendJSON(nil)))
	})
}
