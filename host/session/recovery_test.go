package session_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

// keep stores a log of any events, valid or not, and closes it.
func keep(t testing.TB, store session.Store, events []session.Event) {
	t.Helper()
	l, err := store.Create(t.Context(), session.Header{ID: "s"})
	require.NoError(t, err)
	require.NoError(t, l.Append(t.Context(), events...))
	require.NoError(t, l.Close())
}

func kinds(events []session.Event) []string {
	list := []string{}
	for _, e := range events {
		list = append(list, e.Type)
	}
	return list
}

func TestOpen(t *testing.T) {
	store := &session.Memory{}
	keep(t, store, lines(t, opening))
	s, r, err := session.Open(t.Context(), store, "s", session.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{session.ToolResult, session.StepEnd, session.TurnEnd}, kinds(r.Closed))
	assert.Zero(t, r.Tail)
	assert.Empty(t, r.Uncommitted)
	got := stored(t, look(t, store))
	assert.Equal(t, []string{
		session.TurnStart, session.StepStart, session.UserMessage, session.AssistantMessage,
		session.ToolResult, session.StepEnd, session.TurnEnd, session.EndSeed,
	}, kinds(got))
	assert.Equal(t, `{}`, string(got[7].Data))
	assert.Len(t, s.Messages(), 3)
	first, err := s.Append(t.Context(), bare(t, opening)[0])
	require.NoError(t, err)
	assert.Equal(t, int64(8), first)
	require.NoError(t, s.Close())

	// The new turn is open; and a session that was only looked at gets no second mark.
	s, r, err = session.Open(t.Context(), store, "s", session.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{session.TurnEnd}, kinds(r.Closed))
	require.NoError(t, s.Close())
	s, r, err = session.Open(t.Context(), store, "s", session.Options{})
	require.NoError(t, err)
	assert.Equal(t, session.Recovery{}, r)
	assert.Equal(t, int64(11), s.State().Next())
	require.NoError(t, s.Close())

	_, _, err = session.Open(t.Context(), store, "other", session.Options{})
	require.ErrorIs(t, err, session.ErrNotFound)
}

// A log without events is taken up like any other.
func TestTakeAnEmptyLog(t *testing.T) {
	l, err := (&session.Memory{}).Create(t.Context(), session.Header{ID: "s"})
	require.NoError(t, err)
	s, r, err := session.Take(t.Context(), l, session.Options{})
	require.NoError(t, err)
	assert.Equal(t, session.Recovery{}, r)
	assert.Equal(t, session.EndSeed, s.State().Last())
}

// misfiled has every log under every id.
type misfiled struct{ session.Memory }

func (m *misfiled) Open(ctx context.Context, _ string) (session.Log, error) {
	return m.Memory.Open(ctx, "s")
}

func TestOpenAnotherSession(t *testing.T) {
	store := &misfiled{}
	keep(t, store, lines(t, opening))
	_, _, err := session.Open(t.Context(), store, "other", session.Options{})
	var refusal *session.Error
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, session.IdentityMismatch, refusal.Code)
	assert.Len(t, stored(t, look(t, store)), 4)
	s, _, err := session.Open(t.Context(), store, "s", session.Options{})
	require.NoError(t, err, "it was closed again")
	require.NoError(t, s.Close())
}

func TestRepairRefuses(t *testing.T) {
	const unknown = `{"type":"future/thing","data":{}}
`
	const invalid = `{"type":"user/message","data":{"id":"u","role":"user","content":[],"source":{"kind":"user"}}}
`
	const delta = `{"type":"request/header-delta","data":{}}
`
	const malformed = `{"type":"turn/end","data":{"turn":1,"reason":{"kind":"error"}}}
`
	const replaced = `{"type":"user/message","data":{"id":"x","role":"user","content":[],"source":{"kind":"user"}},"surfaceOp":{"op":"replace","start":2,"end":3},"sourceEventSeqs":[2,3]}
`
	for _, test := range []struct {
		name, log string
		code      session.Code
		why       string
	}{
		{"unknown kind", opening + unknown, session.EventUnsupported, "seq 4"},
		{"invalid event", opening + invalid, session.Validation, "surfaceOp"},
		{"retired kind", opening + delta, session.LegacyUnsupported, "seq 4"},
		{"like an older shape", opening + malformed, session.Validation, "seq 4"},
		{"unknown kind behind an invalid event", opening + invalid + unknown, session.EventUnsupported, "seq 5"},
		{"retired kind behind both", opening + invalid + unknown + delta, session.LegacyUnsupported, "seq 6"},
		{"the first invalid event is named", opening + invalid + invalid, session.Validation, "seq 4"},
		{"the first unknown kind is named", opening + unknown + unknown, session.EventUnsupported, "seq 4"},
		{"replacement", opening + replaced + replaced, session.Validation, "not on the surface"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &session.Memory{}
			events := lines(t, test.log)
			keep(t, store, events)
			l, err := store.Open(t.Context(), "s")
			require.NoError(t, err)
			_, err = session.Repair(t.Context(), l, session.Options{})
			refused := func(err error) {
				t.Helper()
				var refusal *session.Error
				require.ErrorAs(t, err, &refusal)
				assert.Equal(t, test.code, refusal.Code)
				assert.Contains(t, refusal.Detail, test.why)
			}
			refused(err)
			_, err = session.Inspect(t.Context(), l, session.Options{})
			refused(err)
			_, _, err = session.Take(t.Context(), l, session.Options{})
			refused(err)
			assert.Equal(t, events, stored(t, l), "nothing was written, and the log is still open")
		})
	}
}

// asking is a turn in which a model calls a tool, up to and without its result.
func asking(t testing.TB, id string) []session.Event {
	return lines(t, opening[:strings.Index(opening, `{"type":"assistant/message"`)]+
		`{"type":"assistant/message","data":{"turn":1,"step":1,"message":{"id":"a","role":"assistant",`+
		`"content":[{"type":"tool-call","id":"`+id+`","name":"n","arguments":""}],`+
		`"source":{"kind":"model","provider":"p","model":"m"}}},"surfaceOp":"append"}`+"\n")
}

// A log cannot be taken up if an event that would close it is longer than a line can be, and everything
// says so.
func TestRepairRefusesWhatCannotBeClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	events := asking(t, strings.Repeat("x", 23<<20))
	require.NoError(t, os.WriteFile(path, []byte(logText(events)), 0o600))
	l, err := session.OpenFile(t.Context(), path)
	require.NoError(t, err)
	defer l.Close()
	refused := func(err error) {
		t.Helper()
		var refusal *session.Error
		require.ErrorAs(t, err, &refusal)
		assert.Equal(t, session.Validation, refusal.Code)
		assert.Equal(t, path, refusal.Path)
		assert.ErrorContains(t, err, "the turn that is open cannot be closed")
	}
	_, err = session.Inspect(t.Context(), l, session.Options{})
	refused(err)
	_, err = session.Repair(t.Context(), l, session.Options{})
	refused(err)
	assert.EqualValues(t, len(events), l.Next())
}

// In a file, an error names the file and the line.
func TestRepairNamesTheLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	text := `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
{"type":"user/message","seq":1,"time":1,"data":{},"surfaceOp":"append"}
{"type":"turn/sta`
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	l, err := session.OpenFile(t.Context(), path)
	require.NoError(t, err)
	defer l.Close()
	for range 2 {
		_, err = session.Repair(t.Context(), l, session.Options{})
		var refusal *session.Error
		require.ErrorAs(t, err, &refusal)
		assert.Equal(t, path, refusal.Path)
		assert.Equal(t, int64(3), refusal.Line)
		assert.Equal(t, int64(strings.Index(text, `{"type":"user/message"`)), refusal.Offset)
		assert.Contains(t, err.Error(), path+":3: user/message at seq 1: ")
	}
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, text, string(after), "not even the torn tail was cut")
}

// An event in an older shape is named by the line that it was read from.
func TestRepairNamesTheLineOfAnOlderEvent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}
{"type":"user/message","seq":0,"time":1,"data":{"content":[],"source":{"kind":""}},"surfaceOp":"append"}
`), 0o600))
	v, err := session.ViewFile(t.Context(), path)
	require.NoError(t, err)
	defer v.Close()
	_, err = session.Inspect(t.Context(), v, session.Options{})
	require.ErrorContains(t, err, path+":2: user/message at seq 0: ")
}

// A log of a file is cut, then closed, then synced; and only if there is something to be done.
func TestRepairWrites(t *testing.T) {
	const header = `{"type":"session","version":0,"id":"s","createdAt":1,"delegationDepth":0}
`
	const start = `{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
`
	const end = `{"type":"turn/end","seq":1,"time":1,"data":{"turn":1,"reason":{"kind":"interrupted"}}}
`
	for _, test := range []struct {
		text, after string
		tail        int64
		did         []string
	}{
		{header + start + end, header + start + end, 0, nil},
		{header + start + end + "{", header + start + end, 1, []string{"cut", "sync"}},
		{header + start, header + start + end, 0, []string{"cut", "append", "sync"}},
		{header + start + end[:20], header + start + end, 20, []string{"cut", "append", "sync"}},
		{header + "x", header, 1, []string{"cut", "sync"}},
	} {
		path := filepath.Join(t.TempDir(), "x.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(test.text), 0o600))
		l, err := session.OpenFile(t.Context(), path)
		require.NoError(t, err)
		noted := &notingLog{Log: l}
		r, err := session.Repair(t.Context(), noted, session.Options{})
		require.NoError(t, err)
		assert.Equal(t, test.tail, r.Tail)
		assert.Equal(t, test.did, noted.did)
		require.NoError(t, l.Close())
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, test.after, string(after))
	}
}

// A notingLog notes what is done to a log.
type notingLog struct {
	session.Log
	did []string
}

func (l *notingLog) Cut(ctx context.Context) error {
	l.did = append(l.did, "cut")
	return l.Log.Cut(ctx)
}

func (l *notingLog) Append(ctx context.Context, events ...session.Event) error {
	l.did = append(l.did, "append")
	return l.Log.Append(ctx, events...)
}

func (l *notingLog) Sync(ctx context.Context) error {
	l.did = append(l.did, "sync")
	return l.Log.Sync(ctx)
}

func TestInspect(t *testing.T) {
	store := &session.Memory{}
	keep(t, store, lines(t, opening))
	v := look(t, store)
	i, err := session.Inspect(t.Context(), v, session.Options{})
	require.NoError(t, err)
	assert.Len(t, i.State.Messages(), 3)
	assert.Len(t, i.Recovery.Closed, 3)
	events := func(from int64) []session.Event {
		var got []session.Event
		for e, err := range i.Events(t.Context(), from) {
			require.NoError(t, err)
			got = append(got, e)
		}
		return got
	}
	logical := events(0)
	assert.Equal(t, append(lines(t, opening), i.Recovery.Closed...), logical)
	for from := range int64(9) {
		assert.Equal(t, kinds(logical[min(from, 7):]), kinds(events(from)))
	}
	for _, err := range i.Events(t.Context(), -1) {
		require.Error(t, err)
	}
	for range i.Events(t.Context(), 0) {
		break
	}
	assert.Len(t, stored(t, v), 4, "nothing was written")

	// The log is what Inspect said it would be.
	l, err := store.Open(t.Context(), "s")
	require.NoError(t, err)
	r, err := session.Repair(t.Context(), l, session.Options{})
	require.NoError(t, err)
	assert.Equal(t, i.Recovery, r)
	assert.Equal(t, kinds(logical), kinds(stored(t, l)))
	i, err = session.Inspect(t.Context(), l, session.Options{})
	require.NoError(t, err)
	assert.Equal(t, session.Recovery{}, i.Recovery)
}

// A log in older shapes is read in today's, from any seq on, and stays as it is.
func TestOlderLog(t *testing.T) {
	text := `
{"type":"turn/start","data":{"turn":1,"trigger":{"kind":"user"}}}
{"type":"step/start","data":{"turn":1,"step":1}}
{"type":"assistant/message","data":{"turn":1,"step":1,"content":[{"type":"tool-call","id":"c1","name":"n","arguments":""}],"provenance":{"provider":"p","model":"m","replayState":{"version":1}}},"surfaceOp":"append"}
{"type":"tool/result","data":{"turn":1,"step":1,"callId":"c1","content":[{"type":"text","text":"long"}],"isError":false},"surfaceOp":"append"}
{"type":"tool/result","data":{"turn":1,"step":1,"callId":"c1","content":[],"isError":false},"surfaceOp":{"op":"replace","start":3,"end":3},"sourceEventSeqs":[3]}
`
	store := &session.Memory{}
	keep(t, store, lines(t, text))
	s, r, err := session.Open(t.Context(), store, "s", session.Options{})
	require.NoError(t, err)
	defer s.Close()
	assert.Equal(t, []string{session.StepEnd, session.TurnEnd}, kinds(r.Closed))
	assert.Equal(t, `{"version":1}`, string(s.Messages()[0].Source.ReplayState))
	got := []session.Event{}
	for e, err := range s.Events(t.Context(), 4) {
		require.NoError(t, err)
		got = append(got, e)
	}
	require.Len(t, got, 4)
	assert.Contains(t, string(got[0].Data), `"legacy-message:s:3"`, "the id is that of what it replaces")
	for _, err := range s.Events(t.Context(), -1) {
		require.Error(t, err)
	}
	old := stored(t, look(t, store))
	assert.Contains(t, string(old[0].Data), "trigger")
}

func TestUncommitted(t *testing.T) {
	chunk := func(json string) string {
		return `{"type":"assistant/chunk","data":{"turn":2,"step":3,"chunk":` + json + `}}
`
	}
	text := func(s string) string { return chunk(`{"type":"text-delta","index":0,"text":"` + s + `"}`) }
	const begin = `{"type":"turn/start","data":{"turn":2}}
{"type":"step/start","data":{"turn":2,"step":3}}
`
	finish := chunk(`{"type":"finish","reason":{"kind":"error"}}`)
	message := strings.NewReplacer(`"turn":1`, `"turn":2`).Replace(strings.Split(opening, "\n")[4]) + "\n"
	for _, test := range []struct {
		name, log string
		want      []string
	}{
		{"text", begin + text("so ") + text("far"), []string{"so far"}},
		{"reasoning and a call", begin + chunk(`{"type":"reasoning-delta","index":0,"text":"hm"}`) +
			chunk(`{"type":"tool-call-delta","index":1,"id":"c","argumentsDelta":"{"}`), []string{"hm"}},
		{"a block that ended", begin + text("x") + chunk(`{"type":"block-end","index":0,"block":{"type":"text","text":"whole"}}`), []string{"whole"}},
		{"blank", begin + text(`\ufeff \n`), nil},
		{"behind a failed attempt", begin + text("first") + finish + text("second"), []string{"second"}},
		{"finished but not stored", begin + text("first") + finish, nil},
		{"behind a message", begin + text("first") + message + text("second"), []string{"second"}},
		{"stored", begin + text("first") + message, nil},
		{"of a step that ended", begin + text("first") + `{"type":"step/end","data":{}}`, nil},
		{"of an earlier step", begin + text("first") + `{"type":"step/end","data":{}}
{"type":"step/start","data":{"turn":2,"step":3}}`, nil},
		{"outside of a step", `{"type":"turn/start","data":{"turn":2}}
` + text("x"), nil},
		{"of a turn that ended", begin + text("x") + `{"type":"turn/end","data":{"turn":2,"reason":{"kind":"completed"}}}`, nil},
		{"chunks that are none", begin + chunk(`7`) + chunk(`{"type":"odd"}`) + `{"type":"assistant/chunk","data":null}
` + text("x"), []string{"x"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := &session.Memory{}
			keep(t, store, lines(t, test.log))
			s, r, err := session.Open(t.Context(), store, "s", session.Options{})
			require.NoError(t, err)
			for _, m := range s.Messages() {
				assert.NotContains(t, string(m.AppendJSON(nil)), "second", "it does not become history")
			}
			if test.want == nil {
				assert.Empty(t, r.Uncommitted)
				return
			}
			require.Len(t, r.Uncommitted, 1)
			assert.Equal(t, int64(2), r.Uncommitted[0].Turn)
			assert.Equal(t, int64(3), r.Uncommitted[0].Step)
			got := []string{}
			for _, b := range r.Uncommitted[0].Blocks {
				got = append(got, b.Text)
			}
			assert.Equal(t, test.want, got)
			require.NoError(t, s.Close())
			_, r, err = session.Open(t.Context(), store, "s", session.Options{})
			require.NoError(t, err)
			assert.Equal(t, session.Recovery{}, r, "it is reported once")
		})
	}
}

func TestRepairPassesStoreErrorsOn(t *testing.T) {
	store := &failing{}
	keep(t, store, lines(t, opening))
	store.fail = errors.New("disk full")
	_, _, err := session.Open(t.Context(), store, "s", session.Options{})
	require.ErrorIs(t, err, store.fail)
	store.fail = nil
	s, r, err := session.Open(t.Context(), store, "s", session.Options{})
	require.NoError(t, err)
	assert.Len(t, r.Closed, 3)
	require.NoError(t, s.Close())
}
