package doctor

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/newfile"
)

// ErrIncurable says that a repaired copy would be no better than the log.
var ErrIncurable = errors.New("there is nothing that a repaired copy can cure")

// Repaired is what has become of a log in its repaired copy.
type Repaired struct {
	// Before is about the log, After about the copy.
	Before *Report `json:"-"`
	After  *Report `json:"-"`
	// Done says what was done, in sentences without their full stops.
	Done []string `json:"done"`
	// Left are the faults that the copy still has.
	Left []Finding `json:"left"`
}

// Repair writes a repaired copy of a log, with the same id, into a new file: what can be read of a damaged
// log, an open turn closed, replay states that do not fit their messages dropped, a result for each call
// that the history goes on behind, no result without a call. What of that would cost the history something
// is left as it is, and no finding about it is curable. It is plain JSON Lines, or Zstandard if the
// name ends in .zst or .zstd. The log is not changed.
//
// The copy of a session file of Pi has every line that holds an entry as it is, under its header; lines
// that hold none are left out. An entry whose parent is lost with such a line is linked to the nearest
// ancestor that is there, if the lost line still names it, or else to the entry in front of that line.
// Messages are neither made, changed nor left out. It is always plain.
//
// The copy is read back and checked before it gets its name. Repair fails with an error that is
// fs.ErrExist if there is a file of that name, and with ErrIncurable if there is nothing to do.
func Repair(ctx context.Context, path, to string, o Options) (*Repaired, error) {
	if pi, err := IsPi(path); err != nil {
		return nil, err
	} else if pi {
		return repairPi(ctx, path, to, o)
	}
	before, err := Check(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if !before.Curable() {
		return nil, fmt.Errorf("%s: %w", path, ErrIncurable)
	}
	out, err := newfile.Create(to, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Discard()
	cited, err := copyRepaired(ctx, path, before, newLogWriter(out, to), o)
	if err != nil {
		return nil, err
	}
	after, err := Check(ctx, out.Name(), o)
	if err != nil {
		return nil, err
	}
	if after.Refused != nil {
		return nil, fmt.Errorf("the repaired copy of %s would be refused: %s (%s)", path, after.Refused.Detail, after.Refused.Code)
	}
	if err := out.Commit(); err != nil {
		return nil, err
	}
	return newRepaired(before, after, done(before, after, cited)), nil
}

func newRepaired(before, after *Report, done []string) *Repaired {
	r := &Repaired{Before: before, After: after, Done: done, Left: []Finding{}}
	for _, f := range after.Findings {
		if f.Level == Fault {
			r.Left = append(r.Left, f)
		}
	}
	return r
}

// copyRepaired writes the copy, and returns how many messages had to be changed as they were made of
// events that are lost.
func copyRepaired(ctx context.Context, path string, before *Report, w *logWriter, o Options) (cited int, err error) {
	h, events, end, err := source(ctx, path, before, o)
	if err != nil {
		return 0, err
	}
	defer end()
	w.header(&h)
	for e, err := range events {
		var entry *session.Error
		if errors.As(err, &entry) {
			if entry.Code == session.CitationLost {
				cited++
			}
			continue
		}
		if err != nil {
			return 0, err
		}
		if e, err = withoutUnusableState(e); err != nil {
			return 0, err
		}
		if w.event(&e); w.err != nil {
			break
		}
	}
	return cited, w.flush()
}

// source opens a log as the events of a valid session.
func source(ctx context.Context, path string, before *Report, o Options) (session.Header, iter.Seq2[session.Event, error], func(), error) {
	if before.Refused != nil {
		s, err := openSalvage(ctx, path)
		if err != nil {
			return session.Header{}, nil, nil, err
		}
		events := s.events(ctx, o.Session)
		if before.pairs {
			events = paired(s.header, events, o.Session)
		}
		return s.header, events, s.close, nil
	}
	v, err := session.ViewFile(ctx, path)
	if err != nil {
		return session.Header{}, nil, nil, err
	}
	i, err := session.Inspect(ctx, v, o.Session)
	if err != nil {
		v.Close()
		return session.Header{}, nil, nil, err
	}
	events := i.Events(ctx, 0)
	if before.pairs {
		events = paired(v.Header(), events, o.Session)
	}
	return v.Header(), events, func() { v.Close() }, nil
}

// withoutUnusableState returns the event of an answer without a replay state that does not fit it.
func withoutUnusableState(e session.Event) (session.Event, error) {
	if e.Type != session.AssistantMessage {
		return e, nil
	}
	m, ok := messageOf(&e)
	if !ok || m.Source.ReplayState == nil {
		return e, nil
	}
	var d *replay.Diagnostic
	if !errors.As((&replay.Reader{}).Validate(m), &d) || IsOtherLayout(&m, d) {
		return e, nil
	}
	doc, err := jsonspan.Scan(e.Data, 1)
	if err != nil {
		return e, err
	}
	n := jsonvalue.Member(doc.Root(), "message")
	m = m.WithoutReplayState()
	edit := doc.Edit()
	edit.Set(n, m.AppendJSON(nil))
	data, err := edit.Bytes()
	if err != nil {
		return e, err
	}
	return session.Event{Type: e.Type, Seq: e.Seq, Time: e.Time, Data: data,
		SurfaceOp: e.SurfaceOp, Sources: e.Sources, Ignorable: e.Ignorable}, nil
}
