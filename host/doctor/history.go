package doctor

import (
	"cmp"
	"slices"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// history looks at the messages of a session, and at the answers that are none. It returns the seqs of
// the messages with results that a call asked for.
func (r *Report) history(s *session.State, empty *empties, o Options) map[int64]bool {
	if r.Route = o.Route; r.Route == (message.Route{}) {
		r.Route = LastRoute(s)
	}
	messages := s.Messages()
	r.Messages = len(messages)
	var seqs []int64
	for _, seq := range s.Surface() {
		if !empty.at(seq) {
			seqs = append(seqs, seq)
		}
	}
	type located struct {
		at int
		Finding
	}
	var found []located
	invalid := map[int]bool{}
	add := func(i int, f Finding) {
		f.MessageID, f.Seq = messages[i].ID, r.seq(seqs[i])
		if f.Code == InvalidState {
			invalid[i] = true
		}
		if r.admit(&f) {
			found = append(found, located{i, f})
		}
	}
	real := map[int64]bool{}
	c := calls{add: add, real: func(i int) { real[seqs[i]] = true }}
	for i := range messages {
		examine(i, &messages[i], add)
		c.message(i, &messages[i])
	}
	c.end()
	r.owned(messages, invalid, add)
	slices.SortStableFunc(found, func(a, b located) int { return cmp.Compare(a.at, b.at) })
	rest := empty.list
	for _, f := range found {
		for ; len(rest) > 0 && rest[0].seq < seqs[f.at]; rest = rest[1:] {
			r.add(emptyAnswer(rest[0].id, r.seq(rest[0].seq)))
		}
		r.Findings = append(r.Findings, f.Finding)
	}
	for _, e := range rest {
		r.add(emptyAnswer(e.id, r.seq(e.seq)))
	}
	return real
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
func (r *Report) owned(messages []message.Message, invalid map[int]bool, add func(int, Finding)) {
	if r.Route.Provider == "" {
		return
	}
	next := 0 // the reports come in the order of the messages
	same := func(provider string) bool { return provider == r.Route.Provider }
	reader := replay.Reader{Route: r.Route, OnReport: func(report replay.Report) {
		for next < len(messages) && messages[next].ID != report.MessageID {
			next++
		}
		if next == len(messages) {
			return
		}
		i := next
		next++
		if invalid[i] {
			return
		}
		add(i, Finding{Code: StateNotOwned, Level: Note, Detail: report.String(),
			Effect: "the message goes without signatures as long as the session is on this route",
			Here:   "the same, with a report, unless one adapter serves both providers"})
	}}
	reader.Own(messages, same)
}
