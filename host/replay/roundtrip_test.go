package replay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
)

type fields = map[string]any

func encode(t require.TestingT, v any) json.RawMessage {
	raw, err := json.Marshal(v)
	require.NoError(t, err)
	return raw
}

// drawPart draws a native part and the events that stream it at an index.
func drawPart(t *rapid.T, index int) (part fields, events []fields) {
	text := rapid.String()
	kind := rapid.SampledFrom([]string{"text", "thinking", "toolcall"}).Draw(t, "kind")
	event := func(what string, more fields) {
		more["type"], more["contentIndex"] = kind+"_"+what, index
		events = append(events, more)
	}
	signature := func(key string) {
		if rapid.Bool().Draw(t, "signed") {
			part[key] = text.Draw(t, key)
		}
	}
	switch kind {
	case "text":
		part = fields{"type": "text", "text": text.Draw(t, "text")}
		signature("textSignature")
	case "thinking":
		part = fields{"type": "thinking", "thinking": text.Draw(t, "text")}
		signature("thinkingSignature")
		if rapid.Bool().Draw(t, "says redacted") {
			part["redacted"] = rapid.Bool().Draw(t, "redacted")
		}
	case "toolcall":
		part = fields{"type": "toolCall", "id": text.Draw(t, "id"), "name": text.Draw(t, "name")}
		part["arguments"] = rapid.MapOfN(text, rapid.SampledFrom([]any{nil, true, 1.5, "x", []any{1.0}, fields{"y": 2.0}}), 0, 3).Draw(t, "arguments")
		signature("thoughtSignature")
	}
	event("start", fields{})
	for range rapid.IntRange(0, 2).Draw(t, "deltas") {
		event("delta", fields{"delta": text.Draw(t, "delta")})
	}
	switch kind {
	case "text":
		event("end", fields{"content": part["text"]})
	case "thinking":
		event("end", fields{"content": part["thinking"]})
	case "toolcall":
		event("end", fields{"toolCall": part})
	}
	return part, events
}

// assemble pushes events through a writer and an assembler, and makes the message that is stored.
func assemble(t require.TestingT, requested message.Route, reference bool, events ...fields) message.Message {
	w := replay.Writer{Requested: requested, Reference: reference}
	a := assembler.Assembler{Reference: reference}
	for _, event := range events {
		chunks, err := w.Event(encode(t, event))
		require.NoError(t, err)
		for i := range chunks {
			require.NoError(t, a.Push(&chunks[i]))
		}
	}
	require.NoError(t, w.End())
	result, err := a.Result()
	require.NoError(t, err)
	return stored(t, message.Message{
		ID: "m", Role: message.Assistant, Content: result.Blocks,
		Source: message.Source{
			Kind: message.FromModel, Provider: requested.Provider, Model: requested.Model,
			Answered: a.Answered(), ReplayState: result.ReplayState,
		},
	})
}

// stored puts a message into a session and returns what the session has of it when it is taken up again.
func stored(t require.TestingT, m message.Message) message.Message {
	ctx, store := context.Background(), &session.Memory{}
	s, err := session.Create(ctx, store, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	data := append(m.AppendJSON([]byte(`{"turn":1,"step":1,"message":`)), '}')
	_, err = s.Append(ctx,
		session.Event{Type: session.TurnStart, Data: []byte(`{"turn":1}`)},
		session.Event{Type: session.StepStart, Data: []byte(`{"turn":1,"step":1}`)},
		session.Event{Type: session.AssistantMessage, Data: data, SurfaceOp: session.AtEnd(), Sources: []int64{}},
	)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	s, _, err = session.Open(ctx, store, "s", session.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	history := s.Messages()
	if len(m.Content) > 0 { // behind it are the results that its open calls were given
		require.NotEmpty(t, history)
		require.Equal(t, m.ID, history[0].ID)
		return history[0]
	}
	// An answer without content is in the log, but not in the history.
	require.Empty(t, history)
	for e, err := range s.Events(ctx, 0) {
		require.NoError(t, err)
		if e.Type == session.AssistantMessage {
			var logged struct{ Message message.Message }
			require.NoError(t, json.Unmarshal(e.Data, &logged))
			return logged.Message
		}
	}
	require.Fail(t, "the message is not in the log")
	return message.Message{}
}

// A native answer that was streamed in full comes back as it was: without its calls if it was cut, and
// without usage and time.
func TestWriteAssembleReadIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []fields
		var streamed [][]fields
		content := []fields{}
		n := rapid.IntRange(1, 5).Draw(t, "parts")
		for i := range n {
			part, its := drawPart(t, i)
			content, streamed = append(content, part), append(streamed, its)
		}
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		order = rapid.Permutation(order).Draw(t, "order")
		if rapid.Bool().Draw(t, "interleaved") {
			for _, i := range order { // all starts, then the rest
				events = append(events, streamed[i][0])
				streamed[i] = streamed[i][1:]
			}
		}
		for _, i := range order {
			events = append(events, streamed[i]...)
		}
		name := rapid.StringN(1, 8, -1)
		native := fields{
			"role": "assistant", "content": content, "api": name.Draw(t, "api"), "provider": name.Draw(t, "provider"),
			"model": name.Draw(t, "model"), "stopReason": rapid.SampledFrom([]string{"stop", "length", "toolUse"}).Draw(t, "stop"),
		}
		for _, key := range []string{"responseModel", "responseId"} {
			if rapid.Bool().Draw(t, "has "+key) {
				native[key] = rapid.String().Draw(t, key)
			}
		}
		requested := message.Route{Provider: native["provider"].(string), Model: native["model"].(string)}
		if rapid.Bool().Draw(t, "failover") {
			requested = message.Route{Provider: name.Draw(t, "asked"), Model: name.Draw(t, "for")}
		}
		events = append(events, fields{"type": "done", "reason": native["stopReason"], "message": native})

		// The order of the stored blocks, and so of the parts that come back, is that of their first chunks.
		kept := []fields{}
		for _, i := range order {
			if native["stopReason"] != "length" || content[i]["type"] != "toolCall" {
				kept = append(kept, content[i])
			}
		}
		want := fields{}
		for key, value := range native {
			want[key] = value
		}
		zero := fields{"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
		cost := fields{"total": 0}
		for key := range zero {
			cost[key] = 0
		}
		zero["totalTokens"], zero["cost"] = 0, cost
		want["content"], want["usage"], want["timestamp"] = kept, zero, 0

		r := replay.Reader{OnDiagnostic: func(d replay.Diagnostic) { t.Fatalf("degraded: %v", &d) }}
		got, isNative, err := r.Assistant(assemble(t, requested, false, events...))
		require.NoError(t, err)
		require.True(t, isNative)
		require.JSONEq(t, string(encode(t, want)), string(got.AppendJSON(nil)))
	})
}

// drawJSON draws a JSON value that looks like a part of a state more often than not.
func drawJSON(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 7
		if depth == 0 {
			kinds = 5
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.IntRange(-1, 3).Draw(t, "number")
		case 3, 4:
			return rapid.SampledFrom([]string{"", "pi-ai", "stop", "error", "text", "reasoning", "tool-call", "north", "large", "2"}).Draw(t, "text")
		case 5:
			return rapid.SliceOfN(drawJSON(depth-1), 0, 3).Draw(t, "list")
		}
		keys := rapid.SampledFrom([]string{
			"response", "blocks", "kind", "version", "api", "provider", "model", "stopReason", "responseId", "type", "textSignature", "redacted",
		})
		return rapid.MapOfN(keys, drawJSON(depth-1), 0, 8).Draw(t, "object")
	})
}

// drawState draws a valid state for content of the kinds, with up to three of its members replaced.
func drawState(t *rapid.T, kinds []string) any {
	response := fields{"kind": "pi-ai", "version": 2, "api": "chat", "provider": "north", "model": "large", "stopReason": "stop"}
	entries := make([]any, len(kinds))
	for i, kind := range kinds {
		entries[i] = fields{"type": kind, "textSignature": "s"}
	}
	state := fields{"response": response, "blocks": entries}
	for range rapid.IntRange(0, 3).Draw(t, "mutations") {
		value := drawJSON(3).Draw(t, "value")
		switch rapid.IntRange(0, 5).Draw(t, "where") {
		case 0:
			return value
		case 1:
			state[rapid.SampledFrom([]string{"response", "blocks", "extra"}).Draw(t, "key")] = value
		case 2:
			delete(response, rapid.SampledFrom([]string{"kind", "api", "model", "stopReason"}).Draw(t, "key"))
		case 3, 4:
			response[rapid.SampledFrom([]string{"version", "provider", "responseId", "responseModel", "stopReason"}).Draw(t, "key")] = value
		case 5:
			if len(entries) > 0 {
				entries[rapid.IntRange(0, len(entries)-1).Draw(t, "entry")] = value
			}
		}
	}
	return state
}

// Whatever a state is, a message goes: natively, or with exactly one diagnostic, and always with the
// content that was stored.
func TestAnyStateIsNativeOrOneDiagnostic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kinds := rapid.SliceOfN(rapid.SampledFrom([]string{"text", "reasoning", "tool-call", "chart", "image"}), 0, 4).Draw(t, "kinds")
		content := []any{}
		for i, kind := range kinds {
			content = append(content, fields{"type": kind, "text": fmt.Sprint(i), "id": fmt.Sprint(i), "name": "n", "arguments": "{"})
		}
		m, err := message.ParseMessage(encode(t, fields{
			"id": "m", "role": "assistant", "content": content,
			"source": fields{"kind": "model", "provider": "north", "model": "large", "replayState": drawState(t, kinds)},
		}))
		require.NoError(t, err)
		var diagnostics []replay.Diagnostic
		r := replay.Reader{OnDiagnostic: func(d replay.Diagnostic) { diagnostics = append(diagnostics, d) }}
		got, native, err := r.Assistant(m)
		require.NoError(t, err)
		checkRead(t, m, got, native, diagnostics)
	})
}

// checkRead is what holds of every message that was read.
func checkRead(t require.TestingT, m message.Message, got replay.AssistantMessage, native bool, diagnostics []replay.Diagnostic) {
	invalid := (&replay.Reader{}).Validate(m)
	require.Equal(t, native, invalid == nil)
	if native {
		require.Empty(t, diagnostics)
		require.Len(t, got.Content, len(m.Content))
	} else {
		require.Len(t, diagnostics, 1)
		require.Equal(t, invalid.Error(), diagnostics[0].Error())
		require.Equal(t, replay.Foreign, got.API)
	}
	at := 0
	for _, b := range m.Content {
		switch b.Type {
		case message.Text, message.Reasoning:
			require.Equal(t, b.Text, got.Content[at].Text)
		case message.ToolCall:
			require.Equal(t, b.ID, got.Content[at].ID)
			require.Equal(t, b.Name, got.Content[at].Name)
		case message.Image:
			require.NotEmpty(t, got.Content[at].Text)
		default:
			continue
		}
		at++
	}
	require.Len(t, got.Content, at)
	require.True(t, json.Valid(got.AppendJSON(nil)))
}

func FuzzState(f *testing.F) {
	const content = `[{"type":"text","text":"a"},{"type":"tool-call","id":"c","name":"n","arguments":"{}"}]`
	for _, state := range []string{
		`{"response":{"kind":"pi-ai","version":2,"api":"a","provider":"p","model":"m","stopReason":"stop"},"blocks":[{"type":"text"},{"type":"tool-call","thoughtSignature":"s"}]}`,
		`{"kind":"pi-ai","version":1,"blocks":[]}`, `null`, `{"response":{"kind":"pi-ai","version":[[1,null],{}]}}`, `{"response":{"kind":"pi-ai","version":2`,
	} {
		f.Add([]byte(state), []byte(content))
	}
	f.Fuzz(func(t *testing.T, state, content []byte) {
		if !json.Valid(state) || !json.Valid(content) {
			// A state that is not JSON comes from a host alone.
			m := message.Message{Role: message.Assistant, Source: message.Source{Kind: message.FromModel, ReplayState: state}}
			if len(state) > 0 && !json.Valid(state) {
				_, native, err := new(replay.Reader).Assistant(m)
				require.NoError(t, err)
				require.False(t, native)
			}
			return
		}
		text := fmt.Appendf(nil, `{"id":"m","role":"assistant","content":%s,"source":{"kind":"model","provider":"p","model":"m","replayState":%s}}`, content, state)
		m, err := message.ParseMessage(text)
		if err != nil {
			return // nested too deep
		}
		var diagnostics []replay.Diagnostic
		r := replay.Reader{OnDiagnostic: func(d replay.Diagnostic) { diagnostics = append(diagnostics, d) }}
		got, native, err := r.Assistant(m)
		require.NoError(t, err)
		checkRead(t, m, got, native, diagnostics)
		_, _, err = (&replay.Reader{Reference: true}).Assistant(m)
		if err != nil {
			require.Contains(t, string(content), "image")
		}
	})
}
