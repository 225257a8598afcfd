package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
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
	// Findings are in the order of the log, those about the file first.
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

	salvaged bool
}

// Faults is the number of findings that are no notes.
func (r *Report) Faults() int {
	n := 0
	for i := range r.Findings {
		if r.Findings[i].Level == Fault {
			n++
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

func (r *Report) add(f Finding) { r.Findings = append(r.Findings, f) }

// Check looks over a log file, under the terms of [session.ViewFile]. It needs memory for the history, not
// for the chunks that it was made of. The error is never about content: the file cannot be read, or ctx
// is done.
func Check(ctx context.Context, path string, o Options) (*Report, error) {
	r := &Report{}
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
	r.Refused = refused
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
		if o.Session.Kinds, err = kinds(ctx, v); err != nil {
			return err
		}
		if i, err = session.Inspect(ctx, v, o.Session); err == nil {
			r.Refused = refused
			r.add(fileFinding(refused))
		}
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
	r.history(i.State, &empty, o)
	return nil
}

// kinds are all the kinds of events in a log.
func kinds(ctx context.Context, v session.View) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	for e, err := range v.Events(ctx, 0) {
		if err != nil {
			return nil, err
		}
		if !seen[e.Type] {
			seen[e.Type] = true
			all = append(all, e.Type)
		}
	}
	return all, nil
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

// history looks at the messages of a session, and at the answers that are none.
func (r *Report) history(s *session.State, empty *empties, o Options) {
	if r.Route = o.Route; r.Route == (message.Route{}) {
		r.Route = lastRoute(s)
	}
	messages := s.Messages()
	r.Messages = len(messages)
	var seqs []int64
	for _, seq := range s.Surface() {
		if !empty.at(seq) {
			seqs = append(seqs, seq)
		}
	}
	found := make([][]Finding, len(messages))
	add := func(i int, f Finding) {
		f.MessageID, f.Seq = messages[i].ID, r.seq(seqs[i])
		found[i] = append(found[i], f)
	}
	c := calls{add: add}
	for i := range messages {
		examine(i, &messages[i], add)
		c.message(i, &messages[i])
	}
	c.end()
	r.owned(messages, found, add)
	rest := empty.list
	for i := range messages {
		for ; len(rest) > 0 && rest[0].seq < seqs[i]; rest = rest[1:] {
			r.add(emptyAnswer(rest[0].id, r.seq(rest[0].seq)))
		}
		r.Findings = append(r.Findings, found[i]...)
	}
	for _, e := range rest {
		r.add(emptyAnswer(e.id, r.seq(e.seq)))
	}
}

func emptyAnswer(id string, seq *int64) Finding {
	return Finding{Code: EmptyAnswer, Level: Note, Seq: seq, MessageID: id,
		Detail: "the answer has no content: only its usage was kept",
		Effect: "programs that take the last answer of a session find nothing in it",
		Here:   "the history goes without it"}
}

// seq is the place of an event in the log. What is salvaged has other places than the file says.
func (r *Report) seq(seq int64) *int64 {
	if r.salvaged {
		return nil
	}
	return &seq
}

// empties are the answers without content, which are on the surface and not in the history.
type empties struct{ list []placed }

type placed struct {
	seq int64
	id  string
}

func (l *empties) see(e *session.Event) {
	if e.Type != session.AssistantMessage {
		return
	}
	if m, ok := messageOf(e); ok && len(m.Content) == 0 {
		l.list = append(l.list, placed{e.Seq, m.ID})
	}
}

// at finds one; they are in the order of their seqs.
func (l *empties) at(seq int64) bool {
	_, found := slices.BinarySearchFunc(l.list, seq, func(p placed, seq int64) int { return cmp.Compare(p.seq, seq) })
	return found
}

// messageOf returns the message of an answer's event.
func messageOf(e *session.Event) (message.Message, bool) {
	doc, err := jsonspan.Scan(e.Data, 1)
	if err != nil {
		return message.Message{}, false
	}
	n := jsonvalue.Member(doc.Root(), "message")
	m, err := message.ParseMessage(n.Raw())
	return m, err == nil
}

// owned tells of the states that the route has no use for. One that cannot be used at all is known by then.
func (r *Report) owned(messages []message.Message, found [][]Finding, add func(int, Finding)) {
	if r.Route.Provider == "" {
		return
	}
	next := 0 // the reports come in the order of the messages
	same := func(provider string) bool { return provider == r.Route.Provider }
	replay.Own(messages, same, r.Route, false, func(report replay.Report) {
		for next < len(messages) && messages[next].ID != report.MessageID {
			next++
		}
		if next == len(messages) {
			return
		}
		i := next
		next++
		if len(found[i]) > 0 && found[i][0].Code == InvalidState {
			return
		}
		add(i, Finding{Code: StateNotOwned, Level: Note, Detail: report.String(),
			Effect: "the message goes without signatures as long as the session is on this route",
			Here:   "the same, with a report, unless one adapter serves both providers"})
	})
}

// lastRoute is the route that a session is on.
func lastRoute(s *session.State) message.Route {
	var header struct {
		Config message.Route `json:"config"`
	}
	if json.Unmarshal(s.RequestHeader(), &header) == nil && header.Config.Provider != "" {
		return header.Config
	}
	messages := s.Messages()
	for i := len(messages) - 1; i >= 0; i-- {
		if m := &messages[i]; m.Role == message.Assistant && m.Source.Kind == message.FromModel {
			return m.Source.Requested()
		}
	}
	return message.Route{}
}
