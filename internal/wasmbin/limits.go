package wasmbin

// Limits bounds a module in the respects that its sections and code bodies show. Counts are per module
// unless they say otherwise.
//
// FunctionCost and CompileCost bound an estimate of how long an engine takes to compile a function and
// all functions, in nanoseconds of a fast machine. It counts instructions by kind, calls with their
// values and the globals that change under them, and above all what grows faster than the code: branches,
// the labels they go to, and the locals and values that they carry.
type Limits struct {
	ModuleBytes    int // size of the whole file
	Types          int
	Imports        int
	Functions      int // defined, without imports
	Globals        int
	Exports        int
	Tables         int
	TableEntries   int // initial entries of one table; it cannot grow beyond either
	MemoryPages    int // initial pages of 64 KiB of one memory
	Elements       int // element segments
	ElementEntries int // entries of all element segments together
	DataSegments   int
	Params         int // parameters, and separately results, of one function type
	NameBytes      int // one import, export or section name
	BodyBytes      int // one code body
	Locals         int // locals of one function, run lengths expanded
	Nesting        int // blocks, loops and ifs within each other
	Blocks         int // blocks, loops and ifs of one function
	Loops          int // loops of one function
	BranchTargets  int // labels of one br_table
	StackValues    int // operands that a function has on the stack at one time
	FunctionCost   uint64
	CompileCost    uint64
	CustomBytes    int // one custom section
	CustomEntries  int // number of custom sections
}

// DefaultLimits returns the bounds that a host applies when it is not told otherwise. The largest
// values seen in real guests (Go, QuickJS) are several times smaller: a body of 37 KB, 50 locals,
// 1,700 functions, a compile cost of 3 billion.
func DefaultLimits() Limits {
	return Limits{
		ModuleBytes:    16 << 20,
		Types:          10_000,
		Imports:        1_000,
		Functions:      50_000,
		Globals:        1_000,
		Exports:        10_000,
		Tables:         16,
		TableEntries:   65_536,
		MemoryPages:    65_536,
		Elements:       100_000,
		ElementEntries: 200_000,
		DataSegments:   100_000,
		Params:         100,
		NameBytes:      1 << 10,
		BodyBytes:      128 << 10,
		Locals:         1_000,
		Nesting:        2_000,
		Blocks:         4_096,
		Loops:          512,
		BranchTargets:  8_192,
		StackValues:    4_096,
		FunctionCost:   1_500_000_000,
		CompileCost:    8_000_000_000,
		CustomBytes:    8 << 20,
		CustomEntries:  256,
	}
}
