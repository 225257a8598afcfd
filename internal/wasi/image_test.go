package wasi_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasi"
)

// look returns what a guest can see of its surroundings: random numbers, times, open descriptors.
func (w *world) look() (seen []any) {
	w.t.Helper()
	require.EqualValues(w.t, success, w.call("random_get", 128, 13)) // not a multiple of the generator's words
	seen = append(seen, string(w.mem[128:141]), w.now(realtime), w.now(monotonic))
	for fd := range uint64(3) {
		seen = append(seen, w.call("fd_tell", fd, 64))
	}
	return seen
}

// spoil changes everything that a guest can change.
func (w *world) spoil() {
	w.t.Helper()
	w.call("random_get", 64, 1001)
	w.poll(sub{id: monotonic, timeout: uint64(time.Hour)})
	w.call("fd_close", 0)
	w.call("fd_close", 1)
}

func TestResetToTheStart(t *testing.T) {
	w := newWorld(t, 1)
	first := w.look()
	w.spoil()
	assert.NotEqual(t, first[3:], w.look()[3:])
	w.system.Reset(nil)
	assert.Equal(t, first, w.look())
}

// A guest starts, draws numbers, closes its input; every call sees what came next then, in this instance
// and in others.
func TestResetToAnImage(t *testing.T) {
	w := newWorld(t, 1)
	w.call("random_get", 64, 7)
	w.now(realtime)
	w.call("fd_close", 0)
	image := w.system.Image()
	first := w.look()
	for range 3 {
		w.spoil()
		w.system.Reset(&image)
		assert.Equal(t, first, w.look())
	}
	other := newWorld(t, 1)
	other.system.Reset(&image)
	assert.Equal(t, first, other.look())
	w.system.Reset(nil)
	assert.NotEqual(t, first, w.look())
}

func TestResetDoesNotAllocate(t *testing.T) {
	w := newWorld(t, 1)
	image := w.system.Image()
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		w.system.Reset(&image)
		w.system.Reset(nil)
	}))
}

// A reset ends the refusals of a guest that could not pay.
func TestResetForgetsAFailure(t *testing.T) {
	w := newWorld(t, 0)
	broke := true
	w.surround(wasi.Config{Charge: func(int) error {
		if broke {
			return assert.AnError
		}
		return nil
	}})
	require.Error(t, w.calls["random_get"].Call(w.system, w.mem, []uint64{0, 8}))
	broke = false
	w.system.Reset(nil)
	assert.EqualValues(t, success, w.call("random_get", 0, 8))
}
