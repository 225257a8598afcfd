package runtime_test

import (
	"context"
	goruntime "runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/runtime"
)

// residue measures what is left after garbage collection. It waits for goroutines that end until there are no more
// than before, if that is set.
func residue(before int) (heap uint64, goroutines int) {
	for waited := time.Duration(0); ; waited += 5 * time.Millisecond {
		goruntime.GC()
		time.Sleep(5 * time.Millisecond)
		goroutines = goruntime.NumGoroutine()
		if waited > 10*time.Millisecond && goroutines <= before || waited > time.Minute {
			break
		}
	}
	var m goruntime.MemStats
	goruntime.ReadMemStats(&m)
	return m.HeapAlloc, goroutines
}

// alone is how many goroutines there are when nothing ends any more.
func alone() int {
	n := goruntime.NumGoroutine()
	for same := 0; same < 20; same++ {
		time.Sleep(5 * time.Millisecond)
		if now := goruntime.NumGoroutine(); now != n {
			n, same = now, 0
		}
	}
	return n
}

// After Close nothing is left: no goroutine, and no memory of guests.
func TestNothingIsLeft(t *testing.T) {
	cycle := func() {
		r := runtime.New(enginetest.New(), runtime.Options{Limits: unhurried})
		var guests []*runtime.Guest
		for range 3 {
			guests = append(guests, load(t, r, counting(abi.StateNone)), load(t, r, counting(abi.StateSession)))
		}
		for _, g := range guests {
			for range 5 {
				_, err := render(context.Background(), g)
				require.NoError(t, err)
			}
		}
		require.NoError(t, r.Close(context.Background()))
	}
	for range 3 {
		cycle()
	}
	heap, goroutines := residue(alone())
	for range 20 {
		cycle()
	}
	heapAfter, goroutinesAfter := residue(goroutines)
	assert.LessOrEqual(t, goroutinesAfter, goroutines)
	assert.Less(t, int64(heapAfter)-int64(heap), int64(1<<20), "120 guests of 64 KiB were opened and closed")
}
