package doctor

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host/message"
)

// calls follows tool calls and their results through a history, as providers do: the results of an
// answer's calls come right behind it, one for each.
type calls struct {
	add func(at int, f Finding)
	// real is told of each message with a result that a call asked for, too late or not.
	real func(at int)

	open    []openCall       // of the last answer, in order
	waiting map[string][]int // by id: the places in open of those without a result
	seen    map[string]int   // how many answers had the id
	missed  map[string]int   // how many calls the history went on behind
}

type openCall struct {
	id, name string
	at       int // the message
	// second is one with the id of another call of the answer. One result is enough for both.
	second, answered bool
}

// message takes the next message of the history.
func (c *calls) message(at int, m *message.Message) {
	if m.Role == message.Assistant {
		c.unanswered()
		c.ask(at, m)
		return
	}
	other := len(m.Content) == 0
	for i := range m.Content {
		if b := &m.Content[i]; b.Type == message.ToolResult {
			c.result(at, b.ToolCallID)
		} else {
			other = true
		}
	}
	if other {
		c.unanswered()
	}
}

// end is the end of the history.
func (c *calls) end() { c.unanswered() }

func (c *calls) ask(at int, m *message.Message) {
	for i := range m.Content {
		b := &m.Content[i]
		if b.Type != message.ToolCall {
			continue
		}
		if c.waiting == nil {
			c.waiting = map[string][]int{}
		}
		second := len(c.waiting[b.ID]) > 0
		switch {
		case second:
			c.add(at, Finding{Code: DuplicateCall, Level: Fault,
				Detail: fmt.Sprintf("the answer has two calls with the id %s", quote(b.ID)),
				Effect: "providers refuse every request with this history",
				Here:   "both are sent, and so are their results: only the model could say which is which"})
		case c.seen[b.ID] == 1: // some models begin anew with each answer; saying it once is enough
			c.add(at, Finding{Code: DuplicateCall, Level: Note,
				Detail: fmt.Sprintf("the call id %s was used by an earlier answer", quote(b.ID)),
				Effect: "readers that look results up by the id alone take one for the other",
				Here:   "a result belongs to the nearest call before it"})
		}
		if !second {
			if c.seen == nil {
				c.seen = map[string]int{}
			}
			c.seen[b.ID]++
		}
		c.waiting[b.ID] = append(c.waiting[b.ID], len(c.open))
		c.open = append(c.open, openCall{id: b.ID, name: b.Name, at: at, second: second})
	}
}

func (c *calls) result(at int, id string) {
	if places := c.waiting[id]; len(places) > 0 {
		c.open[places[0]].answered = true
		c.waiting[id] = places[1:]
		c.real(at)
		return
	}
	detail := fmt.Sprintf("there is no call with the id %s before the result", quote(id))
	switch {
	case c.missed[id] > 0:
		c.missed[id]--
		c.real(at)
		detail = fmt.Sprintf("the history has gone on before the result of the call with the id %s", quote(id))
	case c.seen[id] > 0:
		detail = fmt.Sprintf("the call with the id %s has its result already", quote(id))
	}
	c.add(at, Finding{Code: ResultWithoutCall, Level: Fault, Detail: detail,
		Effect: "providers refuse every request with this history",
		Here:   "the result is sent all the same"})
}

// unanswered tells of the calls that the history goes on behind.
func (c *calls) unanswered() {
	if len(c.open) == 0 {
		return
	}
	for _, call := range c.open {
		if call.answered {
			continue
		}
		if c.missed == nil {
			c.missed = map[string]int{}
		}
		c.missed[call.id]++
		if call.second {
			continue
		}
		c.add(call.at, Finding{Code: CallWithoutResult, Level: Fault,
			Detail: fmt.Sprintf("the call of %s with the id %s has no result", quote(call.name), quote(call.id)),
			Effect: "providers refuse every request with this history",
			Here:   "the call is sent all the same"})
	}
	c.open, c.waiting = c.open[:0], nil
}
