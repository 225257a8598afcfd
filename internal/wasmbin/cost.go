package wasmbin

// What compiling a function costs, in nanoseconds of a fast machine. The estimate is made so that no
// function takes wazero much longer than it says, however it was made; ordinary code takes a third of it.
// RATIONALE.md tells how the figures were found.
const (
	functionNanos = 15_000
	plainNanos    = 500 // an instruction
	operandNanos  = 20  // an operand that is pushed or popped
	accessNanos   = 4_000
	vectorNanos   = 3_000
	longNanos     = 6_000  // division, minimum and maximum of floats, tables
	truncNanos    = 10_000 // conversions of floats to integers
	callNanos     = 3_000
	tableNanos    = 40_000  // call_indirect
	copyNanos     = 50_000  // memory.copy
	fillNanos     = 200_000 // memory.fill of a constant length
	globalNanos   = 600     // a call and a mutable global, which is read again behind it
	valueNanos    = 1_500   // a call and a parameter or result
	blockNanos    = 2_000   // a basic block
	targetNanos   = 4_000   // an entry of br_table
	loopNanos     = 50_000
	carriedNanos  = 150   // a branch and a value or changed local that it takes with it
	joinNanos     = 600   // a label and a changed local, wherever that is
	changedNanos  = 2_000 // a loop and a changed local

	// Terms that grow with the square, in tenths of a nanosecond.
	blocksTenths = 12     // of blocks
	branchTenths = 80     // of branches to one label
	returnTenths = 300    // of returns
	movedTenths  = 35     // of changed locals that a branch takes with it
	loopsTenths  = 25_000 // of loops
	nestedTenths = 20     // of changed locals, for each loop and each loop that it is in
)

// A cost adds up what compiling one function costs. It counts what can run.
type cost struct {
	globals int // mutable globals of the module, those that are added too
	nanos   uint64
	blocks  uint64
	joins   uint64
	loops   uint64
	depths  uint64 // sum over the loops of how many they are in, themselves included
	sets    uint64 // of locals
	changed []bool // locals that are set
	locals  uint64 // number of those
}

func (c *cost) reset(globals, locals int) {
	*c = cost{globals: globals, nanos: functionNanos, changed: append(c.changed[:0], make([]bool, locals)...)}
}

func (c *cost) instruction(in *instr) {
	c.nanos += instructionNanos(in.op)
	switch in.op {
	case opLocalSet, opLocalTee:
		c.sets++
		if !c.changed[in.a] {
			c.changed[in.a] = true
			c.locals++
		}
	case opIf, opBrIf:
		c.blocks += 2
	case opBrTable:
		c.blocks += uint64(in.a) + 1
		c.nanos += targetNanos * (uint64(in.a) + 1)
	case opLoop:
		c.blocks++
		c.loops++
		c.nanos += loopNanos
	case opMemoryCopy:
		c.nanos += copyNanos
	case opMemoryInit:
		if in.arg == direct {
			c.nanos += copyNanos
		}
	case opMemoryFill:
		if in.arg == direct {
			c.nanos += fillNanos
		}
	}
}

func instructionNanos(op opcode) uint64 {
	switch {
	case op >= vectorPrefix:
		return vectorNanos
	case op >= miscPrefix && op < opMemoryInit, op >= opI32TruncF32S && op <= opI32TruncF64U,
		op >= opI64TruncF32S && op <= opI64TruncF64U:
		return truncNanos
	case op >= opI32Load && op <= opI64Store32:
		return accessNanos
	case op >= opI32DivS && op <= opI32RemU, op >= opI64DivS && op <= opI64RemU, op == opF32Min, op == opF32Max,
		op == opF64Min, op == opF64Max, op == opTableGet, op == opTableSet:
		return longNanos
	}
	return plainNanos
}

// call is a call with so many parameters and results.
func (c *cost) call(values int) {
	c.nanos += callNanos + globalNanos*uint64(c.globals) + valueNanos*uint64(values)
}

// frame is the end of a block, or of the function.
func (c *cost) frame(f *frame) {
	if f.branches == 0 {
		return
	}
	c.joins++
	c.blocks++
	changed := min(c.locals, c.sets-f.sets)
	square := uint64(branchTenths)
	if f.op == 0 {
		square = returnTenths
	}
	c.nanos += carriedNanos*f.branches*(changed+uint64(len(f.label()))) +
		(movedTenths*f.from*changed*changed+square*f.from*f.from)/10
}

// total is what the function costs as a whole, with so many operands pushed and popped in it.
func (c *cost) total(traffic uint64) uint64 {
	return c.nanos + operandNanos*traffic + blockNanos*c.blocks + joinNanos*c.joins*c.locals + changedNanos*c.loops*c.locals +
		(blocksTenths*c.blocks*c.blocks+loopsTenths*c.loops*c.loops+nestedTenths*c.depths*c.locals*c.locals)/10
}
