package host

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A Turn is what has become of one whole turn.
type Turn struct {
	turn.Outcome
	// Composed is how the turn was composed. If its Err is set the build has failed, and the turn went on
	// with the session's last good prompt (Fallback), or with the loop's own.
	Composed envelope.TurnResult
}

// Turn runs one whole turn of the session over a loop: it captures the request and composes the envelope,
// sends the history with the composed prompt and the context files in front, translates and keeps the
// answer, runs tools and asks again, as [turn.Loop.Prompt] says. The developer messages get into the
// requests of a provider whose client has a transport of the host, see [Host.Transport]; the context files
// are in front of the history of each request, and never in the log.
//
// The loop's System is the prompt that the host had built (Request.SystemPrompt, if that is nil); the one
// that is sent is composed of it. What else req leaves out is filled in: session id, provider and model
// from the session and the loop's route, the active tools from its tools, and the prompt from content. With
// no content at all the content is req's prompt.
//
// A contribution that fails never fails the turn, see [Turn].Composed. A listener of the loop's router that
// sends a call to another provider leaves it without the developer messages, which are those of the route.
//
// The error is that of [turn.Loop.Prompt]: without one, the outcome is in the log. If ctx is done before the
// envelope is composed there is no turn, and the error is its cause. One session has one turn at a time;
// different sessions do not wait for each other.
func (s *Session) Turn(
	ctx context.Context, loop *turn.Loop, req envelope.Request, content ...message.Block,
) (Turn, error) {
	switch {
	case len(content) == 0 && req.Prompt == nil:
		return Turn{}, errors.New("turn: there is no prompt: give content, or set the request's prompt")
	case len(content) == 0:
		content = []message.Block{{Type: message.Text, Text: *req.Prompt}}
	case req.Prompt == nil:
		prompt := textOf(content)
		req.Prompt = &prompt
	}
	var t Turn
	var err error
	t.Outcome, err = loop.PromptWith(s.Context(ctx), content, func(ctx context.Context) (turn.Preface, error) {
		s.complete(&req, loop)
		t.Composed = s.host.Envelope.BeforeTurn(ctx, envelope.Turn{Request: req, Notify: s.warn})
		if ctx.Err() != nil {
			return turn.Preface{}, context.Cause(ctx)
		}
		preface := turn.Preface{System: *req.SystemPrompt, Messages: s.contextFiles()}
		if t.Composed.SystemPrompt != nil {
			preface.System = *t.Composed.SystemPrompt
		}
		return preface, nil
	})
	return t, err
}

// complete fills in what the session and the loop know.
func (s *Session) complete(req *envelope.Request, loop *turn.Loop) {
	req.SessionID = s.id
	if req.Provider == "" {
		req.Provider = loop.Route.Provider
	}
	if req.Model == "" {
		req.Model = loop.Route.Model
	}
	if req.ActiveTools == nil {
		for i := range loop.Tools {
			req.ActiveTools = append(req.ActiveTools, loop.Tools[i].Name)
		}
	}
	if req.SystemPrompt == nil {
		system := loop.System
		req.SystemPrompt = &system
	}
}

func textOf(content []message.Block) string {
	var texts []string
	for i := range content {
		if content[i].Type == message.Text {
			texts = append(texts, content[i].Text)
		}
	}
	return strings.Join(texts, "\n")
}

// warn logs why a build has failed, unless that is because nobody wants the turn any more.
func (s *Session) warn(ctx context.Context, text, _ string) error {
	if ctx.Err() != nil {
		return nil
	}
	s.host.logger.LogAttrs(ctx, slog.LevelWarn, text, slog.String("session", s.id))
	return nil
}

// contextFiles is the message with the context files that are in force, nothing if there are none.
func (s *Session) contextFiles() []message.Message {
	state, _ := s.host.Envelope.PayloadState(s.id)
	if state.ContextText == "" {
		return nil
	}
	return []message.Message{{
		ID: envelope.ContextID, Role: message.User,
		Content: []message.Block{{Type: message.Text, Text: state.ContextText}},
		Source:  message.Source{Kind: message.FromPlugin, Plugin: envelope.TypeContext},
	}}
}
