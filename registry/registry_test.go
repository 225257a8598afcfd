package registry

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func ids(list []*Contribution) string {
	var out []string
	for _, c := range list {
		out = append(out, c.ID)
	}
	return strings.Join(out, " ")
}

func mustRegister(t testing.TB, r *Registry, c Contribution) *Registration {
	t.Helper()
	reg, err := r.Register(c)
	require.NoError(t, err)
	return reg
}

func TestBlankNamesAreRefused(t *testing.T) {
	var r Registry
	for _, blank := range []string{"", " \n", "\uFEFF\u3000"} {
		_, err := r.Register(Contribution{ID: blank})
		assert.ErrorIs(t, err, ErrIDRequired)
		assert.EqualError(t, err, "A developer message contribution needs an id")
		_, err = r.RegisterAdapter(Adapter{Provider: blank})
		assert.ErrorIs(t, err, ErrProviderRequired)
		assert.EqualError(t, err, "A system prompt payload adapter needs a provider")
	}
	mustRegister(t, &r, Contribution{ID: "\u0085"}) // not white space in JavaScript
	assert.Equal(t, "\u0085", ids(r.Snapshot().Contributions))
	_, err := r.RegisterDefaultAdapter("", Adapter{})
	assert.Error(t, err)
}

func TestReplacementKeepsThePlaceAndIdentityRules(t *testing.T) {
	var r Registry
	a1 := mustRegister(t, &r, Contribution{ID: "a", Priority: 1})
	mustRegister(t, &r, Contribution{ID: "b"})
	before := r.Snapshot()
	a2 := mustRegister(t, &r, Contribution{ID: "a", Priority: 2})
	assert.Equal(t, "a b", ids(r.Snapshot().Contributions))
	assert.Equal(t, 2.0, r.Snapshot().Contributions[0].Priority)
	assert.Equal(t, 1.0, before.Contributions[0].Priority, "an earlier snapshot does not move")

	a1.Unregister()
	assert.Equal(t, "a b", ids(r.Snapshot().Contributions), "a stale handle removes nothing")
	a2.Unregister()
	a2.Unregister()
	assert.Equal(t, "b", ids(r.Snapshot().Contributions))
	a3 := mustRegister(t, &r, Contribution{ID: "a"})
	a2.Unregister()
	assert.Equal(t, "b a", ids(r.Snapshot().Contributions))
	a3.Unregister()
	(*Registration)(nil).Unregister()
}

func TestRegistrationsAreCopied(t *testing.T) {
	var r Registry
	providers := []string{"p"}
	mustRegister(t, &r, Contribution{ID: "a", Providers: providers})
	providers[0] = "q"
	assert.Equal(t, []string{"p"}, r.Snapshot().Contributions[0].Providers)
	mustRegister(t, &r, Contribution{ID: "b", Providers: []string{}})
	assert.NotNil(t, r.Snapshot().Contributions[1].Providers, "an empty list stays a filter")
}

func TestReplacedIsExplained(t *testing.T) {
	var r Registry
	old := mustRegister(t, &r, Contribution{ID: "a", Source: "guest-1"})
	by := mustRegister(t, &r, Contribution{ID: "a", Source: "guest-2"})
	assert.Equal(t, []Replaced{{"a", "guest-1", "guest-2"}}, r.Snapshot().Replaced)

	regs, err := r.Replace([]*Registration{by}, Entries{Contributions: []Contribution{{ID: "a", Source: "guest-2"}}})
	require.NoError(t, err)
	assert.Equal(t, []Replaced{{"a", "guest-1", "guest-2"}}, r.Snapshot().Replaced, "a reload is no new replacement")
	old.Unregister()
	assert.Empty(t, r.Snapshot().Replaced)
	mustRegister(t, &r, Contribution{ID: "a"})
	assert.Equal(t, []Replaced{{"a", "guest-2", ""}}, r.Snapshot().Replaced)
	regs[0].Unregister()
	assert.Empty(t, r.Snapshot().Replaced)
	mustRegister(t, &r, Contribution{ID: "n"})
	last := mustRegister(t, &r, Contribution{ID: "n"})
	assert.Len(t, r.Snapshot().Replaced, 1)
	last.Unregister()
	assert.Empty(t, r.Snapshot().Replaced, "nobody holds the id any more")
}

func TestReplaceIsAtomic(t *testing.T) {
	var r Registry
	old, err := r.Replace(nil, Entries{Contributions: []Contribution{{ID: "a"}, {ID: "b"}}, Adapters: []Adapter{{Provider: "p", Source: "1"}}})
	require.NoError(t, err)
	require.Len(t, old, 3)
	mustRegister(t, &r, Contribution{ID: "c"})

	_, err = r.Replace(old, Entries{Contributions: []Contribution{{ID: "x"}, {ID: " "}}})
	require.ErrorIs(t, err, ErrIDRequired)
	_, err = r.Replace(old, Entries{Contributions: []Contribution{{ID: "x"}}, Adapters: []Adapter{{}}})
	require.ErrorIs(t, err, ErrProviderRequired)
	assert.Equal(t, "a b c", ids(r.Snapshot().Contributions), "a refused exchange changes nothing")

	fresh, err := r.Replace(old, Entries{Contributions: []Contribution{{ID: "b", Priority: 5}, {ID: "d"}}, Adapters: []Adapter{{Provider: "p", Source: "2"}}})
	require.NoError(t, err)
	assert.Equal(t, "b c d", ids(r.Snapshot().Contributions))
	a, kind, ok := r.FindAdapter("p", "", "")
	require.True(t, ok)
	assert.Equal(t, Registered, kind)
	assert.Equal(t, "2", a.Source)
	for _, reg := range old {
		reg.Unregister()
	}
	assert.Equal(t, "b c d", ids(r.Snapshot().Contributions))
	_, err = r.Replace(fresh, Entries{})
	require.NoError(t, err)
	assert.Equal(t, "c", ids(r.Snapshot().Contributions))
	_, _, ok = r.FindAdapter("p", "", "")
	assert.False(t, ok)
}

func TestSelect(t *testing.T) {
	list := []*Contribution{
		{ID: "other", Providers: []string{"q"}},
		{ID: "none", Providers: []string{}},
		{ID: "tool", ActiveTools: []string{"x", "y", "x", "z"}},
		{ID: "B", Priority: 1},
		{ID: "a", Priority: 1, ActiveTools: []string{}},
		{ID: "neg", Priority: -0.5},
		{ID: "mine", Providers: []string{"p"}, ActiveTools: []string{"y", "y"}},
		{ID: "inf2", Priority: math.Inf(1)},
		{ID: "inf1", Priority: math.Inf(1)},
	}
	rc := &RenderContext{Provider: "p", ActiveTools: []string{"y"}}
	chosen, excluded := Snapshot{Contributions: list}.Select(rc)
	assert.Equal(t, "neg mine a B inf1 inf2", ids(chosen))
	require.Len(t, excluded, 3)
	assert.Equal(t, Exclusion{list[0], ProviderNotListed, nil}, excluded[0])
	assert.Equal(t, ProviderNotListed, excluded[1].Reason)
	assert.Equal(t, Exclusion{list[2], ToolInactive, []string{"x", "z"}}, excluded[2])

	_, excluded = Snapshot{Contributions: list[:2]}.Select(&RenderContext{})
	assert.Equal(t, ProviderUnknown, excluded[0].Reason)
	assert.Equal(t, ProviderUnknown, excluded[1].Reason)
}

// A model of the registry as the protocol states it: a map in insertion order.
func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Registry
		type entry struct {
			id  string
			reg *Registration
		}
		var table []entry
		var handles []entry
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			if len(handles) > 0 && rapid.Bool().Draw(t, "unregister") {
				h := rapid.SampledFrom(handles).Draw(t, "handle")
				h.reg.Unregister()
				for i, e := range table {
					if e.reg == h.reg {
						table = append(table[:i:i], table[i+1:]...)
						break
					}
				}
			} else {
				id := rapid.StringMatching("[a-d]").Draw(t, "id")
				reg, err := r.Register(Contribution{ID: id})
				require.NoError(t, err)
				e := entry{id, reg}
				handles = append(handles, e)
				placed := false
				for i := range table {
					if table[i].id == id {
						table[i], placed = e, true
					}
				}
				if !placed {
					table = append(table, e)
				}
			}
			got := r.Snapshot().Contributions
			require.Len(t, got, len(table))
			for i, e := range table {
				require.Same(t, e.reg.contribution, got[i])
			}
		}
	})
}

func TestConcurrentUse(t *testing.T) {
	var r Registry
	mustRegister(t, &r, Contribution{ID: "stays"})
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			var regs []*Registration
			for i := range 200 {
				var err error
				regs, err = r.Replace(regs, Entries{
					Contributions: []Contribution{{ID: fmt.Sprint("g", worker)}, {ID: fmt.Sprint("h", worker), Priority: float64(i)}},
					Adapters:      []Adapter{{Provider: "p", APIs: []string{"x"}}},
				})
				if !assert.NoError(t, err) {
					return
				}
			}
			_, err := r.Replace(regs, Entries{}) // Unregister takes them out one by one
			assert.NoError(t, err)
		})
		wg.Go(func() {
			for range 200 {
				chosen, _ := r.Snapshot().Select(&RenderContext{})
				var mine int
				for _, c := range chosen {
					if strings.HasSuffix(c.ID, fmt.Sprint(worker)) {
						mine++
					}
				}
				assert.Contains(t, []int{0, 2}, mine, "a guest's entries appear together")
				r.FindAdapter("p", "x", "m")
			}
		})
	}
	wg.Wait()
	assert.Equal(t, "stays", ids(r.Snapshot().Contributions))
}

func TestFailurePolicyText(t *testing.T) {
	for _, p := range []FailurePolicy{DefaultPolicy, Skip, Fail, LastGood} {
		text, err := p.MarshalText()
		require.NoError(t, err)
		assert.Equal(t, p.String(), string(text))
		var back FailurePolicy
		require.NoError(t, back.UnmarshalText(text))
		assert.Equal(t, p, back)
	}
	var p FailurePolicy
	assert.ErrorContains(t, p.UnmarshalText([]byte("panic")), `"panic"`)
	_, err := FailurePolicy(9).MarshalText()
	assert.Error(t, err)
}

func TestText(t *testing.T) {
	s, err := Text("hello")(context.Background(), nil)
	require.NoError(t, err)
	assert.Equal(t, "hello", s)
}
