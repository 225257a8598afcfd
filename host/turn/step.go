package turn

import (
	"errors"
	"slices"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
)

// step asks the model until it has answered, and returns the answer's tool calls.
func (r *run) step() ([]message.Block, error) {
	for attempt := 1; ; attempt++ {
		if r.ctx.Err() != nil {
			return nil, errCancelled
		}
		if err := r.sync(); err != nil {
			return nil, err
		}
		calls, err := r.attempt()
		var failed *failedAttempt
		if !errors.As(err, &failed) {
			return calls, err
		}
		if r.Recover == nil || !r.Recover(r.ctx, failed.failure, attempt) {
			if r.ctx.Err() != nil {
				return nil, errCancelled
			}
			return nil, &failed.failure
		}
	}
}

// A failedAttempt is a failure of the provider, which may be tried again.
type failedAttempt struct{ failure message.Failure }

func (f *failedAttempt) Error() string { return f.failure.Error() }

// attempt makes one request and stores the answer.
func (r *run) attempt() ([]message.Block, error) {
	stream, err := r.Router.dispatch(r.ctx, r.request(),
		replay.Reader{Reference: r.Reference, OnDiagnostic: r.degraded, OnReport: r.report})
	if err != nil {
		if r.ctx.Err() != nil {
			return nil, errCancelled
		}
		return nil, err
	}
	r.assembler.Reset()
	cited := []int64{}
	for c := range stream.Chunks() {
		if r.ctx.Err() != nil {
			break
		}
		e := r.at.chunk(r.buffer[:0], &c)
		r.buffer = e.Data
		seq, err := r.append(e)
		if err != nil {
			r.count(r.assembler.Usage())
			return nil, err
		}
		cited = append(cited, seq)
		if r.OnChunk != nil {
			r.OnChunk(&c)
		}
		if err := r.assembler.Push(&c); err != nil {
			r.count(r.assembler.Usage())
			return nil, err
		}
	}
	r.count(r.assembler.Usage())
	if r.ctx.Err() != nil {
		return nil, r.interrupted(stream, cited)
	}
	if finish := r.assembler.Finish(); isFailure(&finish) {
		return nil, &failedAttempt{finishFailure(finish)}
	}
	return r.commit(stream, cited)
}

func (r *run) request() *Request {
	req := Request{Route: r.Route, System: r.preface.System, Messages: r.Session.Messages()}
	if len(r.preface.Messages) > 0 {
		req.Messages = slices.Concat(r.preface.Messages, req.Messages)
	}
	for i := range r.Tools {
		req.Tools = append(req.Tools, r.Tools[i].Tool)
	}
	return &req
}

// commit stores an answer that has ended and returns its tool calls.
func (r *run) commit(stream *Stream, cited []int64) ([]message.Block, error) {
	result, err := r.assembler.Result()
	if err != nil {
		return nil, err
	}
	m := r.message(stream, result.Blocks)
	m.Source.ReplayState = result.ReplayState
	if _, err := r.append(r.at.answer(&m, r.assembler.Usage(), false, cited)); err != nil {
		return nil, err
	}
	if d := result.Discarded; d != nil {
		r.report(misaligned(&m, d))
	}
	if r.assembler.Finish().Kind == message.MaxTokens {
		r.cut = true
	}
	var calls []message.Block
	for i := range result.Blocks {
		if result.Blocks[i].Type == message.ToolCall {
			calls = append(calls, result.Blocks[i])
		}
	}
	return calls, nil
}

// interrupted stores what is kept of an answer that the caller has cancelled, and returns why the turn
// ends.
func (r *run) interrupted(stream *Stream, cited []int64) error {
	blocks := r.assembler.Interrupted()
	if len(blocks) > 0 {
		m := r.message(stream, blocks)
		if _, err := r.append(r.at.answer(&m, r.assembler.Usage(), true, cited)); err != nil {
			return err
		}
	}
	return errCancelled
}

// message makes the message of an answer. It is on the route that was asked, and says which one has
// answered if that is another: the provider knows best, and else it is the one that was called.
func (r *run) message(stream *Stream, content []message.Block) message.Message {
	m := message.Message{
		ID: newID(), Role: message.Assistant, Content: content,
		Source: message.Source{Kind: message.FromModel, Provider: r.Route.Provider, Model: r.Route.Model},
	}
	if r.Reference {
		return m
	}
	answered := r.assembler.Answered()
	if answered == nil {
		route := stream.Route()
		answered = &route
	}
	if *answered != r.Route && answered.Provider != "" && answered.Model != "" {
		m.Source.Answered = answered
	}
	return m
}

func misaligned(m *message.Message, d *assembler.Discarded) replay.Report {
	return replay.Report{
		Code: replay.StateMisaligned, MessageID: m.ID, Route: m.Source.Serving(),
		Blocks: d.Seen, Entries: d.Entries, Cause: string(d.Reason),
	}
}
