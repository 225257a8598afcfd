package wazero

import "github.com/tetratelabs/wazero/experimental"

// memory is the linear memory of one instance. It refuses to grow beyond its limit and remembers that
// it was asked to.
type memory struct {
	limit  uint64 // bytes
	buf    []byte
	denied bool
}

// Allocate is called once, when the instance is made.
func (m *memory) Allocate(size, _ uint64) experimental.LinearMemory {
	m.buf = make([]byte, 0, min(size, m.limit))
	return m
}

// Reallocate grows by doubling, so that a guest that grows page by page costs linear time.
func (m *memory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.denied = true
		return nil
	}
	if size > uint64(cap(m.buf)) {
		grown := make([]byte, size, min(max(size, 2*uint64(cap(m.buf))), m.limit))
		copy(grown, m.buf)
		m.buf = grown
	}
	m.buf = m.buf[:size]
	return m.buf
}

func (m *memory) Free() { m.buf = nil }
