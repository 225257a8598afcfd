package assembler

import (
	"math"
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// ViolationKind is what an adapter did wrong. The list is that of the replay-state protocol, section
// "Grammar checker".
type ViolationKind string

const (
	// AfterFinish: a chunk of any type after a finish.
	AfterFinish ViolationKind = "after-finish"
	// BadIndex: an index that is not an integer from 0 to 2^53 - 1.
	BadIndex ViolationKind = "bad-index"
	// RepeatedStart: a start of a block that is open.
	RepeatedStart ViolationKind = "repeated-start"
	// IndexReused: a start of a block that has ended, which an Assembler would ignore. Not in reference mode.
	IndexReused ViolationKind = "index-reused"
	// DeltaMismatch: a delta for a block that is not open or of another kind.
	DeltaMismatch ViolationKind = "delta-mismatch"
	// EndNotOpen: an end of a block that is not open.
	EndNotOpen ViolationKind = "end-not-open"
	// EndKindMismatch: an end with a block of another kind than the one declared.
	EndKindMismatch ViolationKind = "end-kind-mismatch"
	// RepeatedUsage: a second usage chunk.
	RepeatedUsage ViolationKind = "repeated-usage"
	// OpenAtFinish: a finish, neither error nor aborted, while a block is open.
	OpenAtFinish ViolationKind = "open-at-finish"
	// NoFinish: the stream ended without a finish.
	NoFinish ViolationKind = "no-finish"
)

// End is the place of a violation at the end of the stream.
const End = -1

// A Violation is the first thing that is wrong with a stream.
type Violation struct {
	// At is the place of the chunk, counted from 0, or End.
	At   int
	Kind ViolationKind
	// Detail says what was found, for people.
	Detail string
}

func (v *Violation) Error() string {
	at := "at its end"
	if v.At != End {
		at = "at chunk " + strconv.Itoa(v.At)
	}
	return "chunk stream " + at + ": " + v.Detail + " (" + string(v.Kind) + ")"
}

// MarshalJSON gives {"at", "kind", "message"}, with "end" for the place End.
func (v *Violation) MarshalJSON() ([]byte, error) {
	out := append([]byte(nil), `{"at":`...)
	if v.At == End {
		out = append(out, `"end"`...)
	} else {
		out = strconv.AppendInt(out, int64(v.At), 10)
	}
	out = wtf8.AppendQuote(append(out, `,"kind":`...), string(v.Kind))
	return append(wtf8.AppendQuote(append(out, `,"message":`...), v.Detail), '}'), nil
}

// A Grammar checks a stream of chunks against the rules that an adapter must keep, one chunk at a time.
// It is separate from the [Assembler], which is tolerant. The zero value is ready for one stream. It is
// not safe for concurrent use. It remembers each index of the stream.
type Grammar struct {
	// Reference allows an index to be used again after its block has ended, as the protocol's reference
	// does.
	Reference bool

	blocks   []declared
	at       table // of blocks
	open     int
	place    int // of the next chunk
	usage    bool
	finished bool
	first    *Violation
}

type declared struct {
	kind string
	open bool
}

// Check takes the next chunk. The error, a *[Violation], is the first one of the stream; every call
// after it returns the same one. A chunk of a type that the protocol does not have is let through, as
// the assembler refuses it.
func (g *Grammar) Check(c *message.Chunk) error {
	if g.first == nil {
		if kind, detail := g.check(c); kind != "" {
			g.first = &Violation{At: g.place, Kind: kind, Detail: detail}
		}
		g.place++
	}
	return g.violation()
}

// End says that the stream has ended. The error, a *[Violation], is the first one of the stream.
func (g *Grammar) End() error {
	if g.first == nil && !g.finished {
		g.first = &Violation{At: End, Kind: NoFinish, Detail: "it has no finish chunk"}
	}
	return g.violation()
}

// violation avoids an error that is not nil and holds nil.
func (g *Grammar) violation() error {
	if g.first == nil {
		return nil
	}
	return g.first
}

// check returns "" for a legal chunk.
func (g *Grammar) check(c *message.Chunk) (ViolationKind, string) {
	if g.finished {
		return AfterFinish, "a chunk of the type " + strconv.Quote(c.Type) + " follows the finish"
	}
	var kind string
	switch c.Type {
	case message.BlockStart:
		return g.start(c)
	case message.BlockEnd:
		return g.end(c)
	case message.TextDelta:
		kind = message.Text
	case message.ReasoningDelta:
		kind = message.Reasoning
	case message.ToolCallDelta:
		kind = message.ToolCall
	case message.UsageChunk:
		if g.usage {
			return RepeatedUsage, "there is a second usage chunk"
		}
		g.usage = true
		return "", ""
	case message.FinishChunk:
		g.finished = true
		failed := c.Reason != nil && (c.Reason.Kind == message.Failed || c.Reason.Kind == message.Aborted)
		if g.open > 0 && !failed {
			return OpenAtFinish, "open blocks at the finish: " + strconv.Itoa(g.open)
		}
		return "", ""
	default:
		return "", ""
	}
	if !legal(c.Index) {
		return badIndex(c)
	}
	if b := g.find(c.Index); b == nil || !b.open || b.kind != kind {
		return DeltaMismatch, "a " + c.Type + " for block " + at(c) + ", which is " + b.String()
	}
	return "", ""
}

func (g *Grammar) start(c *message.Chunk) (ViolationKind, string) {
	if !legal(c.Index) {
		return badIndex(c)
	}
	b := g.find(c.Index)
	switch {
	case b == nil:
		g.blocks = append(g.blocks, declared{})
		g.at.set(c.Index, len(g.blocks))
		b = &g.blocks[len(g.blocks)-1]
	case b.open:
		return RepeatedStart, "a second start of block " + at(c) + ", which is " + b.String()
	case !g.Reference:
		return IndexReused, "block " + at(c) + " is started again after its end"
	}
	*b = declared{kind: known(c.BlockType), open: true}
	g.open++
	return "", ""
}

func (g *Grammar) end(c *message.Chunk) (ViolationKind, string) {
	if !legal(c.Index) {
		return badIndex(c)
	}
	b := g.find(c.Index)
	if b == nil || !b.open {
		return EndNotOpen, "an end of block " + at(c) + ", which is " + b.String()
	}
	if c.Block == nil || c.Block.Type != b.kind {
		carried := "no block"
		if c.Block != nil {
			carried = strconv.Quote(c.Block.Type)
		}
		return EndKindMismatch, "the end of block " + at(c) + ", which is " + b.String() + ", carries " + carried
	}
	b.open = false
	g.open--
	return "", ""
}

func (g *Grammar) find(index float64) *declared {
	if place := g.at.find(index); place > 0 {
		return &g.blocks[place-1]
	}
	return nil
}

func (b *declared) String() string {
	switch {
	case b == nil:
		return "not open"
	case !b.open:
		return "closed"
	}
	return "open as " + strconv.Quote(b.kind)
}

const maxSafe = 1<<53 - 1

func legal(index float64) bool {
	return index >= 0 && index <= maxSafe && index == math.Trunc(index)
}

func badIndex(c *message.Chunk) (ViolationKind, string) {
	return BadIndex, "the index of a " + c.Type + " is " + at(c) + ", not an integer from 0 to 2^53-1"
}

func at(c *message.Chunk) string { return string(appendIndex(nil, c.Index)) }
