package doctor

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host/message"
)

// calls follows tool calls and their results through a history, as providers do: the results of an
// answer's calls come right behind it, one for each.
type calls struct {
	add  func(at int, f Finding)
	open []openCall     // of the last answer, in order
	seen map[string]int // how often
}

type openCall struct {
	id, name string
	at       int // the message
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
			c.result(at, b)
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
	here := map[string]bool{}
	for i := range m.Content {
		b := &m.Content[i]
		if b.Type != message.ToolCall {
			continue
		}
		switch {
		case here[b.ID]:
			c.add(at, Finding{Code: DuplicateCall, Level: Fault,
				Detail: fmt.Sprintf("the answer has two calls with the id %q", b.ID),
				Effect: "providers refuse every request with this history",
				Here:   "both are sent, and so are their results: only the model could say which is which"})
			continue
		case c.seen[b.ID] == 1: // some models begin anew with each answer; saying it once is enough
			c.add(at, Finding{Code: DuplicateCall, Level: Note,
				Detail: fmt.Sprintf("the call id %q was used by an earlier answer", b.ID),
				Effect: "readers that look results up by the id alone take one for the other",
				Here:   "a result belongs to the nearest call before it"})
		}
		here[b.ID] = true
		if c.seen == nil {
			c.seen = map[string]int{}
		}
		c.seen[b.ID]++
		c.open = append(c.open, openCall{b.ID, b.Name, at})
	}
}

func (c *calls) result(at int, b *message.Block) {
	for i := range c.open {
		if c.open[i].id == b.ToolCallID {
			c.open = append(c.open[:i], c.open[i+1:]...)
			return
		}
	}
	detail := fmt.Sprintf("there is no call with the id %q before the result", b.ToolCallID)
	if c.seen[b.ToolCallID] > 0 {
		detail = fmt.Sprintf("the call with the id %q has its result already, or the history has gone on without it", b.ToolCallID)
	}
	c.add(at, Finding{Code: ResultWithoutCall, Level: Fault, Detail: detail,
		Effect:  "providers refuse every request with this history",
		Here:    "the result is sent all the same; a repaired copy goes without it",
		Curable: true})
}

// unanswered tells of the calls that the history goes on behind.
func (c *calls) unanswered() {
	for _, call := range c.open {
		c.add(call.at, Finding{Code: CallWithoutResult, Level: Fault,
			Detail:  fmt.Sprintf("the call of %q with the id %q has no result", call.name, call.id),
			Effect:  "providers refuse every request with this history",
			Here:    "the call is sent all the same; a repaired copy has a result that says that the outcome is unknown",
			Curable: true})
	}
	c.open = c.open[:0]
}
