package sidecar

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
)

const (
	// streamWindow is how many parts a push may have.
	streamWindow = 1024
	// maxStreamBytes bounds the parts of one answer, and maxPushedBytes what one push is answered with, which
	// has texts again that came long before.
	maxStreamBytes = 32 << 20
	maxPushedBytes = 48 << 20
)

// An answer is one answer of a model that is translated piece by piece. It is not for concurrent use.
type answer struct {
	id         string
	translator *stream.Translator
	// abort says that the call was aborted.
	abort context.CancelFunc
	// chunker is nil for an answer of which only events are wanted. assembler is nil if the message is not, and
	// listed says that the chunks are.
	chunker   *stream.Chunker
	assembler *assembler.Assembler
	listed    bool
	how       assembling

	over bool
	part stream.Part
}

// A streamPushResult is what became of the parts of a push. The lists are JSON already.
type streamPushResult struct {
	Events json.RawMessage `json:"events"`
	Chunks json.RawMessage `json:"chunks,omitempty"`
	*streamEnd
}

// A streamEnd is what comes with the last event of a stream.
type streamEnd struct {
	// Incomplete are the places of tool calls in the message that must not be run.
	Incomplete []int          `json:"incomplete,omitempty"`
	Failure    *streamFailure `json:"failure,omitempty"`
	Assembled  *assembled     `json:"assembled,omitempty"`
}

// A streamFailure is why the message has an errorMessage.
type streamFailure struct {
	Kind stream.FailureKind `json:"kind"`
	// Tool is that of an unadvertised tool.
	Tool string `json:"tool,omitempty"`
}

// pushed collects what a push is answered with.
type pushed struct {
	streamPushResult
	err error
}

// push translates parts, and says whether the answer is over: it is behind its terminal event, and behind
// an error.
func (a *answer) push(p *streamPushParams) (streamPushResult, bool, error) {
	if p.Aborted {
		a.abort()
	}
	out := &pushed{}
	out.Events = make(json.RawMessage, 1, 64+2*p.bytes)
	out.Events[0] = '['
	if a.listed {
		out.Chunks = append(out.Chunks, '[')
	}
	take := func(e stream.Event) bool { return a.take(out, &e) }
	cause, ended := p.Error, p.End || p.Error != nil
	for _, raw := range p.Parts {
		var thrown *stream.Thrown
		if err := stream.ParsePart(raw, &a.part); errors.As(err, &thrown) {
			cause, ended = err, true
		} else if err != nil {
			return streamPushResult{}, false, err // the params were checked
		}
		if thrown != nil || !a.translator.Part(&a.part, take) {
			break
		}
	}
	if ended && !a.over && out.err == nil {
		a.translator.End(cause, take)
	}
	if out.err != nil {
		a.over = true
		return streamPushResult{}, true, out.err
	}
	out.Events = append(out.Events, ']')
	if a.listed {
		out.Chunks = append(out.Chunks, ']')
	}
	return out.streamPushResult, a.over, nil
}

// take adds an event, and says whether more are wanted.
func (a *answer) take(out *pushed, e *stream.Event) bool {
	terminal := e.Type == stream.EventDone || e.Type == stream.EventError
	if len(out.Events) > 1 {
		out.Events = append(out.Events, ',')
	}
	out.Events = e.AppendJSON(out.Events, terminal)
	if e.Type == stream.EventToolCallStart { // the id, without which nobody could make the message so far
		id := wtf8.AppendQuote([]byte(`,"id":`), e.Message.Content[e.ContentIndex].ID)
		out.Events = append(append(out.Events[:len(out.Events)-1], id...), '}')
	}
	if a.chunker != nil {
		if out.err = a.takeChunks(out, e); out.err != nil {
			return false
		}
	}
	if len(out.Events)+len(out.Chunks) > maxPushedBytes {
		out.err = tooMuch(maxPushedBytes, "the events of one push have more than %d bytes: push fewer parts at a time", maxPushedBytes)
		return false
	}
	if terminal {
		a.over = true
		a.end(out, e.Message)
	}
	return true
}

func (a *answer) takeChunks(out *pushed, e *stream.Event) error {
	chunks, err := a.chunker.Event(e)
	if err != nil {
		return err
	}
	for i := range chunks {
		if a.listed {
			if len(out.Chunks) > 1 {
				out.Chunks = append(out.Chunks, ',')
			}
			out.Chunks = chunks[i].AppendJSON(out.Chunks)
		}
		if a.assembler != nil {
			if err := a.assembler.Push(&chunks[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// end says what is to be known of the whole answer.
func (a *answer) end(out *pushed, m *stream.Message) {
	out.streamEnd = &streamEnd{}
	for i, b := range m.Content {
		if b.Incomplete {
			out.Incomplete = append(out.Incomplete, i)
		}
	}
	if m.Failure != "" {
		out.Failure = &streamFailure{Kind: m.Failure, Tool: m.ErrorTool}
	}
	if a.assembler == nil {
		return
	}
	a.how.interrupted = m.StopReason == stream.StopAborted
	whole := a.how.read(a.assembler)
	out.Assembled = &whole
}

// encoded is the result as JSON. The lists, which may be large, are not looked through for that.
func (r *streamPushResult) encoded() (json.RawMessage, error) {
	out := jsonvalue.Begin(make([]byte, 0, len(r.Events)+len(r.Chunks)+64))
	out.Raw("events", r.Events)
	if r.Chunks != nil {
		out.Raw("chunks", r.Chunks)
	}
	if r.streamEnd == nil {
		return out.End(), nil
	}
	var end bytes.Buffer
	encoder := json.NewEncoder(&end)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r.streamEnd); err != nil {
		return nil, err
	}
	if members := bytes.TrimSpace(end.Bytes()); len(members) > len("{}") {
		return append(append(out.Out, ','), members[1:]...), nil
	}
	return out.End(), nil
}

func noStream(id string) error {
	return jsonrpc.Errorf(codeNoStream, "stream: there is no open stream %.80q; it ended with its last event, or was closed", id)
}
