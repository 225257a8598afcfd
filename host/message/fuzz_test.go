package message_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// The functions below copy what a value shows, without the text that it was read from, so that writing
// it has to make the JSON anew.

func shown(b message.Block) message.Block {
	return message.Block{Type: b.Type, Text: b.Text, ID: b.ID, Name: b.Name, Arguments: b.Arguments,
		ToolCallID: b.ToolCallID, Content: shownBlocks(b.Content), IsError: b.IsError, Attachment: b.Attachment}
}

func shownBlocks(blocks []message.Block) []message.Block {
	if blocks == nil {
		return nil
	}
	out := make([]message.Block, len(blocks))
	for i, b := range blocks {
		out[i] = shown(b)
	}
	return out
}

func shownChunk(c message.Chunk) message.Chunk {
	out := message.Chunk{Type: c.Type, Index: c.Index, BlockType: c.BlockType, Text: c.Text, ID: c.ID, NoID: c.NoID, Name: c.Name,
		ArgumentsDelta: c.ArgumentsDelta, ReplayState: c.ReplayState}
	if c.Block != nil {
		b := shown(*c.Block)
		out.Block = &b
	}
	if u := c.Usage; u != nil {
		out.Usage = &message.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Reasoning: u.Reasoning}
	}
	if r := c.Reason; r != nil {
		out.Reason = &message.Finish{Kind: r.Kind}
		if f := r.Failure; f != nil {
			out.Reason.Failure = &message.Failure{Message: f.Message, Code: f.Code, Status: f.Status, RetryAfterMS: f.RetryAfterMS, RequestID: f.RequestID}
		}
	}
	return out
}

func shownMessage(m message.Message) message.Message {
	s := m.Source
	return message.Message{ID: m.ID, Role: m.Role, Content: shownBlocks(m.Content), Source: message.Source{Kind: s.Kind, Plugin: s.Plugin,
		CallID: s.CallID, Provider: s.Provider, Model: s.Model, Answered: s.Answered, ReplayState: s.ReplayState}}
}

// What a chunk shows is read back from the JSON that is made of it.
func FuzzParseChunk(f *testing.F) {
	for _, seed := range []string{
		`{"type":"text-delta","index":0,"text":"a\ud83e\uddfe\ud83e"}`, `{"type":"tool-call-delta","index":-1.5e3,"id":"c","name":"n","argumentsDelta":"{\""}`,
		`{"type":"block-end","index":1e999,"block":{"type":"tool-result","content":[1,{"type":"image","attachment":{"bytes":1}}],"isError":true}}`,
		`{"type":"usage","usage":{"inputTokens":-1,"outputTokens":2,"cacheReadTokens":-3}}`, `{"type":"block-start","blockType":""}`,
		`{"type":"finish","reason":{"kind":"error","failure":{"message":"m","code":"c","status":500,"providerRetryAfterMs":0.1}},"replayState":{"a":[]}}`,
		`{"type":"other"}`, "{\"type\":\"other\xe2\x82\"}", `{"t\u0079pe":"usage","type":1}`, `{`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := message.ParseChunk(data)
		if err != nil {
			return
		}
		require.True(t, json.Valid(data))
		require.Equal(t, string(wtf8.Repair(data)), string(c.AppendJSON(nil)))
		want := shownChunk(c)
		out := want.AppendJSON(nil)
		require.True(t, json.Valid(out), "%s", out)
		back, err := message.ParseChunk(out)
		require.NoError(t, err, "%s", out)
		got := shownChunk(back)
		if math.IsInf(want.Index, 0) {
			want.Index = math.NaN() // JSON has no infinity to write
		}
		if math.IsNaN(want.Index) {
			require.True(t, math.IsNaN(got.Index))
			want.Index, got.Index = 0, 0
		}
		if want.Block != nil && want.Block.Type == message.ToolResult && want.Block.Content == nil {
			want.Block.Content = []message.Block{} // no list is written as an empty one
		}
		require.Equal(t, want, got, "%s", out)
	})
}

func FuzzParseMessage(f *testing.F) {
	for _, seed := range []string{
		stored, `{"role":"user","content":[{"type":"text","text":"\ud83e"},5,{"type":"chart","x":1}],"source":{"kind":"user"}}`,
		`{"source":{"kind":"tool","callId":"c","replayState":1},"content":null}`, `{"source":[],"source":{"kind":"model","replayState":null,"replayState":[]}}`,
		`{"content":[],"source":{"kind":"plugin","plugin":"p"},"content":[{"type":"text"}]}`, `[]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := message.ParseMessage(data)
		if err != nil {
			return
		}
		require.Equal(t, data, m.AppendJSON(nil))
		made := shownMessage(m)
		out := made.AppendJSON(nil)
		back, err := message.ParseMessage(out)
		require.NoError(t, err, "%s", out)
		require.Equal(t, made.ID, back.ID)
		require.Len(t, back.Content, len(made.Content))

		bare := m.WithoutReplayState()
		again, err := message.ParseMessage(bare.AppendJSON(nil))
		require.NoError(t, err, "%s", bare.AppendJSON(nil))
		require.Nil(t, again.Source.ReplayState)
		m.Source.ReplayState = nil
		require.Equal(t, shownMessage(m), shownMessage(again))

		other := m.WithContent([]message.Block{{Type: message.Text, Text: "new"}})
		again, err = message.ParseMessage(other.AppendJSON(nil))
		require.NoError(t, err, "%s", other.AppendJSON(nil))
		require.Len(t, again.Content, 1)
		require.Equal(t, "new", again.Content[0].Text)
	})
}
