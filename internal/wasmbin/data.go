package wasmbin

// What the data section puts into memory is put together here and cut anew: Go's linker leaves out every
// short run of zeros and makes 25,000 segments of a module, each of which costs an engine a fraction of a
// microsecond in every instance.
const (
	zerosBetween = 64       // fewer are written out
	maxPlaced    = 16 << 20 // a memory whose data reaches further is left as it is
)

// placeData returns what memory holds up to the end of the data. It is nil where the segments have to stay
// as they are: the code knows them by their number, or where they go is not known before.
func (b *builder) placeData() []byte {
	m := b.m
	if b.used[opMemoryInit] || b.used[opDataDrop] || len(m.Memories) != 1 {
		return nil
	}
	end := uint64(0)
	for i := range m.segments {
		d := &m.segments[i]
		if d.flags == 1 || d.offset.op != opI32Const {
			return nil
		}
		end = max(end, uint64(uint32(d.offset.b))+uint64(d.to-d.from))
	}
	if end > min(maxPlaced, uint64(m.Memories[0].Min)<<16) {
		return nil
	}
	memory := make([]byte, end)
	for _, d := range m.segments {
		copy(memory[uint32(d.offset.b):], m.file[d.from:d.to])
	}
	return memory
}

// A stretch is a part of a memory.
type stretch struct{ start, end int }

// stretches returns what is left of a memory without its longer runs of zeros.
func stretches(memory []byte) (list []stretch) {
	for i := 0; i < len(memory); i++ {
		if memory[i] == 0 {
			continue
		}
		if n := len(list); n > 0 && i-list[n-1].end < zerosBetween {
			list[n-1].end = i + 1
		} else {
			list = append(list, stretch{i, i + 1})
		}
	}
	return list
}

// data writes the sections that count the data segments and hold them.
func (b *builder) data(out []byte, code func([]byte) []byte) []byte {
	count := len(b.m.segments)
	write := b.appendData
	if memory := b.placeData(); memory != nil {
		list := stretches(memory)
		count = len(list)
		write = func(s []byte) []byte {
			for _, part := range list {
				s = b.appendConstant(append(s, 0), &constant{op: opI32Const, b: uint64(int32(part.start))})
				s = append(uleb(s, uint32(part.end-part.start)), memory[part.start:part.end]...)
			}
			return s
		}
	}
	if b.m.dataCount >= 0 {
		n := uleb(nil, uint32(count))
		out = append(append(out, sectionDataCount, byte(len(n))), n...)
	}
	return section(code(out), sectionData, count, write)
}
