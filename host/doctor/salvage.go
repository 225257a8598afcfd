package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"github.com/pintle-wasm/pintle/host/session"
)

// A salvage is a log that is refused while its content is made fit.
type salvage struct {
	header session.Header
	found  bool // the header is the log's
	file   *os.File
	log    *session.Salvaged
	kind   string // of the event that is being taken
}

func openSalvage(ctx context.Context, path string) (*salvage, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &salvage{file: f, log: session.Salvage(f)}
	s.log.Path = path
	// The header is known once the log has been begun. The first event stands in for what it lacks.
	first := int64(0)
	for e, err := range s.log.Events(ctx) {
		if entry := (*session.Error)(nil); err != nil && !errors.As(err, &entry) {
			f.Close()
			return nil, err
		}
		if err == nil {
			first = max(e.Time, 0)
			break
		}
	}
	if s.header, s.found = s.log.Header(); !s.found {
		s.header = session.Header{ID: idFrom(path), CreatedAt: first}
	}
	s.header.SeedLength = nil // what is left of the seed is not known
	return s, nil
}

// events are those of a valid session, made of what can be read, with the entries of the report.
func (s *salvage) events(ctx context.Context, o session.Options) iter.Seq2[session.Event, error] {
	return session.Rebuild(s.header, func(yield func(session.Event, error) bool) {
		for e, err := range s.log.Events(ctx) {
			if s.kind = e.Type; !yield(e, err) {
				return
			}
		}
	}, o)
}

func (s *salvage) close() { s.file.Close() }

// salvage looks at a log that is refused.
func (r *Report) salvage(ctx context.Context, path string, o Options) error {
	s, err := openSalvage(ctx, path)
	if err != nil {
		return err
	}
	defer s.close()
	r.salvaged = true
	if s.found {
		r.Header = &s.header
	}
	state := session.NewState(s.header)
	var empty empties
	told := false
	for e, err := range s.events(ctx, o.Session) {
		var entry *session.Error
		switch {
		case err == nil:
			if err := state.Apply(&e); err != nil {
				return fmt.Errorf("what was salvaged is no session: %w", err)
			}
			empty.see(&e)
		case !errors.As(err, &entry):
			return err
		case entry.Code == session.CitationLost: // not the log's fault but the price of a repair
		default:
			r.refuse(entry.Code, s.kind)
			told = told || entry.Code == r.Refused.Code && entry.Line == r.Refused.Line
			f := fileFinding(entry)
			if !f.Curable && fileFinding(r.Refused).Curable {
				f.Here = "the session is refused and the file left as it is; a repaired copy goes without the event"
			}
			r.add(f)
		}
	}
	r.Events = s.log.Summary().Events
	if r.Refused.Code == session.FrameCorrupt {
		start, err := s.start()
		if err != nil {
			return err
		}
		r.misnamed = bytes.HasPrefix(bytes.TrimSpace(start), []byte{'{'})
	}
	if f := fileFinding(r.Refused); !told && r.admit(&f) {
		r.Findings = slices.Insert(r.Findings, 0, f)
	}
	what, err := s.noLog()
	if err != nil {
		return err
	}
	if what != "" {
		r.isNoLog(what, s.log.Summary().Lines)
	}
	if state.Next() == 0 { // a copy would be an empty session
		r.each(func(f *Finding) {
			f.Curable = false
			f.Here = "the session is refused and the file left as it is: it has no event that can be read"
		})
	}
	real := r.history(state, &empty, o)
	return r.pairing(s.header, s.events(ctx, o.Session), real, o)
}

// cutOff is what happens to the end of a file.
const cutOff = "it is cut off when the session is taken up"

// tail tells of the end of a file that is not a log any more.
func (r *Report) tail(ctx context.Context, path string) error {
	s, err := openSalvage(ctx, path)
	if err != nil {
		return err
	}
	defer s.close()
	told := false
	for _, err := range s.log.Events(ctx) {
		var entry *session.Error
		if errors.As(err, &entry) {
			told = true
			f := fileFinding(entry)
			f.Here = cutOff
			r.add(f)
		} else if err != nil {
			return err
		}
	}
	if !told { // it is whole but for its line feed
		f := fileFinding(&session.Error{Code: session.Torn, Detail: "the last line has no line feed, which commits it"})
		f.Here = cutOff
		r.add(f)
	}
	return nil
}

// fileFinding is what a fault of a log's text means.
func fileFinding(e *session.Error) Finding {
	f := Finding{Code: Code(e.Code), Level: Fault, Line: e.Line, Offset: e.Offset, Detail: e.Detail, Curable: true,
		Effect: "programs that insist on it refuse the whole session",
		Here:   "the session is refused and the file left as it is; a repaired copy has what can be read"}
	switch e.Code {
	case session.Torn:
		f.Effect = "nothing of it was ever acknowledged; programs that read the line all the same fail"
	case session.SeqGap:
		if e.Found < 0 {
			f.Code = NotAnEvent
			f.Effect = "a null makes the reference's reader crash, so that the session cannot be opened; any other such line ends the log for it"
		}
	case session.FormatUnsupported, session.EventUnsupported, session.LegacyUnsupported, session.IdentityMismatch:
		f.Effect = "programs that do not know it refuse the whole session"
		f.Here = "the session is refused and the file left as it is: the program that wrote it can read it"
		f.Curable = false
	}
	return f
}
