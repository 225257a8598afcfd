package session

// An arena gives out pieces of memory that are never used again, small ones from common blocks. A block
// lives as long as one of its pieces, so it is small too.
type arena struct{ free []byte }

const arenaBlock = 4 << 10

func (a *arena) get(n int) []byte {
	if n > arenaBlock/8 {
		return make([]byte, n)
	}
	if n > len(a.free) {
		a.free = make([]byte, arenaBlock)
	}
	piece := a.free[:n:n]
	a.free = a.free[n:]
	return piece
}

func (a *arena) copy(text []byte) []byte {
	piece := a.get(len(text))
	copy(piece, text)
	return piece
}
