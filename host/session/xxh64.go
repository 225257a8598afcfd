package session

import (
	"encoding/binary"
	"math/bits"
)

// An xxh64 computes the checksum of Zstandard frames, XXH64 with seed 0. The decoder could check it, but
// then it would keep back what it has read when the checksum is wrong or cut off, and that is wanted.
// The zero value is not ready: see reset.
type xxh64 struct {
	lanes [4]uint64
	rest  [32]byte
	n     uint64 // bytes so far
}

const (
	xxPrime1 uint64 = 11400714785074694791
	xxPrime2 uint64 = 14029467366897019727
	xxPrime3 uint64 = 1609587929392839161
	xxPrime4 uint64 = 9650029242287828579
	xxPrime5 uint64 = 2870177450012600261
)

func (x *xxh64) reset() {
	p1, p2 := xxPrime1, xxPrime2 // variables, as their sum overflows
	x.lanes = [4]uint64{p1 + p2, p2, 0, -p1}
	x.n = 0
}

func xxRound(lane, word uint64) uint64 {
	return bits.RotateLeft64(lane+word*xxPrime2, 31) * xxPrime1
}

func (x *xxh64) write(b []byte) {
	held := int(x.n % 32)
	x.n += uint64(len(b))
	if held > 0 {
		n := copy(x.rest[held:], b)
		b = b[n:]
		if held+n < 32 {
			return
		}
		x.stripes(x.rest[:])
	}
	x.stripes(b)
	copy(x.rest[:], b[len(b)&^31:])
}

func (x *xxh64) stripes(b []byte) {
	l := x.lanes
	for len(b) >= 32 {
		l[0] = xxRound(l[0], binary.LittleEndian.Uint64(b))
		l[1] = xxRound(l[1], binary.LittleEndian.Uint64(b[8:]))
		l[2] = xxRound(l[2], binary.LittleEndian.Uint64(b[16:]))
		l[3] = xxRound(l[3], binary.LittleEndian.Uint64(b[24:]))
		b = b[32:]
	}
	x.lanes = l
}

func (x *xxh64) sum() uint64 {
	h := x.lanes[2] + xxPrime5
	if x.n >= 32 {
		l := &x.lanes
		h = bits.RotateLeft64(l[0], 1) + bits.RotateLeft64(l[1], 7) + bits.RotateLeft64(l[2], 12) + bits.RotateLeft64(l[3], 18)
		for _, lane := range l {
			h = (h^xxRound(0, lane))*xxPrime1 + xxPrime4
		}
	}
	h += x.n
	b := x.rest[:x.n%32]
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^xxRound(0, binary.LittleEndian.Uint64(b)), 27)*xxPrime1 + xxPrime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*xxPrime1, 23)*xxPrime2 + xxPrime3
		b = b[4:]
	}
	for _, c := range b {
		h = bits.RotateLeft64(h^uint64(c)*xxPrime5, 11) * xxPrime1
	}
	h = (h ^ h>>33) * xxPrime2
	h = (h ^ h>>29) * xxPrime3
	return h ^ h>>32
}
