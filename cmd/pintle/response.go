package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A responseReport is what became of the model's answers, as data.
type responseReport struct {
	Turn    int64            `json:"turn"`
	Outcome turn.Kind        `json:"outcome"`
	Failure *message.Failure `json:"failure,omitempty"`
	Usage   message.Usage    `json:"usage"`
	Answers []answerReport   `json:"answers"`
	// Messages are those that the turn has added to the history, the prompt first.
	Messages []loggedMessage `json:"messages"`
	// Stored says where they are, nil if they are not kept.
	Stored *storedIn `json:"stored"`

	ended json.RawMessage // the reason of the turn's end
}

// An answerReport is about one recorded answer.
type answerReport struct {
	File   string          `json:"file"`
	Finish *message.Finish `json:"finish"` // null: the stream has none
	// Envelope is what became of the replay envelope: none, kept, pruned or discarded.
	Envelope string `json:"envelope"`
	// Offered and Kept are the numbers of its entries; null if it lists none.
	Offered *int `json:"offered"`
	Kept    *int `json:"kept"`
	// Discarded is why.
	Discarded *replay.Report `json:"discarded,omitempty"`

	// Translation is what became of parts of the AI SDK, nil if the answer was recorded as chunks.
	Translation *translation `json:"translation,omitempty"`
	// Dropped is how many tool calls were dropped as the output limit may have cut the answer.
	Dropped int `json:"droppedCalls,omitempty"`

	state  json.RawMessage // the envelope that was offered
	blocks liveBlocks
}

type storedIn struct {
	File string `json:"file"`
	Made bool   `json:"made"` // it was not there before
	From int64  `json:"from"` // the seqs of the first event and behind the last
	To   int64  `json:"to"`
}

// answer runs the turn over the recorded answers.
func (c *conversation) answer(cmd *cobra.Command, t *turnFile, system string) (*responseReport, error) {
	ctx := cmd.Context()
	before := lookAhead(c.session.State(), c.route)
	before.File, before.Recovery = c.before.File, c.before.Recovery
	c.before = before
	from := c.session.State().Next()
	router := &turn.Router{}
	if err := router.Register(c.script, c.route.Provider); err != nil {
		return nil, err
	}
	r := &responseReport{Answers: []answerReport{}, Messages: []loggedMessage{}}
	var discarded []replay.Report
	loop := turn.Loop{
		Session: c.session, Router: router, Route: c.route, System: system, Tools: c.tools,
		OnChunk: func(chunk *message.Chunk) { r.see(chunk, len(c.script.Requests()), c.answers) },
		OnReport: func(report replay.Report) {
			if report.Code == replay.StateMisaligned {
				discarded = append(discarded, report)
			}
		},
	}
	outcome, err := loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: *t.Prompt}})
	if err != nil {
		return nil, err
	}
	r.Turn, r.Outcome, r.Failure, r.Usage = outcome.Turn, outcome.Kind, outcome.Failure, outcome.Usage
	if c.stored != "" {
		r.Stored = &storedIn{c.stored, c.made, from, c.session.State().Next()}
	}
	for logged, err := range turns(c.session.Events(context.WithoutCancel(ctx), from)) {
		if err != nil {
			return nil, err
		}
		if logged.Turn == outcome.Turn {
			r.Messages, r.ended = logged.Messages, logged.Reason
		}
	}
	r.envelopes(discarded)
	for _, a := range c.answers[min(len(c.answers), len(c.script.Requests())):] {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s was not asked for: the turn had ended\n", oneLine(a.file, 200))
	}
	return r, nil
}

// see notes what a chunk says of the answer that it belongs to.
func (r *responseReport) see(c *message.Chunk, call int, answers []recorded) {
	for len(r.Answers) < call {
		a := answerReport{Envelope: "none"}
		if n := len(r.Answers); n < len(answers) {
			a.File, a.Translation = answers[n].file, answers[n].translation
		}
		r.Answers = append(r.Answers, a)
	}
	a := &r.Answers[call-1]
	a.blocks.see(c)
	if c.Type == message.FinishChunk {
		finish := *c.Reason
		a.Finish, a.state = &finish, bytes.Clone(c.ReplayState)
	}
}

// envelopes compares what was offered with what was stored. The answers that became a message come
// first: one that fails ends the turn.
func (r *responseReport) envelopes(discarded []replay.Report) {
	var messages []*message.Message
	for i := range r.Messages {
		if m := &r.Messages[i].Message; m.Source.Kind == message.FromModel {
			messages = append(messages, m)
		}
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		a.Offered = count(a.state)
		if a.Finish != nil && a.Finish.Kind == message.MaxTokens {
			a.Dropped = len(a.blocks.calls())
		}
		if i >= len(messages) {
			continue
		}
		m := messages[i]
		for d := range discarded {
			if discarded[d].MessageID == m.ID {
				a.Discarded = &discarded[d]
			}
		}
		a.Kept = count(m.Source.ReplayState)
		switch {
		case a.Discarded != nil:
			a.Envelope = "discarded"
		case m.Source.ReplayState == nil:
		case a.Kept != nil && a.Offered != nil && *a.Kept < *a.Offered:
			a.Envelope = "pruned"
		default:
			a.Envelope = "kept"
		}
	}
}

func count(state json.RawMessage) *int {
	if n, listed := entries(state); listed {
		return &n
	}
	return nil
}
