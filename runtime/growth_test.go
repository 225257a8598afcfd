package runtime

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// What the engine is going to refuse takes nothing from the budget.
func TestGrowthBeyondTheModulesOwnMaximum(t *testing.T) {
	a := &Artifact{module: &wasmbin.Module{Memories: []wasmbin.Memory{{Min: 1, Max: 3, HasMax: true}}}}
	assert.EqualValues(t, 3<<16, a.mostBytes())
	a.module.Memories[0].Max = 1 << 16
	assert.EqualValues(t, maxMemory, a.mostBytes(), "4 GiB are a page too much")
	a.module.Memories[0].HasMax = false
	assert.EqualValues(t, maxMemory, a.mostBytes())
}

// A guest may ask a million times, and each time the budget would look at all guests.
func TestBudgetIsNotAskedTwiceForTheSame(t *testing.T) {
	asked := 0
	s := &HostState{memoryBytes: 100 << 16, budget: newBudget(10<<16, func() bool { asked++; return false })}
	for range 3 {
		assert.False(t, s.grow(1<<16, 20))
		assert.False(t, s.grow(1<<16, 12))
		assert.False(t, s.grow(1<<16, 13))
	}
	assert.True(t, s.grow(1<<16, 9), "there is room for less")
	assert.False(t, s.grow(10<<16, 5))
	assert.Equal(t, 1, asked, "for 5 pages; 12 and more are more than there ever is")
	assert.False(t, s.grow(10<<16, 5))
	assert.Equal(t, 1, asked)
	s.budget.give(9 << 16)
	s.refused = 0 // as at the next call
	assert.True(t, s.grow(1<<16, 5))
}
