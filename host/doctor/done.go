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
			said = append(said, before.cure(code, n)...)
		}
		delete(was, code)
	}
	if cited > 0 {
		said = append(said, fmt.Sprintf("%s no longer names or replaces events that are lost", several(cited, "message")))
	}
	return said
}

// cure says what was done about n findings of a code.
func (r *Report) cure(code Code, n int) []string {
	if r.misnamed && code == Code(session.FrameCorrupt) {
		return []string{"read the file as the plain log that it is: only its name is that of a compressed one"}
	}
	var s string
	switch code {
	case InvalidState:
		s = "dropped the replay state of " + several(n, "message")
	case CallWithoutResult:
		s = "added a result for " + several(n, "call")
	case ResultWithoutCall:
		s = "left out " + several(n, "result") + " without a call"
	case OpenTurn:
		s = "closed the turn that was open"
	case Torn:
		s = "left out the end of the file, which was not complete"
	case NoLineFeed:
		s = "ended the last line"
	case ByteOrderMark:
		s = "left out the byte order mark"
	case LateHeader:
		s = "put the header at the beginning"
	case NotAnEntry:
		s = "left out " + several(n, "line") + " that Pi cannot find again"
	case ParentMissing:
		s = "linked " + pluralOf(n, "entry", "entries") + " whose parent is lost to the nearest one before it"
	case DuplicateID:
		s = "left out " + pluralOf(n, "entry that was", "entries that were") + " there before, word for word"
	case NotAnEvent:
		s = "left out " + several(n, "line") + " that held no event"
	case Code(session.CorruptLine):
		s = "left out " + several(n, "line") + " that cannot be read"
	case Code(session.SeqGap):
		s = "numbered the events anew over " + several(n, "gap")
	case Code(session.SeqRepeated):
		s = "left out " + several(n, "event") + " whose number was there before"
	case Code(session.FrameCorrupt):
		s = "left out what cannot be read of " + several(n, "frame")
	case Code(session.Validation):
		s = "left out " + several(n, "event") + " that no session can have"
	case Code(session.EventUnsupported):
		s = "left out " + several(n, "event") + " of kinds that are not known here: " + r.refusedKinds(session.EventUnsupported, n)
	case Code(session.LegacyUnsupported):
		s = "left out " + pluralOf(n, "event that is", "events that are") + " no longer read: " + r.refusedKinds(session.LegacyUnsupported, n)
	case Code(session.HeaderMissing), Code(session.HeaderNotJSON), Code(session.HeaderInvalid), Code(session.HeaderRetiredFields):
		s = "made a header in the place of one that cannot be used"
	default: // it went with something else that is told of
		return nil
	}
	return []string{s}
}

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func several(n int, what string) string { return pluralOf(n, what, what+"s") }
