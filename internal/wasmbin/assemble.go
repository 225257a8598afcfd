package wasmbin

import "encoding/binary"

// assemble writes the sections of the result, each from what was decoded.
func (b *builder) assemble() {
	m := b.m
	out := append(make([]byte, 0, len(b.bodies)+len(m.file)/2), header...)
	tick := b.typeIndex(FuncType{Params: []ValueType{I32}})
	grow := b.typeIndex(FuncType{Params: []ValueType{I32}, Results: []ValueType{I32}})
	for _, t := range b.helpers {
		b.typeIndex(t)
	}
	out = section(out, sectionType, len(m.types)+len(b.added), func(s []byte) []byte {
		for _, list := range [][]FuncType{m.types, b.added} {
			for _, t := range list {
				s = appendTypes(appendTypes(append(s, 0x60), t.Params), t.Results)
			}
		}
		return s
	})
	out = section(out, sectionImport, len(m.Imports)+addedImports, func(s []byte) []byte {
		for i := range m.Imports {
			s = b.appendImport(s, &m.Imports[i])
		}
		s = b.appendImport(s, &Import{Module: MeterModule, Name: TickImport, typeIndex: tick})
		return b.appendImport(s, &Import{Module: MeterModule, Name: GrowImport, typeIndex: grow})
	})
	out = section(out, sectionFunction, m.Functions+len(b.helpers), func(s []byte) []byte {
		for _, t := range m.funcTypes[m.importedFuncs:] {
			s = uleb(s, t)
		}
		for _, t := range b.helpers {
			s = uleb(s, b.typeIndex(t))
		}
		return s
	})
	out = section(out, sectionTable, len(m.tables)-m.importedTables, func(s []byte) []byte {
		for _, t := range m.tables[m.importedTables:] {
			s = m.appendTable(s, t)
		}
		return s
	})
	out = section(out, sectionMemory, len(m.Memories), func(s []byte) []byte {
		for _, mem := range m.Memories {
			s = appendBounds(s, mem)
		}
		return s
	})
	out = section(out, sectionGlobal, m.Globals+2, b.appendGlobals)
	out = section(out, sectionExport, len(m.Exports)+len(b.exports), b.appendExports)
	out = section(out, sectionElement, len(m.elements), b.appendElements)
	out = b.data(out, func(out []byte) []byte {
		return section(out, sectionCode, m.Functions+len(b.helpers), func(s []byte) []byte { return append(s, b.bodies...) })
	})
	if names := m.FunctionNames(); names != nil && !b.known {
		out = appendCustom(out, "name", names)
	}
	b.out.Bytes = out
}

// section appends a section with a vector of n entries, nothing if there are none.
func section(out []byte, id byte, n int, entries func([]byte) []byte) []byte {
	if n == 0 {
		return out
	}
	body := entries(uleb(nil, uint32(n)))
	return append(uleb(append(out, id), uint32(len(body))), body...)
}

func uleb(dst []byte, n uint32) []byte { return binary.AppendUvarint(dst, uint64(n)) }

func appendName(dst []byte, s string) []byte { return append(uleb(dst, uint32(len(s))), s...) }

func appendTypes(dst []byte, ts []ValueType) []byte {
	dst = uleb(dst, uint32(len(ts)))
	for _, t := range ts {
		dst = append(dst, byte(t))
	}
	return dst
}

func appendBounds(dst []byte, m Memory) []byte {
	if !m.HasMax {
		return uleb(append(dst, 0), m.Min)
	}
	return uleb(uleb(append(dst, 1), m.Min), m.Max)
}

// appendTable writes a table with a bound on its growth.
func (m *Module) appendTable(dst []byte, t table) []byte {
	bounds := Memory{Min: t.bounds.Min, Max: uint32(m.limits.TableEntries), HasMax: true}
	if t.bounds.HasMax {
		bounds.Max = min(bounds.Max, t.bounds.Max)
	}
	return appendBounds(append(dst, byte(t.of)), bounds)
}

func (b *builder) appendImport(dst []byte, im *Import) []byte {
	dst = append(appendName(appendName(dst, im.Module), im.Name), byte(im.Kind))
	switch im.Kind {
	case FuncKind:
		return uleb(dst, im.typeIndex)
	case TableKind: // its bounds are those of another module
		return appendBounds(append(dst, byte(im.table.of)), im.table.bounds)
	case MemoryKind:
		return appendBounds(dst, im.memory)
	}
	return appendGlobalType(dst, &im.global)
}

func appendGlobalType(dst []byte, g *global) []byte {
	if g.mutable {
		return append(dst, byte(g.of), 1)
	}
	return append(dst, byte(g.of), 0)
}

func (b *builder) appendGlobals(dst []byte) []byte {
	for i := b.m.importedGlobals; i < len(b.m.globals); i++ {
		dst = b.appendConstant(appendGlobalType(dst, &b.m.globals[i]), &b.m.globals[i].init)
	}
	dst = append(dst, byte(I64), 1, byte(opI64Const), 0, byte(opEnd))
	return append(dst, byte(I32), 1, byte(opI32Const), 0, byte(opEnd))
}

func (b *builder) appendConstant(dst []byte, c *constant) []byte {
	w := writer{out: dst}
	w.op(c.op)
	switch c.op {
	case opI32Const, opI64Const:
		w.out = appendSigned(w.out, int64(c.b))
	case opF32Const:
		w.out = appendFixed(w.out, c.b, 4)
	case opF64Const:
		w.out = appendFixed(w.out, c.b, 8)
	case opV128Const:
		w.out = append(w.out, b.m.file[c.b:c.b+16]...)
	case opRefNull:
		w.out = append(w.out, c.arg)
	case opRefFunc:
		w.uint(uint64(b.m.moved(uint32(c.b))))
	case opGlobalGet:
		w.uint(c.b)
	}
	w.op(opEnd)
	return w.out
}

func (b *builder) appendExports(dst []byte) []byte {
	for i := range b.m.Exports {
		x := &b.m.Exports[i]
		index := x.Index
		if x.Kind == FuncKind {
			index = b.m.moved(index)
		}
		dst = uleb(append(appendName(dst, x.Name), byte(x.Kind)), index)
	}
	for _, x := range b.exports {
		dst = uleb(append(appendName(dst, x.name), byte(x.kind)), x.index)
	}
	return dst
}

func (b *builder) appendElements(dst []byte) []byte {
	for i := range b.m.elements {
		x := &b.m.elements[i]
		dst = uleb(dst, x.flags)
		if x.flags&segmentPassive == 0 {
			if x.flags&segmentExplicit != 0 {
				dst = uleb(dst, x.table)
			}
			dst = b.appendConstant(dst, &x.offset)
		}
		if x.flags&(segmentPassive|segmentExplicit) != 0 {
			if x.flags&segmentExprs != 0 {
				dst = append(dst, byte(x.of))
			} else {
				dst = append(dst, 0)
			}
		}
		dst = uleb(dst, uint32(len(x.entries)))
		for j := range x.entries {
			if x.flags&segmentExprs != 0 {
				dst = b.appendConstant(dst, &x.entries[j])
			} else {
				dst = uleb(dst, b.m.moved(uint32(x.entries[j].b)))
			}
		}
	}
	return dst
}

func (b *builder) appendData(dst []byte) []byte {
	for i := range b.m.segments {
		d := &b.m.segments[i]
		if d.flags == 1 {
			dst = append(dst, 1)
		} else { // there is one memory: it need not be named
			dst = b.appendConstant(append(dst, 0), &d.offset)
		}
		dst = uleb(dst, uint32(d.to-d.from))
		dst = append(dst, b.m.file[d.from:d.to]...)
	}
	return dst
}
