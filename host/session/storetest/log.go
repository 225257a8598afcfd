package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

func roundTrip(t *testing.T, s session.Store) {
	message := session.Event{
		Type: session.AssistantMessage, Seq: 1, Time: -5, SurfaceOp: session.AtEnd(), Sources: []int64{},
		Data: json.RawMessage(`{"message":{"id":"m","role":"assistant","content":[]}}`),
	}
	replacement := message
	replacement.Seq, replacement.Sources = 2, []int64{0, 1}
	replacement.SurfaceOp = json.RawMessage(`{"op":"replace","start":1,"end":1}`)
	want := []session.Event{event(0, `{"text":"grüß \"dich\" \u0001"}`), message, replacement}

	l := create(t, s, "s", want...)
	holds(t, l, want)
	require.NoError(t, l.Sync(t.Context()))
	v := view(t, s, "s")
	holds(t, v, want)
	got, err := read(t.Context(), v, 1)
	require.NoError(t, err)
	assert.Equal(t, session.AssistantMessage, got[0].Type)
	assert.Equal(t, int64(-5), got[0].Time)
	assert.NotNil(t, got[0].Sources, "an empty list is not the same as none")
	assert.JSONEq(t, `"append"`, string(got[0].SurfaceOp))
	assert.Equal(t, []int64{0, 1}, got[1].Sources)
	assert.False(t, got[1].Ignorable)
}

func reopen(t *testing.T, s session.Store) {
	want := events(0, 3)
	require.NoError(t, create(t, s, "s", want...).Close())
	for range 3 {
		l := open(t, s, "s")
		holds(t, l, want)
		assert.Equal(t, "s", l.Header().ID)
		require.NoError(t, l.Cut(t.Context()))
		more := events(l.Next(), 2)
		require.NoError(t, l.Append(t.Context(), more...))
		want = append(want, more...)
		holds(t, l, want)
		require.NoError(t, l.Close())
	}
	holds(t, view(t, s, "s"), want)
}

func fromSeq(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 3)...)
	require.NoError(t, l.Append(t.Context(), events(3, 3)...))
	for _, v := range []session.View{l, view(t, s, "s")} {
		for from := range int64(9) {
			got, err := read(t.Context(), v, from)
			require.NoError(t, err)
			require.Len(t, got, int(max(0, 6-from)))
			for i, e := range got {
				assert.Equal(t, from+int64(i), e.Seq)
				assert.JSONEq(t, fmt.Sprintf(`{"n":%d}`, e.Seq), string(e.Data))
			}
		}
		_, err := read(t.Context(), v, -1)
		require.Error(t, err, "there is no negative seq")
	}
}

func stopEarly(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 50)...)
	v := view(t, s, "s")
	for range 20 {
		for e, err := range v.Events(t.Context(), 0) {
			require.NoError(t, err)
			if e.Seq == 3 {
				break
			}
		}
	}
	holds(t, v, events(0, 50))
	for range l.Events(t.Context(), 10) {
		break
	}
	require.NoError(t, l.Append(t.Context(), events(50, 1)...))
	for range s.List(t.Context()) {
		break
	}
	require.NoError(t, v.Close())
	require.NoError(t, l.Close())
}

func wrongSeq(t *testing.T, s session.Store) {
	l, err := s.Create(t.Context(), session.Header{ID: "s"})
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	require.Error(t, l.Append(t.Context(), events(1, 1)...))
	_, err = s.View(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrNotFound, "an append that fails stores nothing")
	require.NoError(t, l.Append(t.Context(), events(0, 2)...))
	for _, batch := range [][]session.Event{
		events(0, 1), events(1, 1), events(3, 1),
		{event(2, "1"), event(2, "1")}, {event(2, "1"), event(4, "1")},
	} {
		require.Error(t, l.Append(t.Context(), batch...))
		holds(t, l, events(0, 2))
	}
	require.NoError(t, l.Append(t.Context(), events(2, 2)...))
	holds(t, view(t, s, "s"), events(0, 4))
}

func wholeBatch(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 1)...)
	for _, bad := range []string{``, `{`, `{"a":1}}`, `1 2`} {
		batch := events(1, 3)
		batch[1].Data = json.RawMessage(bad)
		require.Error(t, l.Append(t.Context(), batch...), "data %q", bad)
		holds(t, l, events(0, 1))
		holds(t, view(t, s, "s"), events(0, 1))
	}
	require.NoError(t, l.Append(t.Context(), events(1, 3)...), "the same events can be appended again")
	require.NoError(t, l.Close())
	holds(t, open(t, s, "s"), events(0, 4))
}

func closing(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 2)...)
	v := view(t, s, "s")
	for range 2 {
		require.NoError(t, v.Close())
		require.NoError(t, l.Close())
	}
	require.ErrorIs(t, l.Append(t.Context(), events(2, 1)...), session.ErrClosed)
	require.ErrorIs(t, l.Sync(t.Context()), session.ErrClosed)
	require.ErrorIs(t, l.Cut(t.Context()), session.ErrClosed)
	for _, v := range []session.View{l, v} {
		_, err := read(t.Context(), v, 0)
		require.ErrorIs(t, err, session.ErrClosed)
		assert.Equal(t, "s", v.Header().ID)
	}
	// A log that was closed does not take the one that was opened after it along.
	again := open(t, s, "s")
	require.NoError(t, l.Close())
	require.NoError(t, again.Append(t.Context(), events(2, 1)...))
	_, err := s.Open(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrLocked)
	holds(t, view(t, s, "s"), events(0, 3))
}

func canceled(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 3)...)
	v := view(t, s, "s")
	done, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.Create(done, session.Header{ID: "other"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.View(done, "s")
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, l.Append(done, events(3, 1)...), context.Canceled)
	require.ErrorIs(t, l.Sync(done), context.Canceled)
	for _, v := range []session.View{l, v} {
		_, err = read(done, v, 0)
		require.ErrorIs(t, err, context.Canceled)
		holds(t, v, events(0, 3))
	}
	for _, err := range s.List(done) {
		require.ErrorIs(t, err, context.Canceled)
	}

	// Cancelled on the way.
	some, stop := context.WithCancel(t.Context())
	defer stop()
	seen := 0
	for _, err = range v.Events(some, 0) {
		seen++
		stop()
	}
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 2, seen, "one event and the error")

	require.NoError(t, l.Append(t.Context(), events(3, 1)...))
	require.NoError(t, l.Close())
	_, err = s.Open(done, "s")
	require.ErrorIs(t, err, context.Canceled)
	holds(t, open(t, s, "s"), events(0, 4))
}

func snapshot(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 2)...)
	before := view(t, s, "s")
	require.NoError(t, l.Append(t.Context(), events(2, 5)...))
	after := view(t, s, "s")
	holds(t, before, events(0, 2))
	holds(t, after, events(0, 7))
	for e, err := range before.Events(t.Context(), 0) {
		require.NoError(t, err)
		require.NoError(t, l.Append(t.Context(), events(l.Next(), 1)...))
		require.Less(t, e.Seq, int64(2))
	}
	holds(t, before, events(0, 2))
	holds(t, l, events(0, 9))
	got, err := read(t.Context(), before, 2)
	require.NoError(t, err)
	assert.Empty(t, got)
}
