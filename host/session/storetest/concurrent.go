package storetest

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/session"
)

// concurrent has readers that look while one writer writes. Each of them sees a beginning of the log.
func concurrent(t *testing.T, s session.Store) {
	const batches, size, readers = 60, 5, 4
	l := create(t, s, "s", events(0, 1)...)
	written := make(chan struct{})
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			last := int64(0)
			for done := false; !done; {
				select {
				case <-written:
					done = true // and once more
				default:
				}
				v, err := s.View(t.Context(), "s")
				if !assert.NoError(t, err) {
					return
				}
				next := int64(0)
				for e, err := range v.Events(t.Context(), 0) {
					if !assert.NoError(t, err) || !assert.Equal(t, next, e.Seq) ||
						!assert.Equal(t, fmt.Sprintf(`{"n":%d}`, next), string(e.Data)) {
						break
					}
					next++
				}
				assert.Equal(t, v.Next(), next)
				assert.GreaterOrEqual(t, next, last, "what was there is still there")
				last = next
				assert.NoError(t, v.Close())
				for h, err := range s.List(t.Context()) {
					assert.NoError(t, err)
					assert.Equal(t, "s", h.ID)
				}
				_, err = s.Open(t.Context(), "s")
				assert.ErrorIs(t, err, session.ErrLocked)
			}
			assert.Equal(t, int64(1+batches*size), last)
		})
	}
	for range batches {
		assert.NoError(t, l.Append(t.Context(), events(l.Next(), size)...))
	}
	close(written)
	wg.Wait()
	holds(t, l, events(0, 1+batches*size))
}

// sideBySide has several sessions written at the same time, and one that many want to create.
func sideBySide(t *testing.T, s session.Store) {
	const sessions = 6
	won := make(chan session.Log, sessions)
	var wg sync.WaitGroup
	for i := range sessions {
		wg.Go(func() {
			id := fmt.Sprintf("s%d", i)
			l, err := s.Create(t.Context(), session.Header{ID: id})
			if !assert.NoError(t, err) {
				return
			}
			for range 10 {
				assert.NoError(t, l.Append(t.Context(), events(l.Next(), i+1)...))
			}
			assert.NoError(t, l.Close())

			l, err = s.Create(t.Context(), session.Header{ID: "wanted"})
			if err == nil {
				err = l.Append(t.Context(), events(0, 1)...)
			}
			if err == nil {
				won <- l
				return
			}
			assert.ErrorIs(t, err, session.ErrExists)
			if l != nil {
				assert.NoError(t, l.Close())
			}
		})
	}
	wg.Wait()
	require.Len(t, won, 1)
	require.NoError(t, (<-won).Close())
	for i := range sessions {
		holds(t, view(t, s, fmt.Sprintf("s%d", i)), events(0, 10*(i+1)))
	}
	holds(t, view(t, s, "wanted"), events(0, 1))
}

// sessionOnStore goes the whole way once: a turn is interrupted, and the session taken up again.
func sessionOnStore(t *testing.T, s session.Store) {
	w, err := session.Create(t.Context(), s, session.Header{ID: "s"}, session.Options{})
	require.NoError(t, err)
	_, err = w.Append(t.Context(),
		session.Event{Type: session.TurnStart, Data: json.RawMessage(`{"turn":1}`)},
		session.Event{Type: session.UserMessage, SurfaceOp: session.AtEnd(), Data: json.RawMessage(
			`{"id":"u","role":"user","content":[{"type":"text","text":"hello"}],"source":{"kind":"user"}}`)})
	require.NoError(t, err)
	require.NoError(t, w.Sync(t.Context()))
	require.NoError(t, w.Close())

	w, r, err := session.Open(t.Context(), s, "s", session.Options{})
	require.NoError(t, err)
	defer w.Close()
	require.Len(t, r.Closed, 1)
	assert.Equal(t, session.TurnEnd, r.Closed[0].Type)
	assert.Equal(t, session.EndSeed, w.State().Last())
	require.Len(t, w.Messages(), 1)
	assert.Equal(t, "hello", w.Messages()[0].Content[0].Text)
	_, _, err = session.Open(t.Context(), s, "s", session.Options{})
	require.ErrorIs(t, err, session.ErrLocked)
	types := []string{}
	for e, err := range w.Events(t.Context(), 0) {
		require.NoError(t, err)
		types = append(types, e.Type)
	}
	assert.Equal(t, []string{session.TurnStart, session.UserMessage, session.TurnEnd, session.EndSeed}, types)
}
