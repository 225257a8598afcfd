package registry_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/registry"
)

func TestWithTakesTheIDOfARegisteredOne(t *testing.T) {
	var r registry.Registry
	for _, c := range []registry.Contribution{{ID: "b", Source: "guest@1"}, {ID: "a", Source: "guest@1"}} {
		_, err := r.Register(c)
		require.NoError(t, err)
	}
	before := r.Snapshot()
	first, second := &registry.Contribution{ID: "b", Source: "client"}, &registry.Contribution{ID: "b", Source: "client"}
	snap := before.With(first, second)
	chosen, _ := snap.Select(&registry.RenderContext{})
	require.Len(t, chosen, 3)
	assert.Equal(t, "a", chosen[0].ID)
	assert.Same(t, first, chosen[1], "of equal ids the order is that of the list")
	assert.Same(t, second, chosen[2])
	assert.Equal(t, []registry.Replaced{{ID: "b", Source: "guest@1", By: "client"}}, snap.Replaced)
	assert.Len(t, before.Contributions, 2, "the snapshot itself stays")
	assert.Empty(t, before.Replaced)
	assert.Equal(t, before, before.With())
}

// One snapshot serves turns that run at the same time.
func TestWithLeavesTheSnapshotAsItIs(t *testing.T) {
	roomy := append(make([]registry.Replaced, 0, 4), registry.Replaced{ID: "z"})
	s := registry.Snapshot{Contributions: []*registry.Contribution{{ID: "a"}, {ID: "b"}}, Replaced: roomy}
	first := s.With(&registry.Contribution{ID: "a"})
	second := s.With(&registry.Contribution{ID: "b"})
	assert.Equal(t, []registry.Replaced{{ID: "z"}, {ID: "a"}}, first.Replaced)
	assert.Equal(t, []registry.Replaced{{ID: "z"}, {ID: "b"}}, second.Replaced)
}

// What is registered and what comes with a turn are in the order in which they would be if all were
// registered.
func TestWithKeepsTheOneOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		priorities := []float64{0, 0, 0, 1, -1, 0.5, math.Inf(1), math.Inf(1), math.NaN()}
		ids := []string{"a", "B", "b", "ä", "a\u0308", "_", "a/1", "10", "9"} // two are spellings of one
		draw := func(name string) []*registry.Contribution {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) *registry.Contribution {
				return &registry.Contribution{ID: rapid.SampledFrom(ids).Draw(t, "id"), Priority: rapid.SampledFrom(priorities).Draw(t, "priority")}
			}), 0, 8).Draw(t, name)
		}
		var r registry.Registry
		for _, c := range draw("registered") {
			_, err := r.Register(*c)
			require.NoError(t, err)
		}
		extra := draw("extra")
		snap := r.Snapshot().With(extra...)
		rc := &registry.RenderContext{}
		chosen, _ := snap.Select(rc)
		plain, _ := registry.Snapshot{Contributions: snap.Contributions}.Select(rc) // nothing is ordered in advance
		require.Equal(t, len(plain), len(chosen))
		for i := range plain {
			require.Same(t, plain[i], chosen[i], "place %d", i)
		}
	})
}
