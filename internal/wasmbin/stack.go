package wasmbin

import "fmt"

// unknown is the type of an operand that dead code takes from an empty stack.
const unknown ValueType = 0

// A frame is a block, loop or if that is open, or the function itself.
type frame struct {
	op              opcode // 0: the function
	params, results []ValueType
	height, slots   int  // of the stack where it began
	dead            bool // nothing runs from here to its end or else
	skipped         bool // the whole of it stands in dead code

	run     int     // the run in which it began
	running bool    // the run went on within it
	began   account // where it began; of its run if that went on
	reached bool    // a path leads to its end
	join    account // of those paths

	sets     uint64 // cost.sets where it began
	branches uint64 // ways to its label, beside the one from above
	from     uint64 // instructions that lead there
	last     int    // the last of those
}

// label returns what a branch to the frame takes with it.
func (f *frame) label() []ValueType {
	if f.op == opLoop {
		return f.params
	}
	return f.results
}

// A stack checks operands and blocks by the algorithm in the appendix of the specification. The first
// fault is kept in err; what is done after it has no meaning.
type stack struct {
	limits   *Limits
	function int
	at       int // offset of the instruction
	err      error

	values   []ValueType
	slots    int // of 8 bytes
	maxSlots int
	deep     int // values at the bottom that are counted in spilled
	spilled  int // slots of values that got more others above them than there are registers
	pushed   int // slots pushed since the last call
	frames   []frame
	traffic  uint64 // operands pushed and popped, those of dead code too
}

func (s *stack) reset(limits *Limits, function int) {
	*s = stack{limits: limits, function: function, values: s.values[:0], frames: s.frames[:0]}
}

func (s *stack) fail(format string, args ...any) {
	if s.err == nil {
		s.err = &FormatError{Offset: s.at, Reason: fmt.Sprintf("function %d: ", s.function) + fmt.Sprintf(format, args...)}
	}
}

func (s *stack) tooMany(what string, got, most int) {
	if s.err == nil {
		s.err = &LimitError{What: functionName(what, s.function), Got: uint64(got), Max: uint64(most)}
	}
}

func slotsOf(t ValueType) int {
	if t == V128 {
		return 2
	}
	return 1
}

func (s *stack) push(t ValueType) {
	s.values = append(s.values, t)
	s.traffic++
	s.pushed += slotsOf(t)
	if s.deep < len(s.values)-registers {
		s.spilled += slotsOf(s.values[s.deep])
		s.deep++
	}
	if s.slots += slotsOf(t); s.slots > s.maxSlots {
		s.maxSlots = s.slots
		if s.slots > s.limits.StackValues {
			s.tooMany("operands on the stack of", s.slots, s.limits.StackValues)
		}
	}
}

func (s *stack) pushAll(ts []ValueType) {
	for _, t := range ts {
		s.push(t)
	}
}

func (s *stack) pop() ValueType {
	s.traffic++
	f := s.top()
	if len(s.values) == f.height {
		if !f.dead {
			s.fail("an operand is missing")
		}
		return unknown
	}
	t := s.values[len(s.values)-1]
	s.values = s.values[:len(s.values)-1]
	s.deep = min(s.deep, len(s.values))
	s.slots -= slotsOf(t)
	return t
}

func (s *stack) expect(want ValueType) {
	if got := s.pop(); got != want && got != unknown && want != unknown {
		s.fail("an operand is %s and not %s", got, want)
	}
}

func (s *stack) expectAll(want []ValueType) {
	for i := len(want) - 1; i >= 0; i-- {
		s.expect(want[i])
	}
}

func (s *stack) top() *frame { return &s.frames[len(s.frames)-1] }

// live reports whether the next instruction can run.
func (s *stack) live() bool { f := s.top(); return !f.dead && !f.skipped }

func (s *stack) open(op opcode, params, results []ValueType) {
	skipped := len(s.frames) > 0 && !s.live()
	s.frames = append(s.frames, frame{op: op, params: params, results: results,
		height: len(s.values), slots: s.slots, skipped: skipped})
	if len(s.frames)-1 > s.limits.Nesting {
		s.tooMany("nested blocks of", len(s.frames)-1, s.limits.Nesting)
	}
	s.pushAll(params)
}

// finish checks that exactly the results of the innermost frame are left.
func (s *stack) finish() {
	f := s.top()
	s.expectAll(f.results)
	if len(s.values) != f.height {
		s.fail("a block leaves more on the stack than its results %s", results(f.results))
	}
}

func (s *stack) close() {
	f := s.top()
	s.finish()
	s.frames = s.frames[:len(s.frames)-1]
	if s.err == nil && len(s.frames) > 0 {
		s.pushAll(f.results)
	}
}

// stop marks what follows as dead.
func (s *stack) stop() {
	f := s.top()
	s.values, s.slots = s.values[:f.height], f.slots
	s.deep = min(s.deep, len(s.values))
	f.dead = true
}

// target returns the frame that a branch goes to.
func (s *stack) target(depth uint32) *frame {
	if uint64(depth) >= uint64(len(s.frames)) {
		s.fail("branch to label %d, there are %d", depth, len(s.frames))
		return &s.frames[0]
	}
	return &s.frames[len(s.frames)-1-int(depth)]
}
