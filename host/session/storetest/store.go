package storetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

func firstAppend(t *testing.T, s session.Store) {
	absent := func() {
		t.Helper()
		_, err := s.View(t.Context(), "s")
		require.ErrorIs(t, err, session.ErrNotFound)
		_, err = s.Open(t.Context(), "s")
		require.ErrorIs(t, err, session.ErrNotFound)
		for h, err := range s.List(t.Context()) {
			t.Error("listed: ", h, err)
		}
	}
	l, err := s.Create(t.Context(), session.Header{ID: "s"})
	require.NoError(t, err)
	assert.Zero(t, l.Next())
	holds(t, l, nil)
	require.NoError(t, l.Append(t.Context()))
	require.NoError(t, l.Sync(t.Context()))
	require.NoError(t, l.Cut(t.Context()))
	absent()
	require.NoError(t, l.Close())
	absent()

	// The id is still free.
	want := events(0, 1)
	create(t, s, "s", want...)
	holds(t, view(t, s, "s"), want)
}

func createTwice(t *testing.T, s session.Store) {
	early, err := s.Create(t.Context(), session.Header{ID: "s"})
	require.NoError(t, err)
	want := events(0, 2)
	l := create(t, s, "s", want...)
	_, err = s.Create(t.Context(), session.Header{ID: "s"})
	require.ErrorIs(t, err, session.ErrExists)
	for range 2 {
		require.ErrorIs(t, early.Append(t.Context(), events(0, 1)...), session.ErrExists)
	}
	require.NoError(t, early.Close())
	require.NoError(t, l.Append(t.Context(), events(2, 1)...))
	require.NoError(t, l.Close())
	_, err = s.Create(t.Context(), session.Header{ID: "s"})
	require.ErrorIs(t, err, session.ErrExists)
	holds(t, view(t, s, "s"), events(0, 3))
}

func notFound(t *testing.T, s session.Store) {
	_, err := s.Open(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = s.View(t.Context(), "s")
	require.ErrorIs(t, err, session.ErrNotFound)
	_, err = s.Create(t.Context(), session.Header{})
	require.Error(t, err, "an id must not be empty")
}

func oneWriter(t *testing.T, s session.Store) {
	l := create(t, s, "s", events(0, 2)...)
	locked := func() {
		t.Helper()
		_, err := s.Open(t.Context(), "s")
		require.ErrorIs(t, err, session.ErrLocked)
		holds(t, view(t, s, "s"), events(0, int(l.Next())))
	}
	locked()
	require.NoError(t, l.Close())
	l = open(t, s, "s")
	locked()
	require.NoError(t, l.Append(t.Context(), events(2, 1)...), "a writer is not hurt by one that is refused")
	locked()
	require.NoError(t, l.Close())
	require.NoError(t, open(t, s, "s").Close())
}

// oddIDs are told apart, and none of them leaves the store.
func oddIDs(t *testing.T, s session.Store) {
	ids := []string{
		".", "..", "~", "a/b", "a", "../a", "/a", `a\b`, "a~002Fb", "C:", "a b", "a\nb", "a\x00b",
		"grüße", "e\u0301", "é", "😀", "-", "session.jsonl", "a.", " ", "%2F", "*", "con",
	}
	for i, id := range ids {
		require.NoError(t, create(t, s, id, events(0, i+1)...).Close(), "%q", id)
	}
	for i, id := range ids {
		l := open(t, s, id)
		assert.Equal(t, id, l.Header().ID)
		holds(t, l, events(0, i+1))
		require.NoError(t, l.Close())
		v := view(t, s, id)
		assert.Equal(t, id, v.Header().ID)
		require.NoError(t, v.Close())
	}
	listed := []string{}
	for h, err := range s.List(t.Context()) {
		require.NoError(t, err)
		listed = append(listed, h.ID)
	}
	slices.Sort(listed)
	slices.Sort(ids)
	assert.Equal(t, ids, listed)
}

func header(t *testing.T, s session.Store) {
	cwd, parent, preset, origin, length := "/work/\"x\"", "p", "coder", "subagent", int64(7)
	for _, want := range []session.Header{
		{
			ID: "all", CreatedAt: 1_700_000_000_000, Cwd: &cwd, ParentSession: &parent, AgentPreset: &preset,
			Origin: &origin, SeedLength: &length, DelegationDepth: 2,
		},
		{ID: "few"},
	} {
		l, err := s.Create(t.Context(), want)
		require.NoError(t, err)
		assert.Equal(t, want, l.Header())
		require.NoError(t, l.Append(t.Context(), events(0, 1)...))
		assert.Equal(t, want, l.Header())
		require.NoError(t, l.Close())
		assert.Equal(t, want, open(t, s, want.ID).Header())
		assert.Equal(t, want, view(t, s, want.ID).Header())
	}
}

func listing(t *testing.T, s session.Store) {
	list := func() (ids []string) {
		for h, err := range s.List(t.Context()) {
			require.NoError(t, err)
			ids = append(ids, h.ID)
		}
		slices.Sort(ids)
		return ids
	}
	assert.Empty(t, list())
	want := []string{}
	for i := range 20 {
		id := fmt.Sprintf("s%02d", i)
		want = append(want, id)
		l := create(t, s, id, events(0, 1)...)
		if i%2 == 0 {
			require.NoError(t, l.Close())
		}
	}
	assert.Equal(t, want, list(), "open or closed")
}
