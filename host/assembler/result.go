package assembler

import (
	"encoding/json"
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A Result is what an answer has come to.
type Result struct {
	// Blocks are those that are kept, in the order in which their indexes were first seen. It is not nil.
	Blocks []message.Block
	// ReplayState is the replay envelope that belongs to exactly these blocks, nil if there is none. If it
	// has a list of entries, the list is as long as Blocks.
	ReplayState json.RawMessage
	// Discarded is why the answer's replay envelope was not kept; nil if it was, or there was none.
	Discarded *Discarded
}

// Result assembles what was pushed so far. It can be called at any time and again, and changes nothing;
// it costs time and memory in proportion to the whole answer.
//
// After a max-tokens finish every tool call is dropped, closed or not, since a call that parses may
// still be cut. Nothing else is ever dropped. The finish is not judged: an answer that failed has blocks
// and a state too.
//
// The error is an *[Error]: UnassemblableBlock, or UnusableState in reference mode.
func (a *Assembler) Result() (Result, error) {
	seen := make([]message.Block, 0, len(a.parts))
	for i := range a.parts {
		p := &a.parts[i]
		if !p.assemblable() {
			return Result{}, &Error{Code: UnassemblableBlock, Type: p.kind, Index: p.index}
		}
		seen = append(seen, p.block())
	}
	d := decide(seen, a.Finish().Kind)
	state, discarded, err := a.replayState(d)
	if err != nil {
		return Result{}, err
	}
	return Result{Blocks: d.blocks(seen), ReplayState: state, Discarded: discarded}, nil
}

// A decision says which of the blocks that were seen are kept. Blocks and entries are cut by the same
// one and so cannot disagree.
type decision struct {
	seen int
	kept []int // positions
}

func decide(seen []message.Block, finish string) decision {
	d := decision{seen: len(seen), kept: make([]int, 0, len(seen))}
	for i := range seen {
		if finish != message.MaxTokens || seen[i].Type != message.ToolCall {
			d.kept = append(d.kept, i)
		}
	}
	return d
}

func (d decision) drops() bool { return len(d.kept) < d.seen }

func (d decision) blocks(seen []message.Block) []message.Block {
	if !d.drops() {
		return seen
	}
	kept := make([]message.Block, len(d.kept))
	for i, at := range d.kept {
		kept[i] = seen[at]
	}
	return kept
}

// AppendJSON appends {"blocks": […], "replayState"?, "discarded"?}.
func (r *Result) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"blocks":[`...)
	for i := range r.Blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = r.Blocks[i].AppendJSON(dst)
	}
	dst = append(dst, ']')
	if r.ReplayState != nil {
		dst = append(append(dst, `,"replayState":`...), r.ReplayState...)
	}
	if d := r.Discarded; d != nil {
		dst = wtf8.AppendQuote(append(dst, `,"discarded":{"reason":`...), string(d.Reason))
		dst = append(strconv.AppendInt(append(dst, `,"seen":`...), int64(d.Seen), 10), `,"entries":`...)
		dst = append(strconv.AppendInt(dst, int64(d.Entries), 10), '}')
	}
	return append(dst, '}')
}

// MarshalJSON implements [json.Marshaler].
func (r Result) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }
