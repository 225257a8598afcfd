package proof

import "fmt"

// The bounds that are proved. Units of fuel are about a nanosecond.
const (
	maxGap   = 1 << 15 // units between two checks on a path through one function
	maxTail  = 1 << 8  // units behind a call before the next check or the end of the function
	maxPiece = 1 << 16 // bytes that one instruction moves
	maxRow   = 1 << 13 // entries that one instruction moves

	perUnit = 8 // weights of instructions are eighths of a unit

	unknown = 1 << 40 // an upper bound of a local that says nothing
)

// A state is what is known at one place of a function whatever path led there.
type state struct {
	dead   bool  // no path leads there: the rest says nothing
	credit int64 // at least so much weight was charged and not yet used since the function was entered
	gap    int64 // at most so much was charged since the last check
	tail   int64 // likewise since the first call behind that check; -1: there was no call
	length int64 // local 2 is at most this
}

// meet makes s true of both paths.
func (s *state) meet(o state) {
	switch {
	case o.dead:
	case s.dead:
		*s = o
	default:
		s.credit = min(s.credit, o.credit)
		s.gap = max(s.gap, o.gap)
		s.tail = max(s.tail, o.tail)
		s.length = max(s.length, o.length)
	}
}

// A label is an open block.
type label struct {
	op              uint16
	height          int // operands below those that it takes
	params, results int
	outer           int64 // the floor outside of a loop
	entry           state // before an if
	join            state // of all branches to the end
}

// A walker goes through one function once, from the first instruction to the last.
type walker struct {
	m    *module
	list []instruction
	body *body
	i    int
	now  state
	// floor is the credit at the head of the innermost loop. Below it nothing may be used: it was
	// charged once, and what is in the loop is done more often.
	floor        int64
	labels       []label
	height, most int // operands, now and at most
	entered      bool
	frame        int64
	err          *Error
}

func (w *walker) fail(format string, args ...any) {
	if w.err == nil {
		at := w.list[min(w.i, len(w.list)-1)].at
		w.err = &Error{Offset: int(at), Reason: fmt.Sprintf(format, args...)}
	}
}

// walk proves what is proved of one function.
func (w *walker) walk(sig signature) *Error {
	w.err = nil
	w.i, w.now = 0, state{length: unknown, tail: -1}
	w.labels = append(w.labels[:0], label{results: len(sig.results), join: state{dead: true}})
	w.floor, w.height, w.most = 0, 0, 0
	w.entered, w.frame = false, 0
	if len(w.list) == 0 {
		return &Error{Reason: "a function without an end"}
	}
	w.head("the function")
	w.use(int64(w.body.locals) / 4) // which are set to 0
	w.prologue()
	for w.err == nil && w.i < len(w.list) && len(w.labels) > 0 {
		if w.sequence() {
			continue
		}
		in := &w.list[w.i]
		w.step(in)
		w.i++
		if in.op == opLoop && w.err == nil {
			w.head("the loop")
		}
	}
	switch {
	case w.err != nil:
	case len(w.labels) > 0 || w.i < len(w.list):
		w.fail("the function does not end where its blocks end")
	case w.entered:
		least := 64 + 8*(int64(len(sig.params))+int64(w.body.locals)+int64(len(sig.results))+int64(w.most))
		if w.frame < least {
			w.fail("the frame is counted as %d bytes, it has at least %d", w.frame, least)
		}
	}
	return w.err
}

// head wants a charge and its check.
func (w *walker) head(of string) {
	n, ok := w.charge(w.i)
	if !ok || n < 1 {
		w.fail("%s does not begin with a charge", of)
		return
	}
	w.pay(n)
	w.i += chargeLength
	if !w.check(w.i) {
		w.fail("%s does not look at what is left behind its first charge", of)
		return
	}
	w.checked()
	w.i += checkLength
}

func (w *walker) pay(n int64) {
	w.now.credit += n * perUnit
	w.unchecked(n)
}

func (w *walker) unchecked(n int64) {
	s := &w.now
	if s.gap += n; s.tail >= 0 {
		s.tail += n
	}
}

func (w *walker) checked() {
	w.now.gap, w.now.tail = 0, -1
}

// patience fails when too much is charged without a look at what is left. It is asked wherever work is
// done, so that a charge may stand before its check.
func (w *walker) patience() {
	switch s := &w.now; {
	case s.gap > maxGap:
		w.fail("%d units are charged without a check, at most %d may be", s.gap, maxGap)
	case s.tail > maxTail:
		w.fail("%d units are charged behind a call without a check, at most %d may be", s.tail, maxTail)
	}
}

// use takes weight off what was charged for it.
func (w *walker) use(n int64) {
	if w.now.dead {
		return
	}
	w.patience()
	if w.now.credit -= n; w.now.credit < w.floor {
		w.fail("work of %d eighths of a unit is not charged", w.floor-w.now.credit)
	}
}

// operands takes operands from the stack and leaves others. Where no path leads there are as many as it
// takes.
func (w *walker) operands(in, out int) {
	bottom := w.labels[len(w.labels)-1].height
	if w.height -= in; w.height < bottom {
		if !w.now.dead {
			w.fail("the stack is empty")
		}
		w.height = bottom
	}
	if w.height += out; !w.now.dead {
		w.most = max(w.most, w.height)
	}
}
