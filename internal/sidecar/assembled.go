package sidecar

import (
	"crypto/rand"
	"errors"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

// assembled is what an answer has come to as a durable message.
type assembled struct {
	// Message is nil if the blocks cannot be read.
	Message *message.Message `json:"message"`
	// Keep says that a turn stores the message: the answer has not failed, and something is left of it.
	Keep bool `json:"keep"`
	// Discarded is why the replay envelope is not in the message.
	Discarded *assembler.Discarded `json:"discarded,omitempty"`
	Finish    message.Finish       `json:"finish"`
	Usage     *message.Usage       `json:"usage,omitempty"`
	Error     *assembleError       `json:"error,omitempty"`
	// Violation is the first thing that is wrong with the chunks.
	Violation *assembler.Violation `json:"violation,omitempty"`
}

// An assembleError is why there is no message.
type assembleError struct {
	// Stage is "push" for a chunk that was refused, and "assemble" for blocks that cannot be read.
	Stage string `json:"stage"`
	Code  string `json:"code"`
	// At is the place of a chunk that was refused, from 0.
	At      *int   `json:"at,omitempty"`
	Message string `json:"message"`
}

// assembling is how the message of an answer is made.
type assembling struct {
	id        string // "" for a new one
	requested message.Route
	answered  *message.Route // nil for what the chunks say
	// interrupted: the caller has cancelled, and only what it has seen is kept.
	interrupted bool
}

// read makes the message of what was pushed.
func (how *assembling) read(a *assembler.Assembler) assembled {
	out := assembled{Finish: a.Finish(), Usage: a.Usage()}
	m := message.Message{
		ID: how.id, Role: message.Assistant,
		Source: message.Source{Kind: message.FromModel, Provider: how.requested.Provider, Model: how.requested.Model},
	}
	if m.ID == "" {
		m.ID = rand.Text()
	}
	served := a.Answered()
	if served == nil {
		served = how.answered
	}
	m.Source.Answered = answered(served, how.requested)
	if how.interrupted {
		m.Content = a.Interrupted()
		out.Message, out.Keep = &m, len(m.Content) > 0
		return out
	}
	result, err := a.Result()
	if err != nil {
		out.Error = &assembleError{Stage: "assemble", Code: assembleCode(err), Message: err.Error()}
		return out
	}
	m.Content, m.Source.ReplayState = result.Blocks, result.ReplayState
	out.Message, out.Discarded = &m, result.Discarded
	out.Keep = out.Finish.Kind != message.Failed && out.Finish.Kind != message.Aborted
	return out
}

func assembleCode(err error) string {
	if known := (*assembler.Error)(nil); errors.As(err, &known) {
		return string(known.Code)
	}
	return message.Unknown
}
