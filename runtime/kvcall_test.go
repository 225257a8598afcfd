package runtime

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// write is a call that sets a key, and succeeds or not.
func write(t *testing.T, g *Guest, session, key, value string, succeeds bool) {
	t.Helper()
	kv := openedKV(t, g, session)
	defer kv.close()
	require.True(t, kv.set(key, []byte(value)))
	if succeeds {
		kv.commit(t.Context())
	}
}

func read(t *testing.T, g *Guest, session, key string) string {
	t.Helper()
	kv := openedKV(t, g, session)
	defer kv.close()
	return string(kv.entries[key])
}

func TestKVBelongsToSourceGuestAndSession(t *testing.T) {
	g := kvGuest(nil)
	write(t, g, "s", "k", "mine", true)
	assert.Equal(t, "mine", read(t, g, "s", "k"))
	assert.Empty(t, read(t, g, "other", "k"))
	impostor := kvGuestOf(g.runtime, "there", "g")
	assert.Empty(t, read(t, impostor, "s", "k"))
	assert.Empty(t, read(t, kvGuestOf(g.runtime, "here", "h"), "s", "k"))
	write(t, impostor, "s", "k", "theirs", true)
	assert.Equal(t, "mine", read(t, g, "s", "k"))
}

func TestKVOfACallThatFailsIsDropped(t *testing.T) {
	g := kvGuest(nil)
	write(t, g, "s", "k", "1", true)
	write(t, g, "s", "k", "2", false)
	write(t, g, "s", "l", "3", false)
	assert.Equal(t, "1", read(t, g, "s", "k"))
	assert.Empty(t, read(t, g, "s", "l"))
	assert.Empty(t, g.runtime.kv.inUse, "nothing is left behind")
}

func TestKVWithoutASessionIsForgotten(t *testing.T) {
	g := kvGuest(nil)
	write(t, g, "", "k", "1", true)
	assert.Empty(t, read(t, g, "", "k"))
}

func TestKVNeedsTheGrant(t *testing.T) {
	g := kvGuest(nil)
	g.granted = capabilities{clock: true, random: true}
	kv := g.openKV("s")
	assert.Nil(t, kv)
	kv.commit(t.Context())
	kv.close()
	assert.Empty(t, g.runtime.kv.inUse)
}

func TestKVCallsOfAKeyFollowEachOther(t *testing.T) {
	g := kvGuest(nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				kv := g.openKV("s")
				assert.NoError(t, kv.open(context.Background()))
				assert.True(t, kv.set("n", append(bytes.Clone(kv.entries["n"]), 'x')))
				kv.commit(context.Background())
				kv.close()
			}
		})
	}
	wg.Wait()
	assert.Len(t, read(t, g, "s", "n"), 400, "no increment is lost")
	assert.Empty(t, g.runtime.kv.inUse)
}

// Whoever waits for another call gives up with its own.
func TestKVWaitEndsWithTheContext(t *testing.T) {
	g := kvGuest(nil)
	holder := openedKV(t, g, "s")
	waiting := g.openKV("s")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, waiting.open(ended), context.Canceled)
	waiting.close()
	openedKV(t, g, "other session").close()
	holder.close()
	openedKV(t, g, "s").close()
	assert.Empty(t, g.runtime.kv.inUse)
}

func TestEndSessionForgetsKV(t *testing.T) {
	g := kvGuest(nil)
	write(t, g, "s", "k", "1", true)
	write(t, g, "other", "k", "1", true)
	g.runtime.EndSession(t.Context(), "s")
	assert.Empty(t, read(t, g, "s", "k"))
	assert.Equal(t, "1", read(t, g, "other", "k"))
	g.EndSession(t.Context(), "other")
	assert.Empty(t, read(t, g, "other", "k"))
}

// A call that was running when its session ended leaves nothing behind, whether it had looked at its kv
// by then or not, and takes nothing from a session that has begun under the same id since.
func TestCallsThatOutliveTheirSession(t *testing.T) {
	for name, end := range map[string]func(*Guest){
		"of the runtime": func(g *Guest) { g.runtime.EndSession(t.Context(), "s") },
		"of the guest":   func(g *Guest) { g.EndSession(t.Context(), "s") },
	} {
		t.Run(name, func(t *testing.T) {
			g := kvGuest(nil)
			write(t, g, "s", "k", "1", true)
			looked, late := openedKV(t, g, "s"), g.openKV("s")
			require.True(t, looked.set("k", []byte("2")))
			end(g)
			write(t, g, "s", "new", "3", true) // does not wait for the old ones
			looked.commit(t.Context())
			looked.close()
			require.NoError(t, late.open(t.Context()))
			assert.Empty(t, late.entries)
			require.True(t, late.set("k", []byte("4")))
			late.commit(t.Context())
			late.close()
			assert.Empty(t, read(t, g, "s", "k"))
			assert.Equal(t, "3", read(t, g, "s", "new"))
			assert.Empty(t, g.runtime.kv.inUse)
		})
	}
}

// A brokenStore fails when it is told to, and counts.
type brokenStore struct {
	Store
	load, save   error
	loads, saves int
}

func (s *brokenStore) Load(ctx context.Context, key StoreKey) (map[string][]byte, error) {
	s.loads++
	if s.load != nil {
		return nil, s.load
	}
	return s.Store.Load(ctx, key)
}

func (s *brokenStore) Save(ctx context.Context, key StoreKey, entries map[string][]byte) error {
	s.saves++
	if s.save != nil {
		return s.save
	}
	return s.Store.Save(ctx, key, entries)
}

func TestKVOfABrokenStore(t *testing.T) {
	s := &brokenStore{Store: newMemoryStore(maxKVMemory)}
	g := kvGuest(s)
	var log strings.Builder
	g.logger = slog.New(slog.NewTextHandler(&log, nil))
	write(t, g, "s", "k", "1", true)

	s.load = errors.New("no disk")
	kv := g.openKV("s")
	require.NoError(t, kv.open(t.Context()))
	assert.True(t, kv.failed)
	kv.close()
	assert.Contains(t, log.String(), "no disk")
	log.Reset()

	s.load, s.save = nil, errors.New("disk full")
	write(t, g, "s", "k", "2", true)
	assert.Contains(t, log.String(), "disk full")
	assert.Equal(t, "1", read(t, g, "s", "k"))
}

// A store is asked for what is needed and no more.
func TestKVAsksTheStoreOnce(t *testing.T) {
	s := &brokenStore{Store: newMemoryStore(maxKVMemory)}
	g := kvGuest(s)
	kv := g.openKV("s")
	kv.commit(t.Context())
	kv.close()
	assert.Equal(t, [2]int{0, 0}, [2]int{s.loads, s.saves}, "never looked at")
	kv = openedKV(t, g, "s")
	require.False(t, kv.remove("k"))
	kv.commit(t.Context())
	kv.close()
	assert.Equal(t, [2]int{1, 0}, [2]int{s.loads, s.saves}, "only read")
	write(t, g, "s", "k", "v", true)
	write(t, g, "s", "k", "v", true)
	assert.Equal(t, [2]int{3, 1}, [2]int{s.loads, s.saves}, "the same again")
}

// The store's map is not the guest's to change, nor are values that the guest has handed over the guest's.
func TestKVDoesNotShareMemory(t *testing.T) {
	g := kvGuest(nil)
	write(t, g, "s", "k", "v", true)
	kv := openedKV(t, g, "s")
	value := []byte("w")
	require.True(t, kv.set("k", value))
	require.True(t, kv.set("l", value))
	value[0] = '!'
	kept, err := g.runtime.opts.Store.Load(t.Context(), kv.key)
	require.NoError(t, err)
	assert.Equal(t, entries("k", "v"), kept)
	kv.commit(t.Context())
	kv.close()
	assert.Equal(t, "w", read(t, g, "s", "l"))
}
