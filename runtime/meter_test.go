package runtime

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// A cell is a global of no instance.
type cell uint64

func (c *cell) Get() uint64 { return uint64(*c) }

func (c *cell) Set(v uint64) { *c = cell(v) }

func newTestMeter() *meter { return &meter{fuel: new(cell), depth: new(cell), largest: largestSlice} }

// newTestState returns the state of a call that has fuel for everything.
func newTestState(t *testing.T, config map[string]string, granted capabilities, logBytes int) *HostState {
	t.Helper()
	s := newHostState([32]byte{}, config, granted, logBytes)
	s.meter = *newTestMeter()
	s.begin(t.Context(), 1<<40, time.Hour)
	return s
}

// burn takes fuel as the code of a guest does.
func (m *meter) burn(units int64, check bool) error {
	left := int64(m.fuel.Get()) - units
	m.fuel.Set(uint64(left))
	if check && left < 0 {
		return m.tick(wasmbin.TickFuel)
	}
	return nil
}

// Out of fuel means that all that was taken is more than the budget, at the first check behind it or at
// the end, however large the slices were.
func TestFuelDoesNotDependOnSlices(t *testing.T) {
	type step struct {
		units int64
		kind  int // 0 code, 1 code with a check, 2 host function
	}
	rapid.Check(t, func(rt *rapid.T) {
		budget := rapid.OneOf(rapid.Int64Range(0, 2000), rapid.Int64Range(0, 3_000_000)).Draw(rt, "budget")
		steps := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) step {
			return step{rapid.OneOf(rapid.Int64Range(0, 50), rapid.Int64Range(0, 400_000)).Draw(rt, "units"), rapid.IntRange(0, 2).Draw(rt, "kind")}
		}), 0, 60).Draw(rt, "steps")

		m := newTestMeter()
		m.begin(context.Background(), uint64(budget), time.Hour)
		total, spent := int64(0), false
		for i, s := range steps {
			m.slice = rapid.Int64Range(1, largestSlice).Draw(rt, "slice")
			var err error
			if s.kind == 2 {
				err = m.charge(int(s.units))
			} else {
				err = m.burn(s.units, s.kind == 1)
			}
			total += s.units
			spent = s.kind != 0 && total > budget
			var out *outOfFuel
			if errors.As(err, &out) != spent {
				rt.Fatalf("step %d: %v after %d of %d", i, err, total, budget)
			}
			if spent {
				break
			}
		}
		used, err := m.end()
		if used != uint64(total) || (err != nil) != (total > budget) {
			rt.Fatalf("used %d and %v, want %d of %d", used, err, total, budget)
		}
	})
}

func TestSlicesFollowTheClock(t *testing.T) {
	m := newTestMeter()
	m.begin(t.Context(), 1<<40, time.Hour)
	start := time.Now()
	m.adapt(start)
	assert.Equal(t, int64(2*firstSlice), m.slice, "nobody knows how long the first took")
	m.lastTick = start
	for _, test := range []struct {
		took time.Duration
		want int64
	}{
		{shortSlice - 1, 4 * firstSlice}, {shortSlice, 4 * firstSlice}, {longSlice, 4 * firstSlice},
		{longSlice + 1, 2 * firstSlice}, {time.Second, firstSlice},
	} {
		m.adapt(start.Add(test.took))
		assert.Equal(t, test.want, m.slice, test.took)
	}
	for range 20 {
		m.adapt(start)
	}
	assert.Equal(t, int64(largestSlice), m.slice)
	for range 20 {
		m.adapt(start.Add(time.Second))
	}
	assert.Equal(t, int64(minSlice), m.slice)
}

// What lies in a large memory may be far away. What is left of a slice that was handed out before is taken
// back, and no fuel is lost with it.
func TestSlicesAreSmallInLargeMemories(t *testing.T) {
	m := newTestMeter()
	m.has(cachedMemory)
	m.begin(t.Context(), 1<<40, time.Hour)
	for range 20 {
		require.NoError(t, m.burn(int64(m.fuel.Get())+1, true))
	}
	assert.Equal(t, int64(largestSlice), m.slice)
	used, err := m.end()
	require.NoError(t, err)
	m.has(cachedMemory + 1)
	assert.Equal(t, int64(coldSlice), m.slice)
	assert.Equal(t, uint64(coldSlice), m.fuel.Get())
	still, err := m.end()
	require.NoError(t, err)
	assert.Equal(t, used, still)
	require.NoError(t, m.burn(coldSlice+1, true))
	assert.Equal(t, int64(coldSlice), m.slice)
	m.fuel.Set(3)
	m.has(cachedMemory + 2)
	assert.Equal(t, uint64(3), m.fuel.Get())
}

func TestTickEndsTheRun(t *testing.T) {
	m := newTestMeter()
	ctx, cancel := context.WithCancel(t.Context())
	m.begin(ctx, 1<<40, time.Hour)
	assert.ErrorIs(t, m.tick(wasmbin.TickStack), errStackFull)
	require.NoError(t, m.burn(firstSlice, true), "0 is left")
	require.NoError(t, m.burn(1, true))
	cancel()
	assert.ErrorIs(t, m.burn(1<<30, true), context.Canceled)

	m.begin(t.Context(), 1<<40, time.Nanosecond)
	require.NoError(t, m.look(time.Now()), "the time begins with the first look")
	time.Sleep(time.Microsecond)
	err := m.burn(1<<30, true)
	assert.ErrorAs(t, err, new(*outOfTime))
	assert.EqualError(t, err, "it did not return within 1ns")
}

// A guest that leaves its work to the host is looked at as well.
func TestHostFunctionsAreLookedAt(t *testing.T) {
	m := newTestMeter()
	ctx, cancel := context.WithCancel(t.Context())
	m.begin(ctx, 1<<40, time.Hour)
	cancel()
	calls := 0
	for m.charge(callFuel) == nil {
		calls++
		require.Less(t, calls, 2*firstSlice/callFuel)
	}
	assert.Equal(t, firstSlice/callFuel-1, calls)
}

func TestWaitingEndsWithTheTimeOfTheCall(t *testing.T) {
	s := newTestState(t, nil, capabilities{}, 0)
	s.begin(t.Context(), 1<<40, time.Millisecond)
	ctx, cancel := s.waiting()
	defer cancel()
	<-ctx.Done()
	assert.ErrorAs(t, context.Cause(ctx), new(*outOfTime))
}
