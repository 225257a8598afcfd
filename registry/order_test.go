package registry

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The order that a registry keeps gives every turn what filtering first and sorting then would.
func TestSelectingFromTheKeptOrder(t *testing.T) {
	id := rapid.StringOfN(rapid.RuneFrom([]rune("aAbé_1\x01")), 1, 2, -1)
	providers := rapid.SampledFrom([][]string{nil, nil, {}, {"p"}, {"q"}, {"p", "q"}})
	tools := rapid.SampledFrom([][]string{nil, nil, {"t"}, {"u", "t"}})
	priority := rapid.SampledFrom([]float64{0, 0, 1, -1.5, math.Inf(1), math.Inf(-1), math.NaN()})
	rapid.Check(t, func(t *rapid.T) {
		var r Registry
		for range rapid.IntRange(0, 12).Draw(t, "contributions") {
			_, err := r.Register(Contribution{ID: id.Draw(t, "id"), Priority: priority.Draw(t, "priority"),
				Providers: providers.Draw(t, "providers"), ActiveTools: tools.Draw(t, "tools")})
			require.NoError(t, err)
		}
		snap := r.Snapshot()
		for range 2 {
			rc := &RenderContext{Provider: rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "provider"),
				ActiveTools: rapid.SampledFrom([][]string{nil, {"t"}, {"t", "u"}}).Draw(t, "active")}
			var want []*Contribution
			var out []Exclusion
			for _, c := range snap.Contributions {
				if missing, reason := filter(c, rc); reason == "" {
					want = append(want, c)
				} else {
					out = append(out, Exclusion{c, reason, missing})
				}
			}
			slices.SortStableFunc(want, compare)
			chosen, excluded := snap.Select(rc)
			require.Equal(t, ids(want), ids(chosen))
			require.Equal(t, out, excluded)
		}
	})
}

func TestSnapshotsAreThoseOfNow(t *testing.T) {
	var r Registry
	b := mustRegister(t, &r, Contribution{ID: "b"})
	before := r.Snapshot()
	mustRegister(t, &r, Contribution{ID: "a"})
	chosen, _ := r.Snapshot().Select(&RenderContext{})
	require.Equal(t, "a b", ids(chosen))
	mustRegister(t, &r, Contribution{ID: "a", Priority: 1})
	chosen, _ = r.Snapshot().Select(&RenderContext{})
	require.Equal(t, "b a", ids(chosen))
	b.Unregister()
	chosen, _ = r.Snapshot().Select(&RenderContext{})
	require.Equal(t, "a", ids(chosen))
	chosen, _ = before.Select(&RenderContext{})
	require.Equal(t, "b", ids(chosen))
}
