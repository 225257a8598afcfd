package assembler

import (
	"encoding/json"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma"
)

// An Assembler collects the chunks of one answer. The zero value is ready for use. It is not safe for
// concurrent use and must not be copied.
//
// It is tolerant: a delta without a start opens its block, what comes for a closed block is ignored, a
// block's kind never changes before its end, and the block that an end carries counts for more than what
// was streamed. Of several usage chunks, and of several finishes, the last one counts. Pushing costs time
// in proportion to the chunk and, once the buffers have grown, no memory.
type Assembler struct {
	// Reference gives the behaviour of the protocol's reference for malformed replay envelopes.
	Reference bool

	parts []part // in the order in which their indexes were first seen
	at    table  // of parts
	// current is the part of the last chunk with an index, which is last; nil if there was none.
	current *part
	last    float64
	free    [][]byte // buffers of blocks that are closed

	usage    *message.Usage
	finish   *message.Finish
	state    json.RawMessage
	answered *message.Route
}

// A part is one block under assembly.
type part struct {
	index float64
	kind  string
	// text is that of a text or reasoning block, or the arguments of a tool call: the deltas of other
	// kinds never show, so they are not collected.
	text  []byte
	id    string
	hasID bool
	name  string
	// closed is the block that the end carried, nil while the block is open.
	closed *message.Block
}

// Push takes the next chunk. It copies the fragments and does not keep c, but shares the memory of a
// closing block, a finish reason and a replay envelope, which must not change. The error, an *[Error],
// is UnknownChunk or MalformedChunk, and the chunk is then ignored.
func (a *Assembler) Push(c *message.Chunk) error {
	switch c.Type {
	case message.TextDelta:
		a.append(a.part(c.Index, message.Text), c.Text)
	case message.ReasoningDelta:
		a.append(a.part(c.Index, message.Reasoning), c.Text)
	case message.ToolCallDelta:
		a.call(a.part(c.Index, message.ToolCall), c)
	case message.BlockStart:
		a.part(c.Index, c.BlockType)
	case message.BlockEnd:
		if c.Block == nil {
			return &Error{Code: MalformedChunk, Type: c.Type}
		}
		a.close(a.part(c.Index, c.Block.Type), *c.Block)
	case message.UsageChunk:
		if c.Usage == nil {
			return &Error{Code: MalformedChunk, Type: c.Type}
		}
		usage := *c.Usage
		a.usage = &usage
	case message.FinishChunk:
		if c.Reason == nil {
			return &Error{Code: MalformedChunk, Type: c.Type}
		}
		finish := *c.Reason
		a.finish, a.state, a.answered = &finish, c.ReplayState, nil
		if r := c.Answered; r != nil && r.Provider != "" && r.Model != "" {
			route := *r
			a.answered = &route
		}
	default:
		return &Error{Code: UnknownChunk, Type: strings.Clone(c.Type)}
	}
	return nil
}

// part returns the part with an index; if there is none yet it opens one of the given kind.
func (a *Assembler) part(index float64, kind string) *part {
	if index == a.last && a.current != nil {
		return a.current
	}
	return a.partAt(index, kind)
}

func (a *Assembler) partAt(index float64, kind string) *part {
	place := a.at.find(index)
	if place == 0 {
		a.parts = append(a.parts, part{index: index, kind: known(kind)})
		place = len(a.parts)
		a.at.set(index, place)
	}
	a.last, a.current = index, &a.parts[place-1]
	return a.current
}

// known returns a kind as a string that holds no memory of the chunk.
func known(kind string) string {
	switch kind {
	case message.Text:
		return message.Text
	case message.Reasoning:
		return message.Reasoning
	case message.ToolCall:
		return message.ToolCall
	}
	return strings.Clone(kind)
}

// append adds to a text or reasoning block.
func (a *Assembler) append(p *part, text string) {
	if p.closed == nil && (p.kind == message.Text || p.kind == message.Reasoning) {
		a.write(p, text)
	}
}

// call adds to a tool call.
func (a *Assembler) call(p *part, c *message.Chunk) {
	if p.closed != nil || p.kind != message.ToolCall {
		return
	}
	if c.NoID {
		p.id, p.hasID = "", false
	} else if p.hasID = true; p.id != c.ID {
		p.id = strings.Clone(c.ID)
	}
	if c.Name != "" && p.name != c.Name {
		p.name = strings.Clone(c.Name)
	}
	a.write(p, c.ArgumentsDelta)
}

// close ends a block. What was streamed of it is no longer needed.
func (a *Assembler) close(p *part, b message.Block) {
	if p.closed != nil {
		return
	}
	p.closed = &b
	a.recycle(p)
}

// Finish is the reason of the last finish chunk, and that of a normal end if there was none.
func (a *Assembler) Finish() message.Finish {
	if a.finish == nil {
		return message.Finish{Kind: message.Stop}
	}
	return *a.finish
}

// Usage is that of the last usage chunk, nil if there was none.
func (a *Assembler) Usage() *message.Usage {
	if a.usage == nil {
		return nil
	}
	usage := *a.usage
	return &usage
}

// Answered is the route that the last finish chunk said has answered, nil if it did not say.
func (a *Assembler) Answered() *message.Route {
	if a.answered == nil {
		return nil
	}
	route := *a.answered
	return &route
}

// Interrupted is what is kept of an answer that the caller has cancelled: the text and reasoning that is
// not blank, open or closed, in the order in which it began. Tool calls and blocks of other kinds go. It
// never comes with a replay state.
func (a *Assembler) Interrupted() []message.Block {
	kept := []message.Block{}
	for i := range a.parts {
		p := &a.parts[i]
		kind := p.kind
		if p.closed != nil {
			kind = p.closed.Type
		}
		if kind == message.Text || kind == message.Reasoning {
			if b := p.block(); !ecma.IsBlank(b.Text) {
				kept = append(kept, b)
			}
		}
	}
	return kept
}

// assemblable tells whether there is a block to be made.
func (p *part) assemblable() bool {
	return p.closed != nil || p.kind == message.Text || p.kind == message.Reasoning || p.kind == message.ToolCall
}

// block makes the block.
func (p *part) block() message.Block {
	switch {
	case p.closed != nil:
		return *p.closed
	case p.kind != message.ToolCall:
		return message.Block{Type: p.kind, Text: string(p.text)}
	}
	b := message.Block{Type: p.kind, ID: p.id, Name: p.name, Arguments: string(p.text)}
	if !p.hasID {
		b.ID = string(appendIndex([]byte("call-"), p.index))
	}
	return b
}

// Reset makes the assembler ready for another answer. It keeps its buffers, which are as large as the
// largest answer so far.
func (a *Assembler) Reset() {
	for i := len(a.parts) - 1; i >= 0; i-- { // so that the next answer gets them in the same order
		a.recycle(&a.parts[i])
	}
	clear(a.parts)
	a.at.reset()
	*a = Assembler{Reference: a.Reference, parts: a.parts[:0], at: a.at, free: a.free}
}
