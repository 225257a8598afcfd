package wasmbin

// What an engine keeps for each instance of a module beside its linear memory, in bytes. The numbers are
// those of the engine that takes more.
const (
	tableEntryBytes   = 8  // of a table as large as it can become
	elementEntryBytes = 40 // of a segment, with the function that it refers to
	segmentBytes      = 64
	globalBytes       = 32
	accessorBytes     = 11 << 10 // of a function that the host calls: its stack
)

// maxVectors bounds the globals of 128 bits that are put back: each is reached through three functions.
const maxVectors = 16

// instanceBytes estimates what an instance takes beside its linear memory.
func (b *builder) instanceBytes() uint64 {
	var n uint64
	for _, t := range b.m.tables {
		entries := uint64(t.bounds.Min)
		if b.used[opTableGrow] {
			entries = uint64(b.m.limits.TableEntries)
			if t.bounds.HasMax {
				entries = min(entries, uint64(t.bounds.Max))
			}
		}
		n += entries * tableEntryBytes
	}
	for _, e := range b.m.elements {
		n += segmentBytes + uint64(len(e.entries))*elementEntryBytes
	}
	n += uint64(len(b.m.segments))*segmentBytes + uint64(len(b.m.globals))*globalBytes
	if len(b.out.Fresh) > 0 {
		return n // nobody calls accessors
	}
	for _, g := range b.out.Globals {
		if g.Type == V128 {
			n += 3 * accessorBytes
		}
	}
	return n
}
