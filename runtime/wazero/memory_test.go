package wazero

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/runtime"
)

// A memory counts by its size, so it must not have much more than that; and to grow page by page must not
// move all of it each time.
func TestMemoryHasLittleMoreThanItsSize(t *testing.T) {
	const page, pages = 64 << 10, 512
	s := &slabs{}
	s.give(make([]byte, 8<<20)) // an idle one is no reason to have more
	m := memory{slabs: s, limit: pages * page, state: &runtime.HostState{}}
	moves, most := 0, 0
	for n := uint64(1); n <= pages; n++ {
		before := m.buf
		buf := m.Reallocate(n * page)
		require.Len(t, buf, int(n*page))
		if moved(before, buf) {
			moves++
		}
		assert.LessOrEqual(t, cap(buf), int(n*page*25/16), "%d pages", n)
		most = max(most, cap(buf))
	}
	assert.LessOrEqual(t, moves, 40)
	assert.LessOrEqual(t, most, pages*page)
	assert.Nil(t, m.Reallocate((pages+1)*page))
}
