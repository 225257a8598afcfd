// Package storetest is the suite that every [session.Store] passes.
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

// Run checks a store. open returns an empty store each time it is called; what has to be cleaned up, it
// gives to [testing.T.Cleanup]. The suite is best run with the race detector.
func Run(t *testing.T, open func(t *testing.T) session.Store) {
	for _, test := range []struct {
		name string
		run  func(t *testing.T, s session.Store)
	}{
		{"what is appended is read again", roundTrip},
		{"a log is taken up where it ended", reopen},
		{"a new session is stored with its first events", firstAppend},
		{"a session is created once", createTwice},
		{"a session that is not there", notFound},
		{"one writer", oneWriter},
		{"a view is of its moment", snapshot},
		{"events from a seq on", fromSeq},
		{"reading is stopped early", stopEarly},
		{"a seq that is not the next", wrongSeq},
		{"a batch is stored whole or not at all", wholeBatch},
		{"closing", closing},
		{"a context that is done", canceled},
		{"ids of all sorts", oddIDs},
		{"the header comes back", header},
		{"a header that cannot be read back", badHeader},
		{"large events and long batches", large},
		{"JSON of all sorts", oddJSON},
		{"listing", listing},
		{"readers beside a writer", concurrent},
		{"sessions side by side", sideBySide},
		{"a session on the store", sessionOnStore},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

// event makes an event that a log can have anywhere.
func event(seq int64, data string) session.Event {
	return session.Event{
		Type: "storetest/event", Ignorable: true,
		Seq: seq, Time: 1_700_000_000_000 + seq, Data: json.RawMessage(data),
	}
}

// events makes n events from a seq on.
func events(from int64, n int) []session.Event {
	list := make([]session.Event, n)
	for i := range list {
		seq := from + int64(i)
		list[i] = event(seq, fmt.Sprintf(`{"n":%d}`, seq))
	}
	return list
}

func create(t *testing.T, s session.Store, id string, first ...session.Event) session.Log {
	t.Helper()
	l, err := s.Create(t.Context(), session.Header{ID: id, CreatedAt: 1})
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	require.NoError(t, l.Append(t.Context(), first...))
	return l
}

func open(t *testing.T, s session.Store, id string) session.Log {
	t.Helper()
	l, err := s.Open(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

func view(t *testing.T, s session.Store, id string) session.View {
	t.Helper()
	v, err := s.View(t.Context(), id)
	require.NoError(t, err)
	t.Cleanup(func() { v.Close() })
	return v
}

func read(ctx context.Context, v session.View, from int64) ([]session.Event, error) {
	list := []session.Event{}
	for e, err := range v.Events(ctx, from) {
		if err != nil {
			return list, err
		}
		list = append(list, e)
	}
	return list, nil
}

// holds checks that a log has these events and no others.
func holds(t *testing.T, v session.View, want []session.Event) {
	t.Helper()
	got, err := read(t.Context(), v, 0)
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for i := range want {
		assert.Equal(t, want[i].Seq, got[i].Seq)
		assert.JSONEq(t, text(want[i]), text(got[i]))
	}
	assert.Equal(t, int64(len(want)), v.Next())
	assert.Zero(t, v.Tail())
}

func text(e session.Event) string { return string(e.AppendJSON(nil)) }
