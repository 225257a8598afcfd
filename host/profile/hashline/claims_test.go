package hashline

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func naive(left, right []Range) bool {
	for _, a := range left {
		for _, b := range right {
			if a.Start <= b.End && b.Start <= a.End {
				return true
			}
		}
	}
	return false
}

func someRanges(label string, t *rapid.T) []Range {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Range {
		start := rapid.Int64Range(0, 40).Draw(t, "start")
		end := start + rapid.Int64Range(0, 6).Draw(t, "more")
		if rapid.IntRange(0, 9).Draw(t, "open") == 0 {
			end = Open
		}
		return Range{start, end}
	}), 0, 5).Draw(t, label)
}

func TestOverlapIsThatOfAllPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		left, right := someRanges("left", t), someRanges("right", t)
		assert.Equal(t, naive(left, right), Overlap(left, right))
	})
}

func TestOverlapChangesNothing(t *testing.T) {
	left, right := []Range{{5, 6}, {1, 2}}, []Range{{9, 9}, {3, 4}}
	assert.False(t, Overlap(left, right))
	assert.Equal(t, []Range{{9, 9}, {3, 4}}, right)
	assert.False(t, Overlap(nil, right))
	assert.False(t, Overlap(left, nil))
}

func TestClaimsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var claims Claims
		type held struct {
			claim  *Claim
			ranges []Range
		}
		var model []held
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if len(model) > 0 && rapid.IntRange(0, 3).Draw(t, "release") == 0 {
				i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
				model[i].claim.Release()
				model = append(model[:i], model[i+1:]...)
				continue
			}
			p := Patch{Path: "a", Tag: "0001", Ranges: someRanges("ranges", t)}
			free := true
			for _, h := range model {
				free = free && !naive(h.ranges, p.Ranges)
			}
			claim, err := claims.Claim(p)
			assert.Equal(t, free, err == nil, "%v", p.Ranges)
			if err == nil {
				model = append(model, held{claim, p.Ranges})
			} else {
				assert.ErrorIs(t, err, ErrOverlap)
			}
		}
	})
}

// Claims move few of those that there are, in whatever order they come and go.
func TestClaimsAreLinear(t *testing.T) {
	const n = 20_000
	for name, order := range map[string]func(i int) int{
		"ascending":  func(i int) int { return i },
		"descending": func(i int) int { return n - 1 - i },
		"mixed":      func(i int) int { return i * 7919 % n },
	} {
		var claims Claims
		one := func(i int) Patch { return Patch{Path: "a", Tag: "0001", Ranges: []Range{{int64(2 * i), int64(2 * i)}}} }
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		held := make([]*Claim, n)
		for i := range n {
			var err error
			held[order(i)], err = claims.Claim(one(order(i)))
			require.NoError(t, err)
		}
		whole := claims.held["a#0001"]
		for _, block := range whole.blocks {
			require.LessOrEqual(t, len(block), blockSize)
		}
		for i := range n {
			_, err := claims.Claim(one(i))
			require.ErrorIs(t, err, ErrOverlap)
		}
		for i := range n {
			held[order(i)].Release()
		}
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(n*2000), name)
		assert.Empty(t, whole.blocks, name)
		assert.Empty(t, claims.held, name)
	}
}

func TestManyRangesOfOnePatch(t *testing.T) {
	var claims Claims
	odd, even := make([]Range, 5000), make([]Range, 5000)
	for i := range odd {
		odd[i], even[i] = Range{int64(2 * i), int64(2 * i)}, Range{int64(2*i + 1), int64(2*i + 1)}
	}
	first, err := claims.Claim(Patch{Path: "a", Tag: "0001", Ranges: odd})
	require.NoError(t, err)
	second, err := claims.Claim(Patch{Path: "a", Tag: "0001", Ranges: even})
	require.NoError(t, err)
	first.Release()
	_, err = claims.Claim(Patch{Path: "a", Tag: "0001", Ranges: even[4999:]})
	require.ErrorIs(t, err, ErrOverlap)
	_, err = claims.Claim(Patch{Path: "a", Tag: "0001", Ranges: odd})
	require.NoError(t, err)
	second.Release()
	second.Release()
	_, err = claims.Claim(Patch{Path: "a", Tag: "0001", Ranges: odd[:1]})
	assert.ErrorIs(t, err, ErrOverlap)
}

func TestClaimSaysWhat(t *testing.T) {
	var claims Claims
	_, err := claims.Claim(Parse("[a.go#0001]\nPUT 4* CUT 1.=2"))
	require.NoError(t, err)
	_, err = claims.Claim(Parse("[a.go#0001]\nPUT 3.=7"))
	require.ErrorIs(t, err, ErrOverlap)
	assert.ErrorContains(t, err, "lines 3-7 of [a.go#0001]")
	_, err = claims.Claim(Parse("[a.go#0001]\nPUT 9*"))
	assert.ErrorContains(t, err, "lines 9-")
	_, err = claims.Claim(Parse("[a.go#0001]\nPUT 3.=3"))
	assert.NoError(t, err)
}

func TestPatchesThatClaimNothing(t *testing.T) {
	var claims Claims
	for _, text := range []string{"PUT 1.=2", "[a] PUT 1.=2", "[ #0001] PUT 1.=2", "[a#0001]"} {
		for range 2 {
			claim, err := claims.Claim(Parse(text))
			require.NoError(t, err, text)
			assert.Nil(t, claim, text)
			claim.Release()
		}
	}
}

func TestReleaseIsOfOnesOwn(t *testing.T) {
	var claims Claims
	patch := Parse("[a#0001] PUT 1.=2")
	old, err := claims.Claim(patch)
	require.NoError(t, err)
	claims.Reset()
	_, err = claims.Claim(patch)
	require.NoError(t, err)
	old.Release() // the claim before the reset
	old.Release()
	_, err = claims.Claim(patch)
	assert.ErrorIs(t, err, ErrOverlap)
}

func TestFailedClaimHoldsNothing(t *testing.T) {
	var claims Claims
	_, err := claims.Claim(Parse("[a#0001] PUT 5.=5"))
	require.NoError(t, err)
	_, err = claims.Claim(Parse("[a#0001] PUT 1.=1 PUT 5.=5"))
	require.ErrorIs(t, err, ErrOverlap)
	_, err = claims.Claim(Parse("[a#0001] PUT 1.=1"))
	assert.NoError(t, err)
}

func TestClaimsTogether(t *testing.T) {
	var claims Claims
	var wg sync.WaitGroup
	won := make([]int, 20)
	for n := range 200 {
		wg.Go(func() {
			line := n % len(won)
			if _, err := claims.Claim(Parse(fmt.Sprintf("[a#0001] PUT %d.=%d", line, line))); err == nil {
				claims.mu.Lock()
				won[line]++
				claims.mu.Unlock()
			}
		})
	}
	wg.Wait()
	for line, n := range won {
		assert.Equal(t, 1, n, "line %d", line)
	}
}
