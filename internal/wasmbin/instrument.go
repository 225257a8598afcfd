package wasmbin

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// What the rewriter adds, as the host finds it.
const (
	// PrivatePrefix begins the names of all exports that are added. A guest whose own exports begin with
	// it is refused.
	PrivatePrefix = "$pintle."
	// FuelExport is a mutable i64 global, initially 0: what is left of the slice. Negative: tick is due.
	FuelExport = "$pintle.fuel"
	// DepthExport is a mutable i32 global: bytes of frames in use. The host sets it to 0 before each call.
	DepthExport = "$pintle.depth"
	// StartExport is the function () -> () that was in the start section.
	StartExport = "$pintle.start"
	// MeterModule is where TickImport and GrowImport are imported from. A guest that imports it is refused.
	MeterModule = "pintle/meter"
	// TickImport is (reason i32) -> (): called when fuel is below 0 (TickFuel), and when the stack is full
	// (TickStack), from which it must not return.
	TickImport = "tick"
	// GrowImport is (pages i32) -> i32: asked before every memory.grow, also of 0 pages. It answers 0 for
	// no, which makes memory.grow answer -1 without being run.
	GrowImport = "grow"

	TickFuel  = 0
	TickStack = 1
)

const addedImports = 2

// Instrumented is a module as an engine may have it, and what the host has to know about it.
type Instrumented struct {
	// Bytes is the module. Of its custom sections only the names of functions are left, see FunctionNames.
	Bytes []byte
	// Globals are the original's mutable globals of numbers and vectors, in the order of their indices.
	Globals []SavedGlobal
	// Start says that there is a function StartExport, to be called once before all others.
	Start bool
	// Fresh says why an instance cannot be put back by copying memory and globals. Empty: it can.
	Fresh []string
	// Writes says that the module has an instruction that writes memory.
	Writes bool
	// MaxFrame is the largest frame of a function in bytes, as counted against StackBytes.
	MaxFrame uint32
	// InstanceBytes is about what an instance takes beside its linear memory.
	InstanceBytes uint64
	// CompileCost is the sum described at [Limits].
	CompileCost uint64
}

// A SavedGlobal is a mutable global of the original and the exports that reach it.
type SavedGlobal struct {
	Index  uint32 // in the original
	Type   ValueType
	Export string // an exported global; empty for V128

	// For V128 alone, exported functions () -> i64, () -> i64 and (low i64, high i64) -> ().
	GetLow, GetHigh, Set string
}

// Instrument validates every instruction and returns the module rewritten: it pays fuel for what it
// does, its recursion is bounded, and what its instances change can be reached. The same module always
// gives the same bytes. It takes time and memory linear in the size of the module.
//
// Errors are a [*FormatError], a [*LimitError] or an [*UnsupportedError]. Instrument may be called
// concurrently.
func (m *Module) Instrument() (*Instrumented, error) { return m.instrument(false) }

// InstrumentKnown is Instrument for a module that bounds its own recursion, and that the host therefore
// knows by its digest: it counts the frames by what the code says, without what an engine may need for
// values that outlive calls. That is an upper bound for every module, and many times too much for one whose
// largest function is an interpreter's loop, which would hardly recurse at all. It keeps no names of
// functions: those of an interpreter tell nobody anything, and they are in no digest.
func (m *Module) InstrumentKnown() (*Instrumented, error) { return m.instrument(true) }

func (m *Module) instrument(known bool) (*Instrumented, error) {
	if err := m.reserved(); err != nil {
		return nil, err
	}
	b := builder{m: m, out: &Instrumented{}, known: known}
	if err := b.code(); err != nil {
		return nil, err
	}
	b.fresh()
	b.out.InstanceBytes = b.instanceBytes()
	b.assemble()
	return b.out, nil
}

// reserved refuses modules that use names of the host.
func (m *Module) reserved() error {
	for _, im := range m.Imports {
		if im.Module == MeterModule {
			return &UnsupportedError{What: fmt.Sprintf("an import of %s, which is the host's", MeterModule)}
		}
	}
	for _, e := range m.Exports {
		if strings.HasPrefix(e.Name, PrivatePrefix) {
			return &UnsupportedError{What: fmt.Sprintf("export %q; names that begin with %s are the host's", e.Name, PrivatePrefix)}
		}
	}
	return nil
}

type export struct {
	name  string
	kind  Kind
	index uint32
}

// A builder puts the result together.
type builder struct {
	m     *Module
	out   *Instrumented
	known bool // see InstrumentKnown

	used    [opcodes]bool
	bodies  []byte            // of the defined functions, each with its size
	added   []FuncType        // types
	addedAt map[string]uint32 // their indices, by their encoding
	helpers []FuncType        // of the added functions
	exports []export          // added ones
}

func (b *builder) fuel() uint32  { return uint32(len(b.m.globals)) }
func (b *builder) depth() uint32 { return uint32(len(b.m.globals)) + 1 }

// typeIndex returns the index of a type that the rewriter needs.
func (b *builder) typeIndex(t FuncType) uint32 {
	key := string(appendTypes(appendTypes(nil, t.Params), t.Results))
	i, ok := b.addedAt[key]
	if !ok {
		i = uint32(len(b.m.types) + len(b.added))
		b.added = append(b.added, t)
		if b.addedAt == nil {
			b.addedAt = map[string]uint32{}
		}
		b.addedAt[key] = i
	}
	return i
}

func (b *builder) code() error {
	m := b.m
	e := emitter{m: m, depth: b.depth(), newType: b.typeIndex}
	e.fuel, e.tick = b.fuel(), uint32(m.importedFuncs)
	in := body{m: m, used: &b.used, globals: 2, known: b.known}
	for _, g := range m.globals {
		if g.mutable {
			in.globals++
		}
	}
	b.bodies = make([]byte, 0, len(m.file)+len(m.file)/4)
	for i := range m.bodies {
		if err := in.read(i); err != nil {
			return err
		}
		if err := b.cost(&in); err != nil {
			return err
		}
		e.out = e.out[:0]
		if err := e.body(&in); err != nil {
			return err
		}
		b.appendBody(e.out)
		b.out.MaxFrame = max(b.out.MaxFrame, in.frameBytes())
	}
	for _, h := range e.bulk.helpers {
		e.out = e.out[:0]
		e.helperBody(h)
		b.addFunction(h.signature(m), e.out)
	}
	b.globals(&e)
	return nil
}

// cost adds what compiling a function costs.
func (b *builder) cost(in *body) error {
	limits, cost := &b.m.limits, in.cost.total(in.stack.traffic)
	if cost > limits.FunctionCost {
		return &LimitError{What: functionName("compile cost of", in.index), Got: cost, Max: limits.FunctionCost}
	}
	if b.out.CompileCost += cost; b.out.CompileCost > limits.CompileCost {
		return &LimitError{What: "compile cost", Got: b.out.CompileCost, Max: limits.CompileCost}
	}
	return nil
}

func (b *builder) appendBody(code []byte) {
	b.bodies = append(binary.AppendUvarint(b.bodies, uint64(len(code))), code...)
}

// addFunction adds a function behind all others and returns its index.
func (b *builder) addFunction(t FuncType, code []byte) uint32 {
	b.appendBody(code)
	b.helpers = append(b.helpers, t)
	return uint32(b.m.importedFuncs + addedImports + b.m.Functions + len(b.helpers) - 1)
}

// globals exports what has to be saved. The accessors of a vector pay nothing, they are for the host:
//
//	global.get n; i64x2.extract_lane 0
//	global.get n; i64x2.extract_lane 1
//	local.get 0; i64x2.splat; local.get 1; i64x2.replace_lane 1; global.set n
func (b *builder) globals(e *emitter) {
	b.exports = append(b.exports, export{FuelExport, GlobalKind, b.fuel()}, export{DepthExport, GlobalKind, b.depth()})
	for i := range b.m.globals {
		g := &b.m.globals[i]
		if !g.mutable || g.of.reference() {
			continue
		}
		s := SavedGlobal{Index: uint32(i), Type: g.of}
		name := fmt.Sprintf("%sglobal.%d", PrivatePrefix, i)
		if g.of != V128 {
			s.Export = name
			b.exports = append(b.exports, export{name, GlobalKind, s.Index})
		} else {
			s.GetLow, s.GetHigh, s.Set = name+".low", name+".high", name+".set"
			for lane, getter := range []string{s.GetLow, s.GetHigh} {
				e.out = append(e.out[:0], 0)
				e.index(opGlobalGet, s.Index)
				e.index(opI64x2Extract, uint32(lane))
				e.op(opEnd)
				b.exports = append(b.exports, export{getter, FuncKind, b.addFunction(FuncType{Results: []ValueType{I64}}, e.out)})
			}
			e.out = append(e.out[:0], 0)
			e.index(opLocalGet, 0)
			e.op(opI64x2Splat)
			e.index(opLocalGet, 1)
			e.index(opI64x2Replace, 1)
			e.index(opGlobalSet, s.Index)
			e.op(opEnd)
			b.exports = append(b.exports, export{s.Set, FuncKind, b.addFunction(FuncType{Params: []ValueType{I64, I64}}, e.out)})
		}
		b.out.Globals = append(b.out.Globals, s)
	}
	if b.m.start >= 0 {
		b.out.Start = true
		b.exports = append(b.exports, export{StartExport, FuncKind, b.m.moved(uint32(b.m.start))})
	}
}

// fresh tells what copying memory and globals would not put back.
func (b *builder) fresh() {
	for i, g := range b.m.globals {
		if g.mutable && g.of.reference() {
			b.out.Fresh = append(b.out.Fresh, fmt.Sprintf("global %d is a mutable %s", i, g.of))
		}
	}
	vectors := 0
	for _, g := range b.out.Globals {
		if g.Type == V128 {
			vectors++
		}
	}
	if vectors > maxVectors {
		b.out.Fresh = append(b.out.Fresh, fmt.Sprintf("it has %d mutable globals of type v128, more than %d", vectors, maxVectors))
	}
	for _, op := range []opcode{opTableSet, opTableGrow, opTableFill, opTableCopy, opTableInit, opElemDrop, opDataDrop} {
		if b.used[op] {
			b.out.Fresh = append(b.out.Fresh, "it has the instruction "+op.String())
		}
	}
	for op := range opcode(opcodes) {
		b.out.Writes = b.out.Writes || b.used[op] && op.stores()
	}
}
