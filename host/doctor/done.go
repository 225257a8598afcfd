package doctor

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host/session"
)

// faults counts the faults of a report by their codes.
func (r *Report) faults() map[Code]int {
	counts := map[Code]int{}
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Level == Fault {
			counts[f.Code] += f.several()
		}
	}
	return counts
}

// done compares two reports.
func done(before, after *Report, cited int) []string {
	said := []string{}
	was, is := before.faults(), after.faults()
	for i := range before.Findings {
		code := before.Findings[i].Code
		if n := was[code] - is[code]; n > 0 {
			said = append(said, cure(code, n))
		}
		delete(was, code)
	}
	if cited > 0 {
		said = append(said, fmt.Sprintf("%s no longer names or replaces events that are lost", several(cited, "message")))
	}
	return said
}

func cure(code Code, n int) string {
	switch code {
	case InvalidState:
		return "dropped the replay state of " + several(n, "message")
	case CallWithoutResult:
		return "added a result for " + several(n, "call")
	case ResultWithoutCall:
		return "left out " + several(n, "result") + " without a call"
	case OpenTurn:
		return "closed the turn that was open"
	case Torn:
		return "left out the end of the file, which was not complete"
	case NotAnEvent:
		return "left out " + several(n, "line") + " that held no event"
	case Code(session.CorruptLine):
		return "left out " + several(n, "line") + " that cannot be read"
	case Code(session.SeqGap):
		return "numbered the events anew over " + several(n, "gap")
	case Code(session.SeqRepeated):
		return "left out " + several(n, "event") + " whose number was there before"
	case Code(session.FrameCorrupt):
		return "left out what cannot be read of " + several(n, "frame")
	case Code(session.Validation):
		return "left out " + several(n, "event") + " that no session can have"
	}
	return "made a header in the place of one that cannot be used"
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
