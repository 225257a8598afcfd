package wasi

import (
	crand "crypto/rand"
	"encoding/binary"
)

// Vectors longer than this are refused: no real write has so many pieces. Each costs the host work, also
// if it is empty, and takes vectorCost.
const (
	maxVectors = 1024
	vectorCost = 64
)

func put32(mem Memory, at uint64, v uint32) errno {
	if !mem.Write(uint32(at), binary.LittleEndian.AppendUint32(nil, v)) {
		return fault
	}
	return success
}

// There are no arguments and no variables: the lists are empty and so are their buffers.
func argsGet(*System, Memory, []uint64) errno { return success }

func sizesGet(_ *System, mem Memory, stack []uint64) errno {
	if e := put32(mem, stack[0], 0); e != success {
		return e
	}
	return put32(mem, stack[1], 0)
}

func (s *System) open(fd uint64) bool {
	return uint32(fd) < uint32(len(s.state.closed)) && !s.state.closed[uint32(fd)]
}

func fdClose(s *System, _ Memory, stack []uint64) errno {
	if !s.open(stack[0]) {
		return badf
	}
	s.state.closed[uint32(stack[0])] = true
	return success
}

// fdStat describes a standard stream as a character device with the rights to read or write only.
func fdStat(s *System, mem Memory, stack []uint64) errno {
	if !s.open(stack[0]) {
		return badf
	}
	const characterDevice, rightRead, rightWrite, appendFlag = 2, 1 << 1, 1 << 6, 1
	var stat [24]byte
	stat[0] = characterDevice
	rights := uint64(rightWrite)
	if uint32(stack[0]) == 0 {
		rights = rightRead
	} else {
		stat[2] = appendFlag
	}
	binary.LittleEndian.PutUint64(stat[8:], rights)
	if !mem.Write(uint32(stack[1]), stat[:]) {
		return fault
	}
	return success
}

// Flags of a standard stream may be set to anything; nothing here ever blocks.
func fdSetFlags(s *System, _ Memory, stack []uint64) errno {
	if !s.open(stack[0]) {
		return badf
	}
	return success
}

// Standard input is always at its end.
func fdRead(s *System, mem Memory, stack []uint64) errno {
	if uint32(stack[0]) != 0 || !s.open(stack[0]) {
		return badf
	}
	return put32(mem, stack[3], 0)
}

func fdSeek(s *System, _ Memory, stack []uint64) errno {
	if !s.open(stack[0]) {
		return badf
	}
	return spipe
}

func fdTell(s *System, _ Memory, stack []uint64) errno {
	if !s.open(stack[0]) {
		return badf
	}
	return spipe
}

func fdWrite(s *System, mem Memory, stack []uint64) errno {
	fd, iovs, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	if fd == 0 || !s.open(stack[0]) {
		return badf
	}
	if count > maxVectors {
		return inval
	}
	list, ok := mem.Read(iovs, count*8)
	if !ok {
		return fault
	}
	if !s.charge(int(count) * vectorCost) {
		return success
	}
	var written uint64
	for ; len(list) > 0; list = list[8:] {
		at, n := binary.LittleEndian.Uint32(list), binary.LittleEndian.Uint32(list[4:])
		text, ok := mem.Read(at, n)
		if !ok {
			return fault
		}
		if written += uint64(n); written > 1<<31-1 {
			return inval
		}
		if !s.charge(len(text)) {
			return success
		}
		s.config.Sink(int(fd), text)
	}
	return put32(mem, stack[3], uint32(written))
}

// hostRandomPrice is what a real random byte costs: the kernel is slower than the seeded generator.
const hostRandomPrice = 4

func randomGet(s *System, mem Memory, stack []uint64) errno {
	buf, ok := mem.Read(uint32(stack[0]), uint32(stack[1]))
	if !ok {
		return fault
	}
	// In pieces, so that a request for all of memory ends with the call that it belongs to.
	const piece = 64 << 10
	price := 1 // of a byte
	if s.config.HostRandom {
		price = hostRandomPrice
	}
	for len(buf) > 0 {
		n := min(piece, len(buf))
		if !s.charge(n * price) {
			return success
		}
		// Neither source ever fails.
		if s.config.HostRandom {
			crand.Read(buf[:n])
		} else {
			s.state.random.Read(buf[:n])
		}
		buf = buf[n:]
	}
	return success
}
