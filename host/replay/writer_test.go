package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

// write returns the chunks of events, as JSON, one a line.
func write(t testing.TB, w *Writer, events ...string) string {
	t.Helper()
	var lines []string
	for _, event := range events {
		chunks, err := w.Event(json.RawMessage(event))
		require.NoError(t, err, event)
		for i := range chunks {
			lines = append(lines, string(chunks[i].AppendJSON(nil)))
		}
	}
	return strings.Join(lines, "\n")
}

// done is a done event with content and, in more, further fields of the message.
func done(reason, content, more string) string {
	return `{"type":"done","reason":"` + reason + `","message":{"role":"assistant","content":[` + content + `],"api":"chat",` +
		`"provider":"north","model":"large","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0},"stopReason":"` +
		reason + `"` + more + `}}`
}

func failed(text string) string {
	return `{"type":"error","reason":"error","error":{"role":"assistant","content":[],"api":"chat","provider":"north",` +
		`"model":"large","usage":{"input":1,"output":0},"stopReason":"error","errorMessage":` + text + `}}`
}

// started are the events of a block of text that is streamed at an index.
func started(index int, text string) []string {
	return []string{
		fmt.Sprintf(`{"type":"text_start","contentIndex":%d}`, index),
		fmt.Sprintf(`{"type":"text_end","contentIndex":%d,"content":%q}`, index, text),
	}
}

func TestWriterChunks(t *testing.T) {
	w := &Writer{Requested: message.Route{Provider: "north", Model: "large"}}
	got := write(t, w,
		`{"type":"start","partial":{}}`,
		`{"type":"thinking_start","contentIndex":0}`,
		`{"type":"thinking_delta","contentIndex":0,"delta":"h\ud83e"}`,
		`{"type":"thinking_end","contentIndex":0,"content":"hm"}`,
		`{"type":"text_start","contentIndex":1}`,
		`{"type":"text_delta","contentIndex":1,"delta":""}`,
		`{"type":"text_end","contentIndex":1,"content":"<yes>"}`,
		`{"type":"toolcall_start","contentIndex":2,"partial":{"content":[{},{},{"type":"toolCall","id":"c1","name":"look"}]}}`,
		`{"type":"toolcall_delta","contentIndex":2,"delta":"{\"b\" : "}`,
		`{"type":"toolcall_end","contentIndex":2,"toolCall":{"id":"c2","name":"see","arguments":{"b":1.0,"1":"<","b":2}}}`,
		`{"type":"something_new","contentIndex":2}`,
		done("toolUse", `{"type":"thinking","thinking":"hm","thinkingSignature":"s1","redacted":true},`+
			`{"type":"text","text":"<yes>","textSignature":"","thoughtSignature":"no"},`+
			`{"type":"toolCall","id":"c2","name":"see","arguments":{},"thoughtSignature":"s3"}`,
			`,"responseId":"r\ud83e","responseModel":""`))
	assert.Equal(t, strings.Join([]string{
		`{"type":"block-start","index":0,"blockType":"reasoning"}`,
		`{"type":"reasoning-delta","index":0,"text":"h\ud83e"}`,
		`{"type":"block-end","index":0,"block":{"type":"reasoning","text":"hm"}}`,
		`{"type":"block-start","index":1,"blockType":"text"}`,
		`{"type":"text-delta","index":1,"text":""}`,
		`{"type":"block-end","index":1,"block":{"type":"text","text":"<yes>"}}`,
		`{"type":"block-start","index":2,"blockType":"tool-call"}`,
		`{"type":"tool-call-delta","index":2,"id":"c1","name":"look","argumentsDelta":"{\"b\" : "}`,
		`{"type":"block-end","index":2,"block":{"type":"tool-call","id":"c2","name":"see","arguments":"{\"1\":\"<\",\"b\":2}"}}`,
		`{"type":"usage","usage":{"inputTokens":10,"outputTokens":5}}`,
		`{"type":"finish","reason":{"kind":"tool-calls"},"replayState":{"response":{"kind":"pi-ai","version":2,"api":"chat",` +
			`"provider":"north","model":"large","responseModel":"","responseId":"r\ud83e","stopReason":"toolUse"},"blocks":[` +
			`{"type":"reasoning","thinkingSignature":"s1","redacted":true},{"type":"text","textSignature":""},` +
			`{"type":"tool-call","thoughtSignature":"s3"}]}}`,
	}, "\n"), got)
	assert.NoError(t, w.End())
	assert.Empty(t, write(t, w, done("stop", ``, ``), `{"type":"text_start","contentIndex":3}`), "nothing comes behind the finish")
}

func TestWriterCallWithoutPartial(t *testing.T) {
	for _, partial := range []string{
		``, `,"partial":null`, `,"partial":{"content":[]}`, `,"partial":{"content":[{},{"type":"text","id":"x","name":"y"}]}`,
		`,"partial":{"content":[{"type":"toolCall","id":"x","name":"y"},{"type":"toolCall","id":7}]}`,
	} {
		got := write(t, &Writer{}, `{"type":"toolcall_start","contentIndex":1`+partial+`}`, `{"type":"toolcall_delta","contentIndex":1,"delta":"x"}`)
		assert.Contains(t, got, `{"type":"tool-call-delta","index":1,"id":"","argumentsDelta":"x"}`, partial)
	}
	first := write(t, &Writer{}, `{"type":"toolcall_start","contentIndex":0,"partial":{"content":[{"type":"toolCall","id":"x"}]}}`,
		`{"type":"toolcall_delta","contentIndex":0,"delta":"x"}`)
	assert.Contains(t, first, `"id":"x"`)
	for _, index := range []string{"-1", "0.5"} { // of no part
		got := write(t, &Writer{}, `{"type":"toolcall_start","contentIndex":`+index+`,"partial":{"content":[{"type":"toolCall","id":"x"}]}}`,
			`{"type":"toolcall_delta","contentIndex":`+index+`,"delta":"x"}`)
		assert.Contains(t, got, `"id":""`, index)
	}
	assert.Contains(t, write(t, &Writer{}, `{"type":"toolcall_delta","contentIndex":1,"delta":"x"}`), `"id":""`)
	assert.Contains(t, write(t, &Writer{}, `{"type":"toolcall_end","contentIndex":1,"toolCall":{}}`), `"arguments":"{}"`)
}

func TestWriterUsage(t *testing.T) {
	for usage, want := range map[string]string{
		`{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":9}`: `{"inputTokens":0,"outputTokens":0}`,
		`{"input":1.0,"output":2e1,"cacheRead":3,"cacheWrite":4,"cost":{}}`:   `{"inputTokens":1,"outputTokens":20,"cacheReadTokens":3,"cacheWriteTokens":4}`,
		`{"input":"1","output":null,"cacheRead":-1,"cacheWrite":0.5}`:         `{"inputTokens":0,"outputTokens":0}`,
		`null`: `{"inputTokens":0,"outputTokens":0}`,
	} {
		got := write(t, &Writer{}, `{"type":"done","message":{"content":[{}],"stopReason":"stop","usage":`+usage+`}}`)
		assert.Contains(t, got, `{"type":"usage","usage":`+want+`}`)
	}
}

// last returns the finish chunk of events.
func last(t testing.TB, w *Writer, events ...string) message.Chunk {
	t.Helper()
	for _, event := range events {
		chunks, err := w.Event(json.RawMessage(event))
		require.NoError(t, err)
		if n := len(chunks); n > 0 && chunks[n-1].Type == message.FinishChunk {
			return chunks[n-1]
		}
	}
	t.Fatal("no finish")
	return message.Chunk{}
}

// finishOf is the kind and the code of a finish.
func finishOf(c message.Chunk) string {
	if c.Reason.Failure == nil {
		return c.Reason.Kind
	}
	return c.Reason.Kind + " " + c.Reason.Failure.Code
}

func TestWriterFinish(t *testing.T) {
	const part = `{"type":"thinking","thinking":""}`
	usage := func(input, output, read, write int) string {
		return fmt.Sprintf(`,"usage":{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d}`, input, output, read, write)
	}
	for _, c := range []struct {
		event  string
		window int64
		want   string
		state  bool // is there an envelope, in default mode?
	}{
		{event: done("stop", part, ""), want: "stop", state: true},
		{event: done("stop", "", ""), want: "error EMPTY_RESPONSE", state: true},
		{event: done("length", "", ""), want: "max-tokens", state: true},
		{event: done("toolUse", "", ""), want: "tool-calls", state: true},
		{event: done("pause", "", ""), want: "pause", state: true},
		// An answer that failed is none to go on from, whichever event it comes in.
		{event: done("error", part, `,"errorMessage":"429"`), want: "error RATE_LIMIT"},
		{event: done("aborted", part, ""), want: "aborted ABORTED"},
		{event: `{"type":"done","reason":"length","message":{}}`, want: "max-tokens", state: true},
		{event: `{"type":"done","message":{"content":[{}]}}`, want: "stop", state: true},
		{event: failed(`"x"`), want: "error PI_AI_ERROR"},
		{event: failed(`null`), want: "error PI_AI_ERROR"},
		{event: failed(`"prompt is too long"`), want: "error CONTEXT_WINDOW_EXCEEDED"},
		{event: `{"type":"error","reason":"aborted","error":{"stopReason":"aborted","errorMessage":"prompt is too long"}}`, want: "aborted ABORTED"},
		{event: `{"type":"error","reason":"aborted","error":{}}`, want: "aborted ABORTED"},
		{event: `{"type":"error","error":{}}`, want: "error PI_AI_ERROR"},
		{event: `{"type":"error","reason":"error","error":{"stopReason":"stop","content":[{}]}}`, want: "error PI_AI_ERROR"},

		{event: done("stop", part, usage(90, 3, 10, 0)), window: 100, want: "stop", state: true},
		{event: done("stop", part, usage(90, 3, 11, 0)), window: 100, want: "error CONTEXT_WINDOW_EXCEEDED", state: true},
		{event: done("stop", part, usage(90, 3, 10, 6)), window: 100, want: "stop", state: true}, // what is new in the cache does not count
		{event: done("stop", part, usage(900, 3, 0, 0)), want: "stop", state: true},
		{event: done("length", part, usage(99, 0, 0, 0)), window: 100, want: "error CONTEXT_WINDOW_EXCEEDED", state: true},
		{event: done("length", part, usage(9, 0, 90, 0)), window: 100, want: "error CONTEXT_WINDOW_EXCEEDED", state: true},
		{event: done("length", part, usage(98, 0, 0, 0)), window: 100, want: "max-tokens", state: true},
		{event: done("length", part, usage(200, 1, 0, 0)), window: 100, want: "max-tokens", state: true},
		{event: done("toolUse", part, usage(200, 0, 0, 0)), window: 100, want: "tool-calls", state: true},
	} {
		got := last(t, &Writer{ContextWindow: c.window}, c.event)
		assert.Equal(t, c.want, finishOf(got), c.event)
		assert.Equal(t, c.state, got.ReplayState != nil, c.event)
		if f := got.Reason.Failure; f != nil {
			assert.NotEmpty(t, f.Message, c.event)
		}
		// The reference attaches an envelope to every done event.
		got = last(t, &Writer{ContextWindow: c.window, Reference: true}, c.event)
		assert.Equal(t, c.want, finishOf(got), c.event)
		assert.Equal(t, strings.Contains(c.event, `"type":"done"`), got.ReplayState != nil, c.event)
	}
}

func TestWriterEntriesInOrderOfEmission(t *testing.T) {
	const parts = `{"type":"text","text":"a","textSignature":"0"},{"type":"text","text":"b","textSignature":"1"}`
	// entries returns the signatures in the envelope, "-" for none.
	entries := func(w *Writer, events ...string) string {
		c := last(t, w, events...)
		if c.ReplayState == nil {
			return "-"
		}
		var envelope struct {
			Blocks []struct{ TextSignature string }
		}
		require.NoError(t, json.Unmarshal(c.ReplayState, &envelope))
		var all []string
		for _, b := range envelope.Blocks {
			all = append(all, b.TextSignature)
		}
		return strings.Join(all, "")
	}
	finish := done("stop", parts, "")
	both := func(a, b int) []string { return append(append(started(a, "x"), started(b, "y")...), finish) }
	for _, c := range []struct {
		name              string
		events            []string
		want, ofReference string
	}{
		{"in order", both(0, 1), "01", "01"},
		{"the higher one first", both(1, 0), "10", "01"},
		{"an index again", append(started(1, "x"), both(0, 1)...), "10", "01"},
		{"as many, but others", both(0, 2), "-", "01"},
		{"as many, one negative", both(0, -1), "-", "01"},
		{"too few", append(started(1, "x"), finish), "01", "01"},
		{"too many", append(started(2, "x"), both(1, 0)...), "01", "01"},
		{"none", []string{finish}, "01", "01"},
		{"a fraction", []string{`{"type":"text_start","contentIndex":0.5}`, `{"type":"text_start","contentIndex":1}`, finish}, "-", "01"},
		{"by their deltas", []string{
			`{"type":"text_delta","contentIndex":1,"delta":""}`, `{"type":"text_delta","contentIndex":0,"delta":""}`, finish,
		}, "10", "01"},
	} {
		assert.Equal(t, c.want, entries(&Writer{}, c.events...), c.name)
		assert.Equal(t, c.ofReference, entries(&Writer{Reference: true}, c.events...), c.name)
	}
}

func TestWriterWritesNoStateThatWouldNotBeRead(t *testing.T) {
	got := last(t, &Writer{}, done("stop", `{"type":"text","textSignature":7},{"type":"thinking","thinkingSignature":null,"redacted":"x"},{"type":"image"}`,
		`,"responseId":null,"responseModel":5`))
	assert.JSONEq(t, `{"response":{"kind":"pi-ai","version":2,"api":"chat","provider":"north","model":"large","stopReason":"stop"},`+
		`"blocks":[{"type":"text"},{"type":"reasoning"},{"type":"image"}]}`, string(got.ReplayState))
}

func TestWriterAnswered(t *testing.T) {
	for requested, want := range map[message.Route]*message.Route{
		{Provider: "north", Model: "large"}: nil,
		{Provider: "north", Model: "small"}: {Provider: "north", Model: "large"},
		{Provider: "south", Model: "large"}: {Provider: "north", Model: "large"},
		{}:                                  nil, // not known
	} {
		event := done("stop", `{"type":"text","text":"x"}`, "")
		assert.Equal(t, want, last(t, &Writer{Requested: requested}, event).Answered)
		assert.Nil(t, last(t, &Writer{Requested: requested, Reference: true}, event).Answered)
	}
	asked := message.Route{Provider: "a", Model: "b"}
	assert.Nil(t, last(t, &Writer{Requested: asked}, `{"type":"done","message":{"provider":"north","content":[]}}`).Answered, "half a route is none")
	assert.Nil(t, last(t, &Writer{Requested: message.Route{Provider: "north", Model: "large"}},
		done("stop", `{}`, `,"responseModel":"other"`)).Answered)
}

func TestWriterStreamClosed(t *testing.T) {
	w := &Writer{}
	write(t, w, started(0, "x")...)
	var f *message.Failure
	require.True(t, errors.As(w.End(), &f))
	assert.Equal(t, "STREAM_CLOSED", f.Code)
	assert.NotEmpty(t, f.Message)
	// It may be said too early.
	write(t, w, done("stop", `{}`, ""))
	assert.NoError(t, w.End())
}

func TestWriterRefusesMalformedEvents(t *testing.T) {
	w := &Writer{}
	for _, event := range []string{
		``, `{`, `null`, `[]`, `{}`, `{"type":7}`,
		`{"type":"text_start"}`, `{"type":"text_start","contentIndex":"0"}`, `{"type":"text_delta","contentIndex":0}`,
		`{"type":"thinking_delta","contentIndex":0,"delta":null}`, `{"type":"toolcall_delta","contentIndex":0,"delta":{}}`,
		`{"type":"text_end","contentIndex":0}`, `{"type":"thinking_end","contentIndex":0,"content":1}`,
		`{"type":"toolcall_end","contentIndex":0}`, `{"type":"toolcall_end","contentIndex":0,"toolCall":[]}`,
		`{"type":"done"}`, `{"type":"done","message":null}`, `{"type":"error","message":{}}`,
	} {
		chunks, err := w.Event(json.RawMessage(event))
		assert.Error(t, err, event)
		assert.Empty(t, chunks, event)
	}
	// They leave no trace.
	assert.Error(t, w.End())
	assert.Contains(t, string(last(t, w, append(started(1, "x"), done("stop", `{},{}`, ""))...).ReplayState), `"blocks":[{"type":""},{"type":""}]`)
}
