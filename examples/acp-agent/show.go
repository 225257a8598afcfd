package main

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/coder/acp-go-sdk"

	"github.com/pintle-wasm/pintle/host/message"
)

// What the editor sees comes from messages that are in the log, so it never shows what the model will not
// be shown again: the texts of an answer when the answer is whole. Reasoning and tool calls are not sent.
//
// With --live, texts and reasoning are sent as they come, and tool calls with their results when these are
// in the log. The text of an attempt that fails then stays on the screen, although the history lacks it.

// shown is what the editor has seen of the answer that is coming in.
type shown struct {
	// texts are the indexes of blocks of which a delta was sent.
	texts map[float64]bool
}

// onMessage shows a message that has been committed.
func (c *conversation) onMessage(m *message.Message) {
	if c.live {
		c.shown = shown{}
		c.showCalls(m)
		return
	}
	c.show(m)
}

// show sends the texts of an answer.
func (c *conversation) show(m *message.Message) {
	if m.Role != message.Assistant {
		return
	}
	for i := range m.Content {
		if b := &m.Content[i]; b.Type == message.Text && b.Text != "" {
			c.send(acp.UpdateAgentMessageText(b.Text))
		}
	}
}

// showAll sends what was shown of a message while it came in.
func (c *conversation) showAll(m *message.Message) {
	if m.Role == message.Assistant {
		for i := range m.Content {
			if b := &m.Content[i]; b.Type == message.Reasoning && b.Text != "" {
				c.send(acp.UpdateAgentThoughtText(b.Text))
			} else if b.Type == message.Text && b.Text != "" {
				c.send(acp.UpdateAgentMessageText(b.Text))
			}
		}
	}
	c.showCalls(m)
}

// onChunk shows a piece of an answer as it comes in.
func (c *conversation) onChunk(chunk *message.Chunk) {
	switch chunk.Type {
	case message.TextDelta, message.ReasoningDelta:
		if chunk.Text == "" {
			return
		}
		if c.shown.texts == nil {
			c.shown.texts = map[float64]bool{}
		}
		c.shown.texts[chunk.Index] = true
		if chunk.Type == message.TextDelta {
			c.send(acp.UpdateAgentMessageText(chunk.Text))
		} else {
			c.send(acp.UpdateAgentThoughtText(chunk.Text))
		}
	case message.BlockEnd:
		// A provider need not send deltas.
		if b := chunk.Block; b != nil && b.Text != "" && !c.shown.texts[chunk.Index] {
			switch b.Type {
			case message.Text:
				c.send(acp.UpdateAgentMessageText(b.Text))
			case message.Reasoning:
				c.send(acp.UpdateAgentThoughtText(b.Text))
			}
		}
	}
}

// showCalls sends the tool calls that an answer makes, or the result of one.
func (c *conversation) showCalls(m *message.Message) {
	for i := range m.Content {
		b := &m.Content[i]
		switch b.Type {
		case message.ToolCall:
			opts := []acp.ToolCallStartOpt{acp.WithStartStatus(acp.ToolCallStatusInProgress), acp.WithStartKind(kindOf(b.Name))}
			if json.Valid([]byte(b.Arguments)) {
				opts = append(opts, acp.WithStartRawInput(json.RawMessage(b.Arguments)))
			}
			c.send(acp.StartToolCall(acp.ToolCallId(b.ID), b.Name, opts...))
		case message.ToolResult:
			status := acp.ToolCallStatusCompleted
			if b.IsError {
				status = acp.ToolCallStatusFailed
			}
			content := []acp.ToolCallContent{acp.ToolContent(acp.TextBlock(texts(b.Content)))}
			c.send(acp.UpdateToolCall(acp.ToolCallId(b.ToolCallID), acp.WithUpdateStatus(status), acp.WithUpdateContent(content)))
		}
	}
}

func texts(blocks []message.Block) string {
	var all strings.Builder
	for i := range blocks {
		all.WriteString(blocks[i].Text)
	}
	return all.String()
}

// send tells the editor something. An editor that has gone is noticed at the end of its input.
func (c *conversation) send(u acp.SessionUpdate) {
	if err := c.update(context.Background(), acp.SessionNotification{SessionId: c.id, Update: u}); err != nil {
		c.log.Warn("the editor cannot be told", "session", c.id, "error", err)
	}
}
