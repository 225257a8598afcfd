package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

func begin(t testing.TB, store session.Store) *session.Session {
	t.Helper()
	s, err := session.Create(t.Context(), store, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// stored returns the events of a log as they are stored.
func stored(t testing.TB, v session.View) []session.Event {
	t.Helper()
	var events []session.Event
	for e, err := range v.Events(t.Context(), 0) {
		require.NoError(t, err)
		events = append(events, e)
	}
	return events
}

func look(t testing.TB, store session.Store) session.View {
	t.Helper()
	v, err := store.View(t.Context(), "s")
	require.NoError(t, err)
	return v
}

// bare are events without seq and time, as a caller makes them.
func bare(t testing.TB, text string) []session.Event {
	var events []session.Event
	for _, e := range lines(t, text) {
		events = append(events, session.Event{Type: e.Type, Data: e.Data, SurfaceOp: e.SurfaceOp, Sources: e.Sources, Ignorable: e.Ignorable})
	}
	return events
}

func TestAppend(t *testing.T) {
	store := &session.Memory{}
	s := begin(t, store)
	assert.NotZero(t, s.Header().CreatedAt)
	before := time.Now().UnixMilli()
	first, err := s.Append(t.Context())
	require.NoError(t, err)
	assert.Zero(t, first)
	_, err = store.View(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrNotFound, "nothing was stored yet")

	events := bare(t, opening)
	events[1].Seq, events[1].Time = 77, -3
	first, err = s.Append(t.Context(), events[:3]...)
	require.NoError(t, err)
	assert.Zero(t, first)
	first, err = s.Append(t.Context(), events[3])
	require.NoError(t, err)
	assert.Equal(t, int64(3), first)
	assert.Equal(t, int64(77), events[1].Seq, "what the caller has is not touched")

	got := stored(t, look(t, store))
	require.Len(t, got, 4)
	for i, e := range got {
		assert.Equal(t, int64(i), e.Seq)
		assert.Equal(t, events[i].Type, e.Type)
		assert.JSONEq(t, string(events[i].Data), string(e.Data))
		if i == 1 {
			assert.Equal(t, int64(-3), e.Time)
		} else {
			assert.GreaterOrEqual(t, e.Time, before)
			assert.LessOrEqual(t, e.Time, time.Now().UnixMilli())
		}
	}
	assert.Equal(t, []int64{2, 3}, s.State().Surface())
	assert.Len(t, s.Messages(), 2)
	require.NoError(t, s.Sync(t.Context()))
}

// The session keeps nothing that the caller may change.
func TestAppendKeepsItsOwnMemory(t *testing.T) {
	store := &session.Memory{}
	s := begin(t, store)
	e := bare(t, opening)[2]
	data := []byte(string(e.Data))
	e.Data, e.SurfaceOp = data, []byte(`"append"`)
	_, err := s.Append(t.Context(), e)
	require.NoError(t, err)
	clear(data)
	clear(e.SurfaceOp)
	assert.Contains(t, string(stored(t, look(t, store))[0].Data), "hello")
	assert.Equal(t, "hello", s.Messages()[0].Content[0].Text)
}

func TestOptionsAreCopied(t *testing.T) {
	kinds := []string{"x"}
	s, err := session.Create(t.Context(), &session.Memory{}, session.Header{ID: "s"}, session.Options{Kinds: kinds})
	require.NoError(t, err)
	kinds[0] = "y"
	_, err = s.Append(t.Context(), session.Event{Type: "x", Data: json.RawMessage(`{}`)})
	require.NoError(t, err)
	_, err = s.Append(t.Context(), session.Event{Type: "y", Data: json.RawMessage(`{}`)})
	require.Error(t, err)
}

func TestAppendRefuses(t *testing.T) {
	parsed := func(text string) session.Event {
		e, err := session.ParseEvent([]byte(text))
		require.NoError(t, err)
		return e
	}
	x := func(data string) session.Event {
		return session.Event{Type: "x", Data: json.RawMessage(data), Ignorable: true}
	}
	for _, test := range []struct {
		name  string
		event session.Event
		code  session.Code
		why   string
	}{
		{"unknown kind", session.Event{Type: "x", Data: json.RawMessage(`{}`)}, session.EventUnsupported, "not known"},
		{"retired kind", session.Event{Type: "request/header-delta", Data: json.RawMessage(`{}`), Ignorable: true}, session.LegacyUnsupported, "no longer read"},
		{"mode", session.Event{Type: "mode/set", Data: json.RawMessage(`{}`), Ignorable: true}, session.LegacyUnsupported, "no longer read"},
		{"retired reason", session.Event{Type: session.RequestHeader, Data: json.RawMessage(`{"header":{"config":{"provider":"p","model":"m"}},"reason":"fallback"}`)}, session.LegacyUnsupported, "fallback"},
		{"steering", session.Event{Type: "steering/message", Data: json.RawMessage(`{"turn":1,"content":[],"source":{"kind":"user"}}`), SurfaceOp: session.AtEnd(), Ignorable: true}, session.Validation, "older version"},
		{"older shape", session.Event{Type: session.UserMessage, Data: json.RawMessage(`{"content":[],"source":{"kind":"user"}}`), SurfaceOp: session.AtEnd()}, session.Validation, "older version"},
		{"older reason", session.Event{Type: session.TurnEnd, Data: json.RawMessage(`{"turn":1,"reason":{"kind":"aborted"}}`)}, session.Validation, "older version"},
		{"like an older reason", session.Event{Type: session.TurnEnd, Data: json.RawMessage(`{"turn":1,"reason":{"kind":"error"}}`)}, session.Validation, "older version"},
		{"no data", session.Event{Type: session.TurnStart}, session.Validation, "no data"},
		{"no type", session.Event{Data: json.RawMessage(`{}`)}, session.Validation, "type"},
		{"type that is no text", session.Event{Type: "x\xff", Data: json.RawMessage(`{}`), Ignorable: true}, session.Validation, "UTF-8"},
		{"data that is no text", x("\"\xff\""), session.Validation, "UTF-8"},
		{"half a pair as bytes", x("\"\xed\xa0\xbe\""), session.Validation, "UTF-8"},
		{"data that is no JSON", x(`{"a":}`), session.Validation, "not JSON"},
		{"data that adds a field", x(`1,"extra":2`), session.Validation, "not JSON"},
		{"line feed in a text", x("\"\n\""), session.Validation, "not JSON"},
		{"surfaceOp that is no JSON", session.Event{Type: session.UserMessage, Data: bare(t, opening)[2].Data, SurfaceOp: json.RawMessage(`append`)}, session.Validation, "surfaceOp"},
		{"negative zero", x(`{"a":[1,-0]}`), session.Validation, "negative zero"},
		{"negative zero with a point", x(`-0.00`), session.Validation, "negative zero"},
		{"negative zero with an exponent", x(`-0e5`), session.Validation, "negative zero"},
		{"next to nothing below zero", x(`-1e-400`), session.Validation, "negative zero"},
		{"beyond a double", x(`1e309`), session.Validation, "range"},
		{"beyond a double below zero", x(`[-1E+400]`), session.Validation, "range"},
		{"beyond a double in digits", x(`9` + strings.Repeat("0", 400)), session.Validation, "range"},
		{"time beyond 2^53", session.Event{Type: "x", Time: 1 << 53, Data: json.RawMessage(`1`), Ignorable: true}, session.Validation, "time"},
		{"field that no event has", parsed(`{"type":"x","seq":0,"time":1,"data":1,"ignorable":true,"extra":1}`), session.Validation, "extra"},
		{"invalid message", session.Event{Type: session.UserMessage, Data: json.RawMessage(`{"id":"u"}`), SurfaceOp: session.AtEnd()}, session.Validation, "role"},
		{"message without a mark", session.Event{Type: session.UserMessage, Data: bare(t, opening)[2].Data}, session.Validation, "surfaceOp"},
		{"call that could not be closed", session.Event{Type: session.AssistantMessage, SurfaceOp: session.AtEnd(), Data: json.RawMessage(
			`{"message":{"id":"b","role":"assistant","content":[{"type":"tool-call","id":"` + strings.Repeat("x", 1<<20+1) +
				`"}],"source":{"kind":"model","provider":"p","model":"m"}}}`)}, session.Validation, "id of a tool call"},
		{"too long", x(`"` + strings.Repeat("x", session.MaxLine) + `"`), session.Validation, "limit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &session.Memory{}
			s := begin(t, store)
			_, err := s.Append(t.Context(), bare(t, opening)...)
			require.NoError(t, err)
			// Neither what comes before it in its batch nor what comes behind it is stored.
			good := session.Event{Type: session.ToolCall, Data: json.RawMessage(`{"callId":"c1"}`)}
			_, err = s.Append(t.Context(), good, test.event, good)
			var refusal *session.Error
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, test.code, refusal.Code)
			assert.Contains(t, refusal.Detail, test.why)
			assert.Len(t, stored(t, look(t, store)), 4)
			assert.Equal(t, session.Closers(lines(t, opening))[0].Data, s.State().Closers()[0].Data, "the call is as if it had never been recorded")
			first, err := s.Append(t.Context(), good)
			require.NoError(t, err)
			assert.Equal(t, int64(4), first)
		})
	}
}

func TestAppendAccepts(t *testing.T) {
	store := &session.Memory{}
	s, err := session.Create(t.Context(), store, session.Header{ID: "s"}, session.Options{Kinds: []string{"todo/write"}})
	require.NoError(t, err)
	for _, data := range []string{
		`-1`, `-0.5`, `1e-400`, `1e308`, `0`, `{"-0":"-0 1e999 \"-0\" \\"}`, `12345678901234567890`, `"\ud83e"`, "{\n\"a\":\r\n1}",
	} {
		_, err := s.Append(t.Context(), session.Event{Type: "todo/write", Data: json.RawMessage(data)})
		require.NoError(t, err, data)
	}
	_, err = s.Append(t.Context(), session.Event{Type: "x", Data: json.RawMessage(`1`), Ignorable: true},
		session.Event{Type: session.InboxSpliced, Data: json.RawMessage(`{}`)})
	require.NoError(t, err)
	require.NoError(t, s.Close())

	_, _, err = session.Open(t.Context(), store, "s", session.Options{})
	var refusal *session.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, session.EventUnsupported, refusal.Code)
	s, _, err = session.Open(t.Context(), store, "s", session.Options{Kinds: []string{"a", "todo/write"}})
	require.NoError(t, err, "a log that is refused is free for others")
	require.NoError(t, s.Close())
}

// A failing store fails when it is told to.
type failing struct {
	session.Memory
	fail error
}

type failingLog struct {
	session.Log
	store *failing
}

func (f *failing) Create(ctx context.Context, h session.Header) (session.Log, error) {
	l, err := f.Memory.Create(ctx, h)
	return failingLog{l, f}, err
}

func (f *failing) Open(ctx context.Context, id string) (session.Log, error) {
	l, err := f.Memory.Open(ctx, id)
	return failingLog{l, f}, err
}

func (l failingLog) Append(ctx context.Context, events ...session.Event) error {
	if l.store.fail != nil {
		return l.store.fail
	}
	return l.Log.Append(ctx, events...)
}

func TestFailedAppendLeavesTheState(t *testing.T) {
	store := &failing{}
	s := begin(t, store)
	_, err := s.Append(t.Context(), bare(t, opening)...)
	require.NoError(t, err)
	facts := func() string {
		return fmt.Sprint(s.State().Next(), s.State().Last(), s.State().Surface(), texts(s.Messages()),
			s.State().Closers(), string(s.State().RequestHeader()))
	}
	before := facts()

	replace := func(start, end int64, sources ...int64) session.Event {
		e := bare(t, opening)[2]
		e.SurfaceOp = json.RawMessage(fmt.Sprintf(`{"op":"replace","start":%d,"end":%d}`, start, end))
		e.Sources = sources
		return e
	}
	batch := append(bare(t, `
{"type":"tool/call","data":{"turn":1,"step":1,"callId":"c1"}}
`+result+`
{"type":"request/header","data":{"header":{"config":{"provider":"p","model":"m"}}}}
`),
		replace(2, 3, 2, 3), replace(7, 5, 5, 7), replace(8, 8, 8))
	batch = append(batch, bare(t, opening)[3])
	batch = append(batch, bare(t, `{"type":"step/end","data":{}}
{"type":"turn/end","data":{"turn":1,"reason":{"kind":"completed"}}}`)...)
	batch = append(batch, bare(t, opening)...)
	store.fail = errors.New("disk full")
	for n := range batch {
		_, err := s.Append(t.Context(), batch[:n+1]...)
		require.ErrorIs(t, err, store.fail)
		require.Equal(t, before, facts(), "after %d events", n+1)
	}
	assert.Len(t, stored(t, look(t, store)), 4)

	// The same events can be appended again, and the state is that of the log.
	store.fail = nil
	first, err := s.Append(t.Context(), batch...)
	require.NoError(t, err)
	assert.Equal(t, int64(4), first)
	fresh, err := apply(stored(t, look(t, store)))
	require.NoError(t, err)
	assert.Equal(t, fresh.Surface(), s.State().Surface())
	assert.Equal(t, texts(fresh.Messages()), texts(s.Messages()))
	assert.Equal(t, fresh.Closers(), s.State().Closers())
	assert.Equal(t, []int64{9, 10, 15, 16}, s.State().Surface())
}

func TestCreateRefusesAHeader(t *testing.T) {
	other := "other"
	for _, h := range []session.Header{{}, {ID: "s", DelegationDepth: -1}, {ID: "s", CreatedAt: -1}, {ID: "s", Origin: &other}} {
		_, err := session.Create(t.Context(), &session.Memory{}, h, session.Options{})
		var refusal *session.Error
		require.ErrorAs(t, err, &refusal)
		assert.Equal(t, session.HeaderInvalid, refusal.Code)
	}
	long := strings.Repeat("x", session.MaxLine)
	_, err := session.CreateFile(t.Context(), filepath.Join(t.TempDir(), "x.jsonl"), session.Header{ID: "s", Cwd: &long}, session.Options{})
	var refusal *session.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, session.HeaderInvalid, refusal.Code)
	store := &session.Memory{}
	_, err = begin(t, store).Append(t.Context(), bare(t, opening)...)
	require.NoError(t, err)
	_, err = session.Create(t.Context(), store, session.Header{ID: "s"}, session.Options{})
	require.ErrorIs(t, err, session.ErrExists)
}

func TestSessionClose(t *testing.T) {
	store := &session.Memory{}
	s := begin(t, store)
	_, err := s.Append(t.Context(), bare(t, opening)...)
	require.NoError(t, err)
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = s.Append(t.Context(), bare(t, opening)[0])
	require.ErrorIs(t, err, session.ErrClosed)
	require.ErrorIs(t, s.Sync(t.Context()), session.ErrClosed)
	for _, err := range s.Events(t.Context(), 0) {
		require.ErrorIs(t, err, session.ErrClosed)
	}
	assert.Len(t, s.Messages(), 2, "what is known stays known")
}

// An event that was read somewhere gets the seq of the log that it is appended to.
func TestAppendOfAnEventThatWasRead(t *testing.T) {
	s, err := session.Create(t.Context(), &session.Memory{}, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	defer s.Close()
	e, err := session.ParseEvent([]byte(`{"type":"turn/start","seq":99,"time":7,"data":{"turn":1}}`))
	require.NoError(t, err)
	first, err := s.Append(t.Context(), e)
	require.NoError(t, err)
	assert.Zero(t, first)
	for got, err := range s.Events(t.Context(), 0) {
		require.NoError(t, err)
		assert.Equal(t, `{"type":"turn/start","seq":0,"time":7,"data":{"turn":1}}`, string(got.AppendJSON(nil)))
	}
	require.NoError(t, s.Close())
}
