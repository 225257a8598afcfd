package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// What an answer came to, as data. Without an error, Blocks are there; with one, only the rest is.
type assembled struct {
	Type        string               `json:"type"`
	Error       *assembleError       `json:"error,omitempty"`
	Blocks      []message.Block      `json:"blocks,omitzero"`
	ReplayState json.RawMessage      `json:"replayState,omitempty"`
	Discarded   *assembler.Discarded `json:"discarded,omitempty"`
	Finish      message.Finish       `json:"finish"`
	Usage       *message.Usage       `json:"usage,omitempty"`
	Interrupted []message.Block      `json:"interrupted"`

	failure error           // that Error is made of, if the blocks cannot be read
	offered json.RawMessage // the envelope of the finish chunk
	dropped []*liveBlock
	cut     bool // the reader was interrupted in the middle of the stream

	finished bool // a finish chunk came
}

type assembleError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// read takes the result from the assembler. A failure is what ended the stream before its end.
func (r *assembled) read(a *assembler.Assembler, blocks *liveBlocks, failure error) {
	r.Finish, r.Usage, r.Interrupted = a.Finish(), a.Usage(), a.Interrupted()
	if failure != nil {
		r.fail(failure)
		return
	}
	result, err := a.Result()
	if err != nil {
		r.failure = err
		r.fail(err)
		return
	}
	r.Blocks, r.ReplayState, r.Discarded = result.Blocks, result.ReplayState, result.Discarded
	if r.Finish.Kind == message.MaxTokens {
		r.dropped = blocks.calls()
	}
}

func (r *assembled) fail(err error) {
	r.Error = &assembleError{Code: message.Unknown, Message: err.Error()}
	if known := (*assembler.Error)(nil); errors.As(err, &known) {
		r.Error.Code = string(known.Code)
	}
}

// envelopeLine says what became of the replay envelope.
func (r *assembled) envelopeLine() string {
	offered, listed := entries(r.offered)
	switch {
	case r.offered == nil:
		return "none came with the answer"
	case r.Error != nil:
		return "lost with the blocks"
	case r.Discarded != nil:
		return "discarded: " + printable(r.Discarded.String())
	case r.ReplayState == nil:
		return "none: a null counts as absent"
	case !listed:
		return "kept; it has no entries for blocks"
	}
	kept, _ := entries(r.ReplayState)
	if kept == offered {
		return fmt.Sprintf("kept, with %s", pluralOf(kept, "entry", "entries"))
	}
	return fmt.Sprintf("kept, with %d of %s; the others described blocks that are dropped", kept, pluralOf(offered, "entry", "entries"))
}

// entries counts the entries of an envelope, and tells whether it lists any.
func entries(state json.RawMessage) (int, bool) {
	doc, err := jsonspan.Scan(state, 2)
	if err != nil {
		return 0, false
	}
	blocks := jsonvalue.Member(doc.Root(), "blocks")
	n := 0
	for entry := blocks.First(); entry.Kind() != jsonspan.Absent; entry = entry.Next() {
		n++
	}
	return n, blocks.Kind() == jsonspan.Array
}

func usageLine(u *message.Usage) string {
	if u == nil {
		return "unknown"
	}
	line := []string{fmt.Sprintf("%d tokens in", u.Input), fmt.Sprintf("%d out", u.Output)}
	for _, more := range []struct {
		n    int64
		what string
	}{{u.CacheRead, "read from the cache"}, {u.CacheWrite, "written to the cache"}, {u.Reasoning, "of the output for reasoning"}} {
		if more.n > 0 {
			line = append(line, fmt.Sprintf("%d %s", more.n, more.what))
		}
	}
	return strings.Join(line, ", ")
}

// finishLine says why the answer ended.
func (r *assembled) finishLine() string {
	switch {
	case r.finished:
		return finishLine(&r.Finish)
	case r.cut || r.Error != nil:
		return "none came"
	}
	return "none; counts as stop"
}

func finishLine(f *message.Finish) string {
	line := oneLine(f.Kind, 60)
	if f.Failure != nil {
		line += ": " + oneLine(f.Failure.Error(), 400)
	}
	return line
}

func pluralOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
