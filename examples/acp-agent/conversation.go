package main

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/coder/acp-go-sdk"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
)

// maxSteps ends a turn in which the model calls tools without end.
const maxSteps = 100

// systemPrompt is what the model is told before guests have their say.
const systemPrompt = `You are a coding assistant in the user's editor. The working directory is the project that is open.
Use the tools to look at files before you say something about them. Be brief and exact.`

// A conversation is one session of the editor.
type conversation struct {
	*agent
	id   acp.SessionId
	cwd  string
	loop turn.Loop
	// running is held by the prompt that runs, or while the history is shown again.
	running sync.Mutex
	shown   shown

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the prompt that runs, nil if none does
}

// begin makes the context of a prompt. It has ended already if the agent has.
func (c *conversation) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	c.cancel = cancel
	c.mu.Unlock()
	c.agent.mu.Lock()
	closing := c.agent.closing
	c.agent.mu.Unlock()
	if closing {
		c.end(&turn.Cancel{Kind: "disposed"})
	}
	return ctx, func() {
		c.mu.Lock()
		c.cancel = nil
		c.mu.Unlock()
		cancel(nil)
	}
}

// end cancels the prompt that runs, if one does.
func (c *conversation) end(cause error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel != nil {
		c.cancel(cause)
	}
}

// prompt runs one turn and tells how it has ended. A prompt that was cancelled is answered as such, however
// far it had come.
func (c *conversation) prompt(ctx context.Context, content []message.Block) (acp.PromptResponse, error) {
	c.shown = shown{}
	t, err := c.host.Session(string(c.id)).Turn(ctx, &c.loop, c.request(), content...)
	switch {
	case ctx.Err() != nil:
		if err != nil && !errors.Is(err, context.Cause(ctx)) {
			c.log.Error("the cancelled turn could not be kept", "session", c.id, "error", err)
		}
		return acp.PromptResponse{StopReason: acp.StopReasonCancelled}, nil
	case err != nil:
		return acp.PromptResponse{}, failed("the turn could not be kept: %w", err)
	case t.Kind == turn.Failed:
		return acp.PromptResponse{}, failed("turn failed: %s", t.Failure.Message)
	}
	return acp.PromptResponse{StopReason: acp.StopReasonEndTurn}, nil
}

// request is what is known of a turn besides its prompt.
func (c *conversation) request() envelope.Request {
	options := registry.PromptOptions{CWD: c.cwd}
	if file, err := projectNotes(c.cwd); err == nil {
		options.ContextFiles = append(options.ContextFiles, file)
	} else if !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("the project's notes are left out", "session", c.id, "error", err)
	}
	return envelope.Request{API: c.api, CWD: c.cwd, Options: options}
}

// replay shows the history from its beginning: prompts and answers, and with --live what else was shown.
func (c *conversation) replay(ctx context.Context) error {
	messages := c.loop.Session.Messages()
	for i := range messages {
		m := &messages[i]
		if m.Source.Kind == message.FromUser {
			for j := range m.Content {
				if b := &m.Content[j]; b.Type == message.Text && b.Text != "" {
					c.send(acp.UpdateUserMessageText(b.Text))
				}
			}
		}
		if c.live {
			c.showAll(m)
		} else {
			c.show(m)
		}
	}
	return ctx.Err()
}
