package wazero

import (
	"cmp"
	"slices"
	"sync"

	"github.com/tetratelabs/wazero/experimental"

	"github.com/pintle-wasm/pintle/runtime"
)

// memory is the linear memory of one instance. It refuses to grow beyond its limit.
//
// All its pages are touched here, in code that Go's garbage collector can stop: to touch a page for the
// first time can cost thirty microseconds, and a guest that did it would pay next to nothing in fuel.
type memory struct {
	slabs *slabs
	limit uint64 // bytes
	want  uint64 // bytes that the instance is going to have at once
	state *runtime.HostState
	buf   []byte
}

// Allocate is called once, when the instance is made.
func (m *memory) Allocate(uint64, uint64) experimental.LinearMemory { return m }

// Reallocate makes the memory larger; nil refuses. It grows by a quarter, so that a guest that grows page
// by page costs linear time, and holds little more than what its memory counts for.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		return nil
	}
	buf := m.buf
	if size > uint64(cap(buf)) {
		buf = m.slabs.take(min(max(size, m.want, uint64(cap(buf))+uint64(cap(buf))/4), m.limit))
	}
	buf = buf[:size]
	// The first pages are the instance's whatever the time is: the engine knows no other answer.
	if !m.fill(buf) && m.buf != nil {
		return nil
	}
	if moved(m.buf, buf) {
		m.slabs.give(m.buf)
	}
	m.buf = buf
	return buf
}

func moved(from, to []byte) bool { return cap(from) > 0 && &from[:1][0] != &to[:1][0] }

// piece is how much memory is moved or touched between two looks at the time.
const piece = 256 << 10

// pageSize is the smallest that an operating system uses.
const pageSize = 4 << 10

// fill copies what the memory has to its new place, if that is another one, and touches the rest. It
// answers false if the call's time is over.
func (m *memory) fill(buf []byte) bool {
	moved := moved(m.buf, buf)
	for i := 0; i < len(buf); i += piece {
		end := min(i+piece, len(buf))
		if moved && i < len(m.buf) {
			copy(buf[i:end], m.buf[i:])
		}
		for at := max(i, len(m.buf)); at < end; at += pageSize {
			buf[at] = 0
		}
		if end < len(buf) && m.state.Err() != nil {
			return false
		}
	}
	return true
}

// Free is called when the instance is closed.
func (m *memory) Free() {
	m.slabs.give(m.buf)
	m.buf = nil
}

// slabs keeps memory of closed instances for new ones. All of it is zero.
type slabs struct {
	mu    sync.Mutex
	free  [][]byte // by capacity
	bytes int      // of those and of those that are being cleared
}

// What is kept. A larger memory is made anew: it is rare, and would be idle for long.
const (
	maxSlab      = 8 << 20
	maxSlabBytes = 32 << 20
)

func byCapacity(buf []byte, n uint64) int { return cmp.Compare(uint64(cap(buf)), n) }

// take returns a slab for at least n bytes.
func (s *slabs) take(n uint64) []byte {
	s.mu.Lock()
	// One that is much larger would be wasted.
	i, _ := slices.BinarySearchFunc(s.free, n, byCapacity)
	if i < len(s.free) && uint64(cap(s.free[i])) <= n+n/4 {
		buf := s.free[i]
		s.free = slices.Delete(s.free, i, i+1)
		s.bytes -= cap(buf)
		s.mu.Unlock()
		return buf
	}
	s.mu.Unlock()
	return make([]byte, 0, n)
}

// give takes back a slab of which as much was used as its length.
func (s *slabs) give(buf []byte) {
	n := cap(buf)
	if n == 0 || n > maxSlab {
		return
	}
	s.mu.Lock()
	kept := s.bytes+n <= maxSlabBytes
	if kept {
		s.bytes += n
	}
	s.mu.Unlock()
	if !kept {
		return
	}
	for used := range slices.Chunk(buf, piece) {
		clear(used)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i, _ := slices.BinarySearchFunc(s.free, uint64(n), byCapacity)
	s.free = slices.Insert(s.free, i, buf[:0])
}
