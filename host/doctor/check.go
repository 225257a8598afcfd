package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
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

// Curable tells whether a repaired copy would have fewer faults.
func (r *Report) Curable() bool {
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
		var again error
		if i, again = session.Inspect(ctx, v, o.Session); again == nil {
			r.Refused = refused
			r.refused(refused)
		} else {
			return refused
		}
	} else if err != nil {
		return err
	}
	if i.Recovery.Tail > 0 {
		if err := r.tail(ctx, path, v.Next()); err != nil {
			return err
		}
	}
	r.unfinished(&i.Recovery)
	return r.history(ctx, i, o)
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

// refused tells of the one thing for which a log is refused.
func (r *Report) refused(e *session.Error) {
	f := fileFinding(e)
	f.Effect = "every program that does not know it refuses the session"
	f.Here = "the session is refused and the file left as it is"
	r.add(f)
}

// unfinished tells of a last turn that was not ended.
func (r *Report) unfinished(rec *session.Recovery) {
	if n := len(rec.Closed); n > 0 {
		f := Finding{Code: OpenTurn, Level: Fault, Curable: true, Seq: at(rec.Closed[n-1].Seq - int64(n)),
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

// history looks at the messages of the history.
func (r *Report) history(ctx context.Context, i *session.Inspection, o Options) error {
	var empty []placed
	events := map[int64]bool{}
	for e, err := range i.Events(ctx, 0) {
		if err != nil {
			return err
		}
		if e.Type != session.AssistantMessage {
			continue
		}
		if m, ok := messageOf(&e); ok && len(m.Content) == 0 {
			empty = append(empty, placed{e.Seq, m.ID})
			events[e.Seq] = true
		}
	}
	var seqs []int64
	for _, seq := range i.State.Surface() {
		if !events[seq] {
			seqs = append(seqs, seq)
		}
	}
	r.Route = o.Route
	if r.Route == (message.Route{}) {
		r.Route = lastRoute(i.State)
	}
	r.messages(i.State.Messages(), seqs)
	for _, e := range empty {
		r.add(Finding{Code: EmptyAnswer, Level: Note, Seq: at(e.seq), MessageID: e.id,
			Detail: "the answer has no content: only its usage was kept",
			Effect: "programs that take the last answer of a session find nothing in it",
			Here:   "the history goes without it"})
	}
	return nil
}

type placed struct {
	seq int64
	id  string
}

// messages looks at a history. seqs are those of its events.
func (r *Report) messages(messages []message.Message, seqs []int64) {
	r.Messages = len(messages)
	found := make([][]Finding, len(messages))
	add := func(i int, f Finding) {
		f.MessageID = messages[i].ID
		f.Seq = at(seqs[i])
		found[i] = append(found[i], f)
	}
	c := calls{add: add}
	for i := range messages {
		examine(i, &messages[i], add)
		c.message(i, &messages[i])
	}
	c.end()
	r.owned(messages, found, add)
	for _, f := range found {
		r.Findings = append(r.Findings, f...)
	}
}

// owned tells of the states that the route has no use for. One that cannot be used at all is known by then.
func (r *Report) owned(messages []message.Message, found [][]Finding, add func(int, Finding)) {
	if r.Route.Provider == "" {
		return
	}
	place := map[string]int{}
	for i := range messages {
		place[messages[i].ID] = i
	}
	same := func(provider string) bool { return provider == r.Route.Provider }
	replay.Own(messages, same, r.Route, false, func(report replay.Report) {
		i, ok := place[report.MessageID]
		if !ok || len(found[i]) > 0 && found[i][0].Code == InvalidState {
			return
		}
		add(i, Finding{Code: StateNotOwned, Level: Note, Detail: report.String(),
			Effect: "the message goes without signatures as long as the session is on this route",
			Here:   "the same, with a report, unless one adapter serves both providers"})
	})
}

func at(seq int64) *int64 { return &seq }

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

// open opens a log's file for a salvage.
func open(path string) (*os.File, *session.Salvaged, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	s := session.Salvage(f)
	s.Path = path
	return f, s, nil
}
