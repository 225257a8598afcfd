package wasi_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasi"
)

// What makes the host work is paid for by its length, before it is done.
func TestWorkIsCharged(t *testing.T) {
	for name, test := range map[string]struct {
		prepare func(*world)
		args    []uint64
		want    []int
	}{
		"random": {nil, []uint64{64, 100}, []int{100}},
		"random, in pieces": {func(w *world) { w.mem = make(memory, 1<<20) },
			[]uint64{0, 150 << 10}, []int{64 << 10, 64 << 10, 22 << 10}},
		"write": {func(w *world) { w.mem.put32(128, 0, 5, 0, 0, 9, 7) }, []uint64{1, 128, 3, 64}, []int{192, 5, 0, 7}},
		"poll": {func(w *world) { w.mem[subsAt+8], w.mem[subsAt+48+8] = 1, 1 },
			[]uint64{subsAt, eventAt, 2, countAt}, []int{160}},
	} {
		function := map[string]string{"rand": "random_get", "writ": "fd_write", "poll": "poll_oneoff"}[name[:4]]
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, 0)
			var charged []int
			w.surround(wasi.Config{Charge: func(n int) error { charged = append(charged, n); return nil }})
			if test.prepare != nil {
				test.prepare(w)
			}
			require.EqualValues(t, success, w.call(function, test.args...))
			assert.Equal(t, test.want, charged)

			// Whichever payment is refused: the guest ends there, and what it could not pay for is not done.
			broke := errors.New("no more")
			for refused := range test.want {
				w := newWorld(t, 0)
				paid := 0
				w.surround(wasi.Config{Charge: func(n int) error {
					if paid == refused {
						return broke
					}
					paid++
					return nil
				}})
				if test.prepare != nil {
					test.prepare(w)
				}
				err := w.calls[function].Call(w.system, w.mem, append([]uint64(nil), test.args...))
				require.ErrorIs(t, err, broke)
				assert.Less(t, w.pieces, 3)
				assert.Equal(t, refused, paid)
			}
		})
	}
}

// Real random numbers come from the kernel, which takes longer.
func TestRealRandomnessIsDearer(t *testing.T) {
	w := newWorld(t, 0)
	w.mem = make(memory, 1<<20)
	var charged []int
	w.surround(wasi.Config{HostRandom: true, Charge: func(n int) error { charged = append(charged, n); return nil }})
	require.EqualValues(t, success, w.call("random_get", 0, 65<<10))
	assert.Equal(t, []int{256 << 10, 4 << 10}, charged)
}

// Random numbers that were not paid for are not given.
func TestNoRandomnessOnCredit(t *testing.T) {
	w := newWorld(t, 0)
	w.mem = make(memory, 1<<20)
	calls := 0
	w.surround(wasi.Config{Charge: func(int) error {
		if calls++; calls == 2 {
			return errors.New("no more")
		}
		return nil
	}})
	require.Error(t, w.calls["random_get"].Call(w.system, w.mem, []uint64{0, 1 << 20}))
	assert.NotEqual(t, make([]byte, 64<<10), []byte(w.mem[:64<<10]))
	assert.Equal(t, make([]byte, 1<<20-64<<10), []byte(w.mem[64<<10:]))
}
