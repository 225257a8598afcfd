package wasi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasi"
)

func realClock(t *testing.T) *world {
	w := newWorld(t, 0)
	w.surround(wasi.Config{HostClock: true})
	return w
}

func TestRealClock(t *testing.T) {
	w := realClock(t)
	before := time.Now().Truncate(time.Microsecond)
	now := time.Unix(0, int64(w.now(realtime)))
	assert.False(t, now.Before(before), "%s is before %s", now, before)
	assert.False(t, now.After(time.Now()))
	assert.Zero(t, now.Nanosecond()%1000, "no finer than the resolution says")
	for id := range uint64(4) {
		last := w.now(id)
		time.Sleep(2 * time.Microsecond)
		assert.Greater(t, w.now(id), last, id)
		assert.Zero(t, w.now(id)%1000)
		require.EqualValues(t, success, w.call("clock_res_get", id, timeAt))
		assert.Equal(t, uint64(1000), w.mem.u64(timeAt))
	}
	assert.EqualValues(t, inval, w.call("clock_time_get", 4, 1, timeAt))
}

// Sleeping returns at once, and time does not jump: a guest that waits looks at the clock again.
func TestRealSleepReturnsAtOnce(t *testing.T) {
	w := realClock(t)
	day := uint64(24 * time.Hour)
	wall, mono := w.now(realtime), w.now(monotonic)
	code, events := w.poll(
		sub{mark: 1, id: monotonic, timeout: 2 * day},
		sub{mark: 2, id: realtime, timeout: wall + 5*day, absolute: true},
		sub{mark: 3, id: monotonic, timeout: day},
	)
	require.EqualValues(t, success, code)
	assert.Equal(t, []event{{3, success, 0}}, events)
	assert.Less(t, w.now(realtime)-wall, day/2)
	assert.Less(t, w.now(monotonic)-mono, day/2)
	// Again and again: nothing is used up by it.
	for range 100_000 {
		_, events = w.poll(sub{mark: 4, id: monotonic, timeout: ^uint64(0)})
		require.Len(t, events, 1)
	}
	_, events = w.poll(sub{mark: 5, id: monotonic, timeout: 2 * day}, sub{mark: 6, id: monotonic, timeout: day})
	assert.Equal(t, []event{{6, success, 0}}, events)
	_, events = w.poll(sub{mark: 7, id: realtime, timeout: wall, absolute: true})
	assert.Equal(t, []event{{7, success, 0}}, events, "a time in the past")
}

// An instance that is put back to an earlier state must not see time run backwards.
func TestRealClockIsNotPutBack(t *testing.T) {
	w := realClock(t)
	image := w.system.Image()
	last := w.now(monotonic)
	w.system.Reset(&image)
	assert.GreaterOrEqual(t, w.now(monotonic), last)
	w.system.Reset(nil)
	assert.GreaterOrEqual(t, w.now(monotonic), last)
	other := realClock(t)
	assert.GreaterOrEqual(t, other.now(monotonic), last, "nor one that was made later")
}

func TestRealRandomness(t *testing.T) {
	w := newWorld(t, 0)
	draw := func() string {
		require.EqualValues(t, success, w.call("random_get", 64, 32))
		return string(w.mem[64:96])
	}
	seeded := draw()
	seen := map[string]bool{seeded: true}
	w.surround(wasi.Config{HostRandom: true})
	for range 100 {
		w.system.Reset(nil)
		drawn := draw()
		assert.False(t, seen[drawn], "drawn twice")
		seen[drawn] = true
	}
	assert.EqualValues(t, fault, w.call("random_get", outside, 2))
}

// The two are granted apart.
func TestOneWithoutTheOther(t *testing.T) {
	w := newWorld(t, 0)
	random, now := w.look()[0], w.now(monotonic)
	w.surround(wasi.Config{HostClock: true})
	assert.Equal(t, random, w.look()[0])
	w.surround(wasi.Config{HostRandom: true})
	w.look()
	assert.Equal(t, now, w.now(monotonic))
}
