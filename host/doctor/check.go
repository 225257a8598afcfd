package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
)

// Options say what a log is looked at for. The zero value is ready for use.
type Options struct {
	// Route is where the next request goes. If it is empty it is the route of the last request in the
	// log, or else of the last answer.
	Route message.Route
	// Session is how the session would be opened.
	Session session.Options
}

// A Report is what is known of one log.
type Report struct {
	// Findings are in the order of the log, those about the file first. Of each code and level there are
	// 1000 at most; behind all of them is then one more that says how many are left out.
	Findings []Finding
	// Refused is why the log cannot be taken up as it is, nil if it can. The findings about messages are
	// then those of what can be read.
	Refused *session.Error
	// Header is nil if the log has none that can be read.
	Header *session.Header
	// Events is how many events the log has, and Messages how many messages its history has.
	Events   int64
	Messages int
	// Route is the one that the next request was judged for.
	Route message.Route
	// Pi is what is known of a session file of Pi, nil for a log. With it Refused and Header are nil, Events
	// is the number of entries, and Messages that of the messages of the next request.
	Pi *Pi

	salvaged bool
	misnamed bool          // a plain log with the name of a Zstandard one
	kinds    []refusedKind // at most maxKinds
	pairs    bool          // a repaired copy gives calls results, and takes results without a call out
	counts   map[kind]int
	rest     []Finding // one of each kind that there was no more room for
}

// Faults is the number of findings that are no notes.
func (r *Report) Faults() int {
	n := 0
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Level == Fault {
			n += f.several()
		}
	}
	return n
}

// Curable tells whether a repaired copy would have fewer faults. There is none of a log that only another
// program can read.
func (r *Report) Curable() bool {
	if r.Refused != nil && !fileFinding(r.Refused).Curable {
		return false
	}
	for i := range r.Findings {
		if r.Findings[i].Level == Fault && r.Findings[i].Curable {
			return true
		}
	}
	return false
}

// Check looks over a log file, under the terms of [session.ViewFile], or a session file of Pi, which it
// tells by its first lines. It needs memory for the history, not for the chunks that it was made of, and
// of Pi's for an index of the entries and a line of 64 MiB at most. The error is never about content: the
// file cannot be read, or ctx is done.
func Check(ctx context.Context, path string, o Options) (*Report, error) {
	if pi, err := IsPi(path); err != nil {
		return nil, err
	} else if pi {
		return checkPi(ctx, path, o)
	}
	r := &Report{}
	defer r.finish()
	v, err := session.ViewFile(ctx, path)
	if err == nil {
		defer v.Close()
		err = r.load(ctx, path, v, o)
	}
	var refused *session.Error
	switch {
	case err == nil:
		return r, nil
	case !errors.As(err, &refused):
		return nil, err
	}
	*r = Report{Refused: refused} // what was found until then is found again
	return r, r.salvage(ctx, path, o)
}

// load looks at a log that can be read through.
func (r *Report) load(ctx context.Context, path string, v session.View, o Options) error {
	h := v.Header()
	r.Header, r.Events = &h, v.Next()
	i, err := session.Inspect(ctx, v, o.Session)
	var refused *session.Error
	if errors.As(err, &refused) && refused.Code == session.EventUnsupported {
		// The rest is of interest too, to those who decide whether to ignore such events.
		all, err := r.unknown(ctx, v, o.Session)
		if err != nil {
			return err
		}
		o.Session.Kinds = slices.Concat(o.Session.Kinds, all)
		r.Refused = refused
	}
	if r.Refused != nil {
		i, err = session.Inspect(ctx, v, o.Session)
	}
	if err != nil {
		return err
	}
	if i.Recovery.Tail > 0 {
		if err := r.tail(ctx, path); err != nil {
			return err
		}
	}
	r.unfinished(&i.Recovery)
	var empty empties
	for e, err := range i.Events(ctx, 0) {
		if err != nil {
			return err
		}
		empty.see(&e)
	}
	real := r.history(i.State, &empty, o)
	if r.Refused != nil { // only another program can repair it
		r.each(func(f *Finding) { f.Curable = false })
		return nil
	}
	i.State = nil // the history may be large, and is to be held once more
	return r.pairing(h, i.Events(ctx, 0), real, o)
}

// unfinished tells of a last turn that was not ended.
func (r *Report) unfinished(rec *session.Recovery) {
	if n := len(rec.Closed); n > 0 {
		f := Finding{Code: OpenTurn, Level: Fault, Curable: true, Seq: r.seq(rec.Closed[0].Seq - 1),
			Detail: "the last turn was not ended: its process died, or is still running",
			Effect: "readers that do not close it have calls without results, which providers refuse, or take the turn for one that runs",
			Here:   fmt.Sprintf("taking the session up appends the %d events that close it", n)}
		if n == 1 {
			f.Here = "taking the session up appends the event that closes it"
		}
		r.add(f)
	}
	for _, u := range rec.Uncommitted {
		characters := 0
		for i := range u.Blocks {
			characters += len([]rune(u.Blocks[i].Text))
		}
		r.add(Finding{Code: UncommittedOutput, Level: Note,
			Detail: fmt.Sprintf("in turn %d, step %d the model had said %d characters when it was interrupted", u.Turn, u.Step, characters),
			Effect: "the user may have seen them, and the model does not know them: they are in the log and not in the history",
			Here:   "the same, and taking the session up reports it"})
	}
}
