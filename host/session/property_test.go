package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
)

// drawLog draws a valid log: turns of steps, with chunks, messages, calls, results and replacements.
func drawLog(t *rapid.T) []session.Event {
	s := session.NewState(session.Header{ID: "s"})
	var events []session.Event
	add := func(kind string, data string, sources ...int64) {
		e := session.Event{Type: kind, Seq: s.Next(), Time: rapid.Int64Range(-9, 9).Draw(t, "time"), Data: json.RawMessage(data)}
		switch kind {
		case session.UserMessage, session.AssistantMessage, session.ToolResult:
			e.SurfaceOp, e.Sources = session.AtEnd(), sources
			if surface := s.Surface(); kind == session.UserMessage && len(surface) > 1 && rapid.IntRange(0, 4).Draw(t, "replaces") == 0 {
				from := rapid.IntRange(0, len(surface)-1).Draw(t, "from")
				to := rapid.IntRange(from, len(surface)-1).Draw(t, "to")
				e.SurfaceOp = json.RawMessage(fmt.Sprintf(`{"op":"replace","start":%d,"end":%d}`, surface[from], surface[to]))
				e.Sources = rapid.Permutation(surface[from:to+1]).Draw(t, "sources")
			}
		case "x":
			e.Ignorable = true
		}
		require.NoError(t, s.Apply(&e))
		e, err := session.ParseEvent(e.AppendJSON(nil))
		require.NoError(t, err)
		events = append(events, e)
	}
	ids := 0
	id := func() string { ids++; return fmt.Sprint("m", ids) }
	for turn := range rapid.IntRange(1, 3).Draw(t, "turns") {
		add(session.TurnStart, fmt.Sprintf(`{"turn":%d}`, turn+1))
		for step := range rapid.IntRange(1, 3).Draw(t, "steps") {
			at := fmt.Sprintf(`"turn":%d,"step":%d`, turn+1, step+1)
			add(session.StepStart, "{"+at+"}")
			for range rapid.IntRange(0, 2).Draw(t, "users") {
				add(session.UserMessage, `{"id":"`+id()+`","role":"user","content":[],"source":{"kind":"user"}}`)
			}
			if rapid.Bool().Draw(t, "header") {
				add(session.RequestHeader, `{"header":{"config":{"provider":"p","model":"m"}},"reason":"change"}`)
			}
			cited := []int64{}
			for range rapid.IntRange(0, 4).Draw(t, "chunks") {
				cited = append(cited, s.Next())
				add(session.AssistantChunk, "{"+at+`,"chunk":`+rapid.SampledFrom([]string{
					`{"type":"text-delta","index":0,"text":"x"}`, `{"type":"finish","reason":{"kind":"error"}}`, `{"type":"odd"}`,
				}).Draw(t, "chunk")+"}")
			}
			m := message.Message{ID: id(), Role: message.Assistant, Source: message.Source{Kind: message.FromModel, Provider: "p", Model: "m"}}
			calls := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-c"]`), 0, 3, rapid.ID).Draw(t, "calls")
			for _, call := range calls {
				m.Content = append(m.Content, message.Block{Type: message.ToolCall, ID: call})
			}
			add(session.AssistantMessage, "{"+at+`,"message":`+string(m.AppendJSON(nil))+"}", cited...)
			for _, call := range calls {
				quoted, _ := json.Marshal(call)
				if rapid.Bool().Draw(t, "recorded") {
					add(session.ToolCall, "{"+at+`,"callId":`+string(quoted)+"}")
				}
				add("x", "{}")
				r := message.Message{ID: id(), Role: message.User, Source: message.Source{Kind: message.FromTool, CallID: call},
					Content: []message.Block{{Type: message.ToolResult, ToolCallID: call}}}
				add(session.ToolResult, "{"+at+`,"message":`+string(r.AppendJSON(nil))+"}")
			}
			add(session.StepEnd, "{"+at+"}")
		}
		add(session.TurnEnd, fmt.Sprintf(`{"turn":%d,"reason":{"kind":"completed"}}`, turn+1))
	}
	return events
}

// Any valid log that is cut at any event can be taken up; what it lacks is made good, once, and what it
// had stays.
func TestCutAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		events := drawLog(t)
		events = events[:rapid.IntRange(1, len(events)).Draw(t, "cut")]
		store := &session.Memory{}
		l, err := store.Create(ctx, session.Header{ID: "s"})
		require.NoError(t, err)
		require.NoError(t, l.Append(ctx, events...))

		r, err := session.Repair(ctx, l, session.Options{})
		require.NoError(t, err)
		require.Equal(t, session.Closers(events), r.Closed)
		var whole []session.Event
		for e, err := range l.Events(ctx, 0) {
			require.NoError(t, err)
			whole = append(whole, e)
		}
		require.Equal(t, events, whole[:len(events)])
		require.Len(t, whole, len(events)+len(r.Closed))

		again, err := session.Repair(ctx, l, session.Options{})
		require.NoError(t, err)
		require.Equal(t, session.Recovery{}, again)
		require.Equal(t, int64(len(whole)), l.Next())

		// Every call that the history asks for is answered in it, unless its step ended or it was replaced.
		s, err := apply(whole)
		require.NoError(t, err)
		_, open := s.Turn()
		require.False(t, open)
		require.Empty(t, session.Closers(whole))
		for i := range r.Closed {
			if c := r.Closed[i]; c.Type == session.ToolResult {
				require.Contains(t, s.Surface(), c.Seq)
			}
		}
	})
}

// However a log is appended, in whatever batches and with whatever failures in between, the state is that
// of what is stored.
func TestAppendInBatches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		events := drawLog(t)
		store := &failing{}
		s, err := session.Create(ctx, store, session.Header{ID: "s"}, session.Options{})
		require.NoError(t, err)
		for done := 0; done < len(events); {
			n := rapid.IntRange(1, min(6, len(events)-done)).Draw(t, "batch")
			batch := slices.Clone(events[done : done+n])
			switch rapid.IntRange(0, 3).Draw(t, "outcome") {
			case 0:
				store.fail = errors.New("no")
			case 1:
				batch = append(batch, session.Event{Type: "unknown", Data: json.RawMessage("1")})
			default:
				done += n
			}
			_, err := s.Append(ctx, batch...)
			require.Equal(t, store.fail == nil && len(batch) == n, err == nil)
			store.fail = nil
			want, err := apply(events[:done])
			require.NoError(t, err)
			require.Equal(t, want.Surface(), s.State().Surface())
			require.Equal(t, texts(want.Messages()), texts(s.Messages()))
			require.Equal(t, want.RequestHeader(), s.State().RequestHeader())
			require.Equal(t, len(want.Closers()), len(s.State().Closers()))
			require.Equal(t, want.Next(), s.State().Next())
		}
	})
}
