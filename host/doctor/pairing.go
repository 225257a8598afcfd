package doctor

import (
	"errors"
	"iter"

	"github.com/pintle-wasm/pintle/host/session"
)

// paired gives the calls of a log results, and takes out the results without a call. That is what is done
// with a log in which something may be missing.
func paired(h session.Header, events iter.Seq2[session.Event, error], o session.Options) iter.Seq2[session.Event, error] {
	return session.Rebuild(h, func(yield func(session.Event, error) bool) {
		if yield(session.Event{}, &session.Error{Code: session.SeqGap}) {
			events(yield)
		}
	}, o)
}

// A complaint is what a finding about calls is known by when the events have got other places.
type complaint struct {
	code                   Code
	message, entry, detail string
}

func (f *Finding) complaint() complaint { return complaint{f.Code, f.MessageID, f.EntryID, f.Detail} }

func aboutCalls(code Code) bool { return code == CallWithoutResult || code == ResultWithoutCall }

// pairing finds out which findings about calls a copy can do without: it makes that copy, in memory, and
// looks at it. Nothing is curable in this way if the copy would lose anything else than results that
// no call asked for; real tells which events are none of these.
func (r *Report) pairing(h session.Header, events iter.Seq2[session.Event, error], real map[int64]bool, o Options) error {
	if r.counts[kind{CallWithoutResult, Fault}]+r.counts[kind{ResultWithoutCall, Fault}] == 0 {
		return nil
	}
	var at session.Event // the one that is being taken
	feed := func(yield func(session.Event, error) bool) {
		for e, err := range events {
			if entry := (*session.Error)(nil); errors.As(err, &entry) {
				continue // of a salvage, which has told of it
			}
			at = e
			if !yield(e, err) {
				return
			}
		}
	}
	after := &Report{salvaged: true}
	state := session.NewState(h)
	var empty empties
	for e, err := range paired(h, feed, o.Session) {
		var entry *session.Error
		switch {
		case err == nil:
			if state.Apply(&e) != nil {
				return nil // a copy of it would be no session
			}
			empty.see(&e)
		case !errors.As(err, &entry):
			return err
		case entry.Code == session.SeqGap, entry.Code == session.CitationLost:
		case at.Type != session.ToolResult || real[at.Seq]:
			return nil
		}
	}
	after.history(state, &empty, o)
	left := map[complaint]bool{}
	for i := range after.Findings {
		left[after.Findings[i].complaint()] = true
	}
	r.each(func(f *Finding) {
		switch n := after.counts[kind{f.Code, f.Level}]; {
		case !aboutCalls(f.Code), n > maxFindings, left[f.complaint()]:
		case n > 0 && r.counts[kind{f.Code, f.Level}] > maxFindings: // which of them are left is not known
		case f.Code == CallWithoutResult:
			f.Curable, r.pairs = true, true
			f.Here += "; a repaired copy has a result that says that the call was not run or, if its start is in the log, that its outcome is unknown"
		default:
			f.Curable, r.pairs = true, true
			f.Here += "; a repaired copy goes without it"
		}
	})
	return nil
}
