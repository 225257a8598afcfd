package quickjs

import (
	"fmt"
	"slices"
)

// maxPeriod is how many functions may call each other in turn for a trace to show them once.
const maxPeriod = 16

// Trace writes a stack for people, innermost first. A recursion has its functions once, and how often they
// follow each other behind the last of them. locate says where a frame is to be shown; false leaves it out.
// whole tells whether something is shown as of another file, and what called it left out: so the trace leads to
// the author's function that was called.
func Trace(stack []Frame, locate func(Frame) (Frame, bool)) (lines []string, whole bool) {
	var frames []Frame
	ends, placed := false, false
	for _, f := range stack {
		shown, ok := locate(f)
		if ok {
			frames = append(frames, shown)
			placed = placed || shown.File != f.File
		}
		ends = !ok
	}
	whole = ends && placed
	return fold(frames, whole), whole
}

func fold(frames []Frame, whole bool) (lines []string) {
	for len(frames) > 0 {
		period, times := recursion(frames)
		block := frames[:period]
		for _, f := range block {
			lines = append(lines, f.String())
		}
		frames = frames[period*times:]
		if times == 1 {
			continue
		}
		how := fmt.Sprintf("×%d", times)
		if !whole && len(frames) < period && slices.Equal(frames, block[:len(frames)]) {
			// The engine's stack ends here, and not the recursion.
			how += " or more"
			frames = nil
		}
		if period > 1 {
			how = fmt.Sprintf("(these %d %s)", period, how)
		}
		lines[len(lines)-1] += " " + how
	}
	return lines
}

// recursion finds how many of the first frames follow themselves, and how often, so that most frames are told
// by it.
func recursion(frames []Frame) (period, times int) {
	period, times = 1, 1
	for p := 1; p <= min(maxPeriod, len(frames)/2); p++ {
		same := p // frames that are equal to those p before them
		for same < len(frames) && frames[same] == frames[same-p] {
			same++
		}
		n := same / p
		if n*p > period*times && (p == 1 || n > 2) {
			period, times = p, n
		}
	}
	return period, times
}
