package sidecar

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

// harbour is a model of the tests.
var harbour = object{"id": "m-1", "api": "acme-bridge", "provider": "acme"}

// openStream opens a stream that lets all tools pass.
func (c *testClient) openStream(more object) string {
	params := object{"host": "pi", "model": harbour, "unchecked": true}
	for key, value := range more {
		params[key] = value
	}
	var opened struct {
		Stream string
		Window int
	}
	require.NoError(c.t, json.Unmarshal(c.must("stream/open", params), &opened))
	assert.Equal(c.t, streamWindow, opened.Window)
	return opened.Stream
}

func (c *testClient) push(params object) pushAnswer {
	var got pushAnswer
	require.NoError(c.t, json.Unmarshal(c.must("stream/push", params), &got))
	return got
}

func part(kind, id, delta string) object {
	return object{"type": kind, "id": id, "delta": delta}
}

var finishPart = object{"type": "finish", "finishReason": "stop", "usage": object{"inputTokens": 3, "outputTokens": 2, "totalTokens": 5}}

func newStreamClient(t *testing.T) *testClient {
	c := newTestClient(t, Options{}, nil)
	c.initialize(object{"agentDir": t.TempDir(), "config": object{"adapters": false}})
	return c
}

// kinds are the types of events.
func kinds(events []json.RawMessage) string {
	var types []string
	for _, raw := range events {
		var e struct{ Type string }
		_ = json.Unmarshal(raw, &e)
		types = append(types, e.Type)
	}
	return strings.Join(types, " ")
}

func TestStreamIsClosedByItsLastEvent(t *testing.T) {
	c := newStreamClient(t)
	id := c.openStream(nil)
	assert.Equal(t, "start text_start text_delta", kinds(c.push(object{"stream": id, "parts": []any{part("text-delta", "a", "x")}}).Events))
	assert.Equal(t, "", kinds(c.push(object{"stream": id}).Events), "a push of nothing is a look")
	last := c.push(object{"stream": id, "parts": []any{finishPart, part("text-delta", "a", "behind the finish")}})
	assert.Equal(t, "done", kinds(last.Events))
	assert.Nil(t, last.Failure)
	assert.Nil(t, last.Assembled)
	assert.Equal(t, codeNoStream, c.refused("stream/push", object{"stream": id}).Code)
	c.must("stream/close", object{"stream": id})
	c.must("stream/close", object{"stream": "s99"})
	assert.Equal(t, codeNoStream, c.refused("stream/push", object{"stream": "s99"}).Code)
}

func TestClosedStreamTakesNothing(t *testing.T) {
	c := newStreamClient(t)
	id := c.openStream(nil)
	c.must("stream/close", object{"stream": id})
	assert.Equal(t, codeNoStream, c.refused("stream/push", object{"stream": id}).Code)
}

func TestStreamEndsOtherwise(t *testing.T) {
	c := newStreamClient(t)
	begun := []any{object{"type": "tool-input-start", "id": "c", "toolName": "read"}}
	for name, in := range map[string]struct {
		push                  object
		reason, failure, text string
	}{
		"no finish":             {object{"end": true}, "error", "missing-finish", ""},
		"an exception":          {object{"error": object{"name": "TypeError", "message": "terminated"}}, "error", "reported", "terminated"},
		"an exception, a text":  {object{"error": "gone"}, "error", "reported", "gone"},
		"an exception recorded": {object{"parts": append(begun, object{"$throw": object{"message": "cut"}}, finishPart)}, "error", "reported", "cut"},
		"aborted":               {object{"aborted": true, "end": true}, "aborted", "", ""},
		"aborted, then thrown":  {object{"aborted": true, "error": object{"message": "AbortError"}}, "aborted", "", ""},
		"finished all the same": {object{"aborted": true, "parts": append(begun, finishPart), "end": true}, "stop", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			push := object{"stream": c.openStream(nil), "parts": begun}
			for key, value := range in.push {
				push[key] = value
			}
			got := c.push(push)
			var last struct {
				Reason string
				Error  struct{ ErrorMessage string }
			}
			require.NoError(t, json.Unmarshal(got.Events[len(got.Events)-1], &last))
			assert.Equal(t, in.reason, last.Reason)
			if in.failure == "" {
				assert.Nil(t, got.Failure)
			} else {
				assert.Equal(t, in.failure, got.Failure.Kind)
			}
			if in.text != "" {
				assert.Equal(t, in.text, last.Error.ErrorMessage)
			}
			assert.NotEmpty(t, got.Incomplete, "the call has not come")
		})
	}
}

func TestUnadvertisedToolOfAStream(t *testing.T) {
	c := newStreamClient(t)
	call := object{"type": "tool-call", "toolCallId": "c", "toolName": "rm", "input": "{}"}
	tools := []any{object{"name": "read", "parameters": object{"type": "object"}}}
	for name, in := range map[string]struct {
		open object
		tool string
	}{
		"the tools' catalog": {object{"unchecked": false, "tools": tools}, "rm"},
		"no tools":           {object{"unchecked": false}, "rm"},
		"allowed":            {object{"unchecked": false, "tools": tools, "allow": []string{"rm"}}, ""},
		"unchecked":          {object{"tools": tools}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.push(object{"stream": c.openStream(in.open), "parts": []any{call, finishPart}})
			if in.tool == "" {
				assert.Nil(t, got.Failure)
				return
			}
			require.NotNil(t, got.Failure)
			assert.Equal(t, "unadvertised-tool rm", got.Failure.Kind+" "+got.Failure.Tool)
		})
	}
}

func TestStreamParamsAreChecked(t *testing.T) {
	c := newStreamClient(t)
	for want, params := range map[string]object{
		"params.host":             {"host": "emacs", "model": harbour},
		"params.model":            {"host": "pi", "model": object{"id": "m"}, "assemble": true},
		"params.files":            {"host": "pi", "model": harbour, "files": "here"},
		"params.tools":            {"host": "pi", "model": harbour, "tools": []any{object{"name": 3}}},
		"params.model.cost.input": {"host": "pi", "model": object{"cost": object{"input": "2"}}},
	} {
		fault := c.refused("stream/open", params)
		assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code)
		assert.Contains(t, fault.Message, want)
	}
	id := c.openStream(nil)
	for want, more := range map[string]object{
		"params.parts: want a list":          {"parts": object{}},
		"params.parts: part 1 is no object":  {"parts": []any{part("text-delta", "a", "x"), 7}},
		"params.parts: more than 1024":       {"parts": make([]struct{}, streamWindow+1)},
		"params.end: want true or false":     {"end": "yes"},
		"params.aborted: want true or false": {"aborted": 1},
		"params.stream: want a text":         {"stream": 1},
	} {
		params := object{"stream": id, "parts": []any{part("text-delta", "a", "never")}}
		for key, value := range more {
			params[key] = value
		}
		fault := c.refused("stream/push", params)
		assert.Equal(t, jsonrpc.CodeInvalidParams, fault.Code, want)
		assert.Contains(t, fault.Message, want)
	}
	got := c.push(object{"stream": id, "parts": nil, "end": nil, "error": nil, "aborted": nil, "other": 1})
	assert.Empty(t, got.Events, "nothing of a push that was refused is translated")
}

func TestStreamsAreBounded(t *testing.T) {
	c := newStreamClient(t)
	var ids []string
	for range maxStreams {
		ids = append(ids, c.openStream(nil))
	}
	fault := c.refused("stream/open", object{"host": "pi", "model": harbour})
	assert.Equal(t, jsonrpc.CodeTooMuch, fault.Code)
	assert.JSONEq(t, fmt.Sprintf(`{"limit":%d}`, maxStreams), string(fault.Data))
	c.must("stream/close", object{"stream": ids[0]})
	c.openStream(nil)
}

// A block may end many times, each time with its whole text.
func TestAnswerOfAPushIsBounded(t *testing.T) {
	c := newStreamClient(t)
	id := c.openStream(nil)
	c.push(object{"stream": id, "parts": []any{part("text-delta", "a", strings.Repeat("x", 1<<20))}})
	ends := make([]any, 100)
	for i := range ends {
		ends[i] = object{"type": "text-end", "id": "a"}
	}
	assert.Equal(t, "text_end text_end", kinds(c.push(object{"stream": id, "parts": ends[:2]}).Events))
	fault := c.refused("stream/push", object{"stream": id, "parts": ends})
	assert.Equal(t, jsonrpc.CodeTooMuch, fault.Code)
	assert.Equal(t, codeNoStream, c.refused("stream/push", object{"stream": id}).Code, "it is closed")
}

func TestStreamsSideBySide(t *testing.T) {
	c := newStreamClient(t)
	const streams, pushes = 8, 20
	done := make(chan error, streams)
	for n := range streams {
		id := c.openStream(object{"assemble": true, "chunks": true})
		go func() { done <- c.pushWords(id, n, pushes) }()
	}
	for range streams {
		assert.NoError(t, receive(t, done))
	}
}

func (c *testClient) pushWords(id string, n, pushes int) error {
	want := ""
	for i := range pushes {
		word := fmt.Sprintf("%d.%d ", n, i)
		want += word
		if err := c.Call(context.Background(), "stream/push", object{"stream": id, "parts": []any{part("text-delta", "a", word)}}, nil); err != nil {
			return err
		}
	}
	var last struct{ Assembled wholeMessage }
	if err := c.Call(context.Background(), "stream/push", object{"stream": id, "parts": []any{finishPart}}, &last); err != nil {
		return err
	}
	if got := last.Assembled.Message.Content[0].Text; got != want || !last.Assembled.Keep {
		return fmt.Errorf("%q instead of %q", got, want)
	}
	return nil
}

// Pushes that are sent ahead keep their order: nothing is read before all of them are written.
func TestPushesAheadKeepTheirOrder(t *testing.T) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), in, out, patient(Options{})) }()
	read, write := jsonrpc.NewReader(fromServer, jsonrpc.DefaultLimits().Message), jsonrpc.NewWriter(toServer)
	send := func(format string, args ...any) {
		require.NoError(t, write.Write(fmt.Appendf(nil, `{"jsonrpc":"2.0",`+format+`}`, args...)))
		require.NoError(t, write.Flush())
	}
	next := func() string {
		frame, err := read.Read()
		require.NoError(t, err)
		return string(frame)
	}
	send(`"id":0,"method":"initialize","params":{"protocol":[1],"agentDir":%q,"config":{"adapters":false}}`, t.TempDir())
	next()
	send(`"id":0,"method":"stream/open","params":{"host":"pi","model":{},"unchecked":true}`)
	next()
	const pushes = 60
	want := strings.Repeat("x", 4<<20) // takes longer than all others together
	first := `{"type":"text-delta","id":"a","delta":"` + want[:len(want)/streamWindow] + `"},`
	send(`"id":"first","method":"stream/push","params":{"stream":"s1","parts":[%s]}`, strings.TrimSuffix(strings.Repeat(first, streamWindow), ","))
	for i := range pushes {
		send(`"id":%d,"method":"stream/push","params":{"stream":"s1","parts":[{"type":"text-delta","id":"a","delta":"%d "}]}`, i, i)
		want += fmt.Sprint(i, " ")
	}
	send(`"id":%d,"method":"stream/push","params":{"stream":"s1","parts":[{"type":"text-end","id":"a"}],"end":true}`, pushes)
	require.Contains(t, next(), `"id":"first","result"`)
	for i := range pushes {
		assert.Contains(t, next(), fmt.Sprintf(`"id":%d,"result"`, i))
	}
	assert.True(t, strings.Contains(next(), fmt.Sprintf(`"content":%q`, want)))
	require.NoError(t, toServer.Close())
	assert.NoError(t, receive(t, ended))
}

func TestBytesOfStreamsAreBounded(t *testing.T) {
	var s streams
	defer s.close()
	open := func() string {
		_, abort := context.WithCancel(t.Context())
		a := &answer{abort: abort}
		require.NoError(t, s.add(a))
		return a.id
	}
	refused := func(id string, bytes int) string {
		_, err := s.take(id, bytes)
		var fault *jsonrpc.Error
		require.ErrorAs(t, err, &fault)
		return string(fault.Data)
	}
	var ids []string
	for range maxAllBytes / maxStreamBytes {
		id := open()
		_, err := s.take(id, maxStreamBytes)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	last := open()
	assert.JSONEq(t, fmt.Sprintf(`{"limit":%d}`, maxAllBytes), refused(last, 1))
	s.remove(ids[0])
	_, err := s.take(last, maxStreamBytes-1)
	require.NoError(t, err, "it was not closed")
	s.remove(ids[1])
	assert.JSONEq(t, fmt.Sprintf(`{"limit":%d}`, maxStreamBytes), refused(last, 2))
	assert.Empty(t, refused(last, 0), "it was closed")
}
