package host_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/stream"
)

// spoken is what the parts say, read in the plainest way: for each kind of block the texts in the order in
// which their ids were first seen, and the calls.
type spoken struct {
	texts  map[string]*[]string // by kind
	at     map[string]int       // by kind and id
	calls  map[string]string    // the input by id
	theirs map[string]bool
}

func newSpoken() *spoken {
	return &spoken{
		texts: map[string]*[]string{"text": {}, "reasoning": {}}, at: map[string]int{}, calls: map[string]string{},
		theirs: map[string]bool{},
	}
}

func (s *spoken) part(p *stream.Part) {
	kind, what, _ := strings.Cut(p.Type, "-")
	switch texts := s.texts[kind]; {
	case texts != nil && what == "start":
		*texts = append(*texts, "")
		s.at[kind+p.ID] = len(*texts) - 1
	case texts != nil && what == "delta":
		at, ok := s.at[kind+p.ID]
		if !ok {
			*texts = append(*texts, "")
			at = len(*texts) - 1
			s.at[kind+p.ID] = at
		}
		(*texts)[at] += p.Delta
	case p.Type == stream.PartToolCall && !p.ProviderExecuted:
		s.calls[p.ID] = strings.Clone(p.Input)
	}
}

// check compares the message with what was said.
func (s *spoken) check(t *testing.T, m *stream.Message) {
	var texts, thoughts []string
	for _, b := range m.Content {
		switch b.Type {
		case stream.BlockText:
			if !strings.Contains(b.Text(), "/files/") {
				texts = append(texts, b.Text())
			}
		case stream.BlockThinking:
			thoughts = append(thoughts, b.Text())
		case stream.BlockToolCall:
			input, called := s.calls[b.ID]
			switch {
			case !called:
				require.True(t, b.Incomplete, "the call %s has not come", b.ID)
			case input == "":
				require.JSONEq(t, "{}", string(b.Arguments))
			case b.Incomplete:
				var object map[string]any
				require.Error(t, json.Unmarshal([]byte(input), &object), input)
			default:
				require.JSONEq(t, input, string(b.Arguments))
			}
			if b.Incomplete {
				require.Equal(t, "{}", string(b.Arguments))
			}
		}
	}
	require.Equal(t, *s.texts["text"], append([]string{}, texts...))
	require.Equal(t, *s.texts["reasoning"], append([]string{}, thoughts...))
}

// sameContent compares durable blocks with the host's message. An answer that was cut keeps no calls.
func sameContent(t *testing.T, m *stream.Message, blocks []message.Block, reason string) {
	var want []message.Block
	for _, b := range m.Content {
		switch b.Type {
		case stream.BlockText:
			want = append(want, message.Block{Type: message.Text, Text: b.Text()})
		case stream.BlockThinking:
			want = append(want, message.Block{Type: message.Reasoning, Text: b.Text()})
		case stream.BlockImage:
			want = append(want, message.Block{Type: message.Text, Text: "[image left out: " + b.MediaType + "]"})
		case stream.BlockToolCall:
			if reason != message.MaxTokens {
				want = append(want, message.Block{
					Type: message.ToolCall, ID: b.ID, Name: b.Name, Arguments: string(b.Arguments),
				})
			}
		}
	}
	require.Len(t, blocks, len(want))
	calls := slices.DeleteFunc(slices.Clone(m.Content), func(b *stream.Block) bool { return b.Type != stream.BlockToolCall })
	for i := range want {
		got := blocks[i]
		require.Equal(t, want[i].Type, got.Type)
		require.Equal(t, want[i].Text, got.Text)
		if got.Type != message.ToolCall {
			continue
		}
		require.Equal(t, want[i].ID, got.ID)
		require.Equal(t, want[i].Name, got.Name)
		if calls[0].Incomplete {
			require.False(t, json.Valid([]byte(got.Arguments)) || got.Arguments == "", "executable: %s", got.Arguments)
		} else {
			require.Equal(t, want[i].Arguments, got.Arguments)
		}
		calls = calls[1:]
	}
}
