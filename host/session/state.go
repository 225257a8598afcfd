package session

import (
	"bytes"
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A State is what a session's log amounts to. It takes the log's events one by one and keeps the messages
// that are on the surface, not the chunks that they were made of. It is not safe for concurrent use.
type State struct {
	header Header
	progress
	surface chain[int64, *held]
	request []byte // the last request header, nil if there was none
	// undo has what takes back the changes since a savepoint, in order, if recording.
	undo      []func()
	recording bool
}

// NewState returns the state of an empty log.
func NewState(h Header) *State {
	return &State{header: h, progress: newProgress()}
}

// Apply takes the next event of the log, after it has checked it as the replay-state protocol says,
// section "Validation when a log becomes a session", in that order. An event that does not pass changes
// nothing. The error is an *[Error] with the code Validation or LegacyUnsupported.
//
// Whether the kind is known is not looked at: see [Options].
func (s *State) Apply(e *Event) error {
	if err := s.apply(e); err != nil {
		return err
	}
	return nil
}

func (s *State) apply(e *Event) *Error {
	if err := checkEnvelope(e); err != nil {
		return err
	}
	var h *held
	var request []byte
	var err *Error
	switch {
	case e.Type == headerDelta:
		return e.retired()
	case e.Type == RequestHeader:
		request, err = checkHeader(e)
	case surfaces(e.Type):
		h, err = checkMessage(e)
	}
	if err != nil {
		return err
	}
	if e.Seq != s.next {
		err := e.invalid("the next seq is %d", s.next)
		err.Expected, err.Found = s.next, e.Seq
		return err
	}
	first, last, err := s.checkSurface(e, h)
	if err != nil {
		return err
	}
	s.commit(e, h, first, last)
	if request != nil {
		s.request = bytes.Clone(request)
	}
	return nil
}

// commit takes an event that has been checked.
func (s *State) commit(e *Event, h *held, first, last *node) {
	var undo func(func())
	if s.recording {
		undo = func(back func()) { s.undo = append(s.undo, back) }
	}
	if h == nil {
		s.pass(e, nil, undo)
		return
	}
	s.pass(e, &h.message, undo)
	n := &node{key: e.Seq, value: h}
	if first == nil {
		s.surface.add(n)
	} else {
		s.surface.replace(first, last, n)
	}
	if undo != nil {
		undo(func() {
			if first == nil {
				s.surface.remove(n)
			} else {
				s.surface.restore(first, last, n)
			}
		})
	}
}

// A savepoint is a state to go back to.
type savepoint struct {
	progress progress
	request  []byte
}

// save begins to record what is needed to go back.
func (s *State) save() savepoint {
	s.recording = true
	return savepoint{s.progress, s.request}
}

// back goes back to where save was called.
func (s *State) back(to savepoint) {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
	s.progress, s.request = to.progress, to.request
	s.keep()
}

// keep ends the recording.
func (s *State) keep() {
	clear(s.undo)
	s.undo, s.recording = s.undo[:0], false
}

// Header is the log's.
func (s *State) Header() Header { return s.header }

// Next is the seq behind the last event.
func (s *State) Next() int64 { return s.next }

// Last is the type of the last event, "" if there is none.
func (s *State) Last() string { return s.last }

// Turn is the number of the last turn, 0 if there was none, and whether it has not ended.
func (s *State) Turn() (turn int64, open bool) { return s.turn, s.inTurn }

// Surface returns the seqs of the messages on the surface, in its order.
func (s *State) Surface() []int64 {
	seqs := make([]int64, 0, len(s.surface.at))
	for n := s.surface.head; n != nil; n = n.next {
		seqs = append(seqs, n.key)
	}
	return seqs
}

// Messages returns the history: the messages on the surface as they are stored, without the assistant
// messages that are empty.
func (s *State) Messages() []message.Message {
	messages := make([]message.Message, 0, len(s.surface.at))
	for n := s.surface.head; n != nil; n = n.next {
		if !n.value.nothing {
			messages = append(messages, n.value.message)
		}
	}
	return messages
}

// RequestHeader returns the header of the last request, without a system text or a list of tools that is
// empty; nil if no request has been logged.
func (s *State) RequestHeader() json.RawMessage {
	if s.request == nil {
		return nil
	}
	header := dropIf(s.request, "system", func(n jsonspan.Node) bool { return n.Is("") })
	return dropIf(header, "tools", func(n jsonspan.Node) bool {
		return n.Kind() == jsonspan.Array && n.First().Kind() == jsonspan.Absent
	})
}

// dropIf returns an object without the members of a key if the one that counts is to go.
func dropIf(data []byte, key string, gone func(jsonspan.Node) bool) []byte {
	doc, err := jsonspan.Scan(data, 1)
	if err != nil || !gone(jsonvalue.Member(doc.Root(), key)) {
		return data
	}
	return jsonvalue.Without(data, key)
}

// Closers returns the events that would close what is open. See the function of this name.
func (s *State) Closers() []Event { return s.closers() }
