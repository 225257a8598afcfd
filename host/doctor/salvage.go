package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// maxEntries bounds how many entries of a salvage's report become findings of their own.
const maxEntries = 100

// salvage looks at a log that is refused.
func (r *Report) salvage(ctx context.Context, path string, o Options) error {
	f, s, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	kept := keeper{}
	entries := 0
	told := false
	for e, err := range s.Events(ctx) {
		var entry *session.Error
		switch {
		case err == nil:
			r.Events++
			kept.event(&e)
		case !errors.As(err, &entry):
			return err
		default:
			told = told || entry.Code == r.Refused.Code && entry.Line == r.Refused.Line
			if entries++; entries <= maxEntries {
				r.add(fileFinding(entry))
			}
		}
	}
	if h, ok := s.Header(); ok {
		r.Header = &h
	}
	if entries > maxEntries {
		r.add(Finding{Code: Code(r.Refused.Code), Level: Fault, Curable: true,
			Detail: fmt.Sprintf("%d more places in the file cannot be read or are out of order", entries-maxEntries),
			Effect: "as above", Here: "as above"})
	}
	if !told {
		r.Findings = slices.Insert(r.Findings, 0, fileFinding(r.Refused))
	}
	r.Route = o.Route
	if r.Route == (message.Route{}) {
		r.Route = kept.route
	}
	r.messages(kept.messages, kept.seqs)
	return nil
}

// tail tells of the end of a file that is not a log any more.
func (r *Report) tail(ctx context.Context, path string, next int64) error {
	f, s, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	any := false
	for _, err := range s.Events(ctx) {
		var entry *session.Error
		if errors.As(err, &entry) {
			any = true
			r.add(fileFinding(entry))
		} else if err != nil {
			return err
		}
	}
	if !any { // it has grown meanwhile, or was whole but for its line feed
		r.add(fileFinding(&session.Error{Code: session.Torn, Detail: "the last line is not complete"}))
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
		f.Here = "it is cut off when the session is taken up"
	case session.SeqGap, session.SeqRepeated:
		if e.Code == session.SeqGap && e.Found < 0 {
			f.Code = NotAnEvent
			f.Effect = "a null makes the reference's reader crash, so that the session cannot be opened; other lines that are no event end the log for it"
		}
	case session.FormatUnsupported:
		f.Here, f.Curable = "the session is refused and the file left as it is", false
	case session.EventUnsupported, session.LegacyUnsupported, session.IdentityMismatch:
		f.Here, f.Curable = "the session is refused and the file left as it is: read it with the program that wrote it", false
	}
	return f
}

// A keeper keeps the messages of a log whose surface cannot be relied upon: those that were appended, in
// their order, without those that a later one replaces.
type keeper struct {
	messages []message.Message
	seqs     []int64
	route    message.Route
}

func (k *keeper) event(e *session.Event) {
	switch e.Type {
	case session.UserMessage, session.AssistantMessage, session.ToolResult:
	default:
		return
	}
	m, ok := messageOf(e)
	if !ok || e.Type == session.AssistantMessage && len(m.Content) == 0 {
		return
	}
	if m.Source.Kind == message.FromModel {
		k.route = m.Source.Requested()
	}
	if string(e.SurfaceOp) != string(session.Append) {
		k.replaced(e)
	}
	k.messages = append(k.messages, m)
	k.seqs = append(k.seqs, e.Seq)
}

// replaced takes out what a message replaces, as far as it is there.
func (k *keeper) replaced(e *session.Event) {
	for i := len(k.seqs) - 1; i >= 0; i-- {
		if slices.Contains(e.Sources, k.seqs[i]) {
			k.messages = slices.Delete(k.messages, i, i+1)
			k.seqs = slices.Delete(k.seqs, i, i+1)
		}
	}
}

// messageOf returns the message of a message event.
func messageOf(e *session.Event) (message.Message, bool) {
	data := []byte(e.Data)
	if e.Type != session.UserMessage {
		doc, err := jsonspan.Scan(e.Data, 1)
		if err != nil {
			return message.Message{}, false
		}
		m, _ := doc.Root().Member("message")
		data = m.Raw()
	}
	m, err := message.ParseMessage(data)
	return m, err == nil
}
