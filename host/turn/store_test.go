package turn_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A faultyStore is a store whose disk can fail.
type faultyStore struct {
	session.Memory
	// fails is asked before each "append" and "sync".
	fails func(op string) error
	// ops are those that were made, appends by the kind of their last event.
	ops []string
}

type faultyLog struct {
	session.Log
	store *faultyStore
}

func (s *faultyStore) Create(ctx context.Context, h session.Header) (session.Log, error) {
	log, err := s.Memory.Create(ctx, h)
	return &faultyLog{log, s}, err
}

func (l *faultyLog) Append(ctx context.Context, events ...session.Event) error {
	if l.store.fails != nil {
		if err := l.store.fails("append"); err != nil {
			return err
		}
	}
	l.store.ops = append(l.store.ops, events[len(events)-1].Type)
	return l.Log.Append(ctx, events...)
}

func (l *faultyLog) Sync(ctx context.Context) error {
	if l.store.fails != nil {
		if err := l.store.fails("sync"); err != nil {
			return err
		}
	}
	l.store.ops = append(l.store.ops, "sync")
	return l.Log.Sync(ctx)
}

func newFaultyFixture(t *testing.T, answers ...turn.Answer) (*fixture, *faultyStore) {
	f := newFixture(t, answers...)
	require.NoError(t, f.Session.Close())
	store := &faultyStore{}
	f.store = store
	f.create()
	f.Tools = []turn.Tool{lookTool()}
	return f, store
}

func TestCheckpoints(t *testing.T) {
	f, store := newFaultyFixture(t, answer(look, lookAgain, toolCalls), failing(answer(), errors.New("odd")), answer(stop))
	f.Recover = func(context.Context, message.Failure, int) bool { return true }
	f.prompt("hi")
	assert.Equal(t, []string{
		"request/context", "sync", // before the request
		"assistant/chunk", "assistant/chunk", "assistant/chunk", "assistant/message",
		"tool/call", "sync", "tool/result", "tool/call", "sync", "tool/result", // before a tool
		"step/start", "sync", // between steps
		"assistant/chunk", "sync", // before the second attempt
		"assistant/chunk", "assistant/message", "turn/end", "sync", // at the end
	}, store.ops)
}

var errDisk = errors.New("disk full")

func TestNoRequestWithoutSync(t *testing.T) {
	f, store := newFaultyFixture(t, answer(hello, stop))
	store.fails = func(op string) error {
		if op == "sync" && f.Session.State().Last() == session.RequestContext {
			return errDisk
		}
		return nil
	}
	outcome, err := f.Prompt(t.Context(), textBlocks("hi"))
	assert.ErrorIs(t, err, errDisk)
	assert.Equal(t, turn.Failed, outcome.Kind)
	assert.Contains(t, outcome.Failure.Message, "disk full")
	assert.Empty(t, f.model.Requests())
	store.fails = nil
	assert.Equal(t, turn.Completed, f.prompt("again").Kind)
}

func TestNoToolWithoutSync(t *testing.T) {
	f, store := newFaultyFixture(t, answer(look, lookAgain, toolCalls), answer(stop))
	store.fails = func(op string) error {
		if op == "sync" && f.Session.State().Last() == session.ToolCall {
			return errDisk
		}
		return nil
	}
	f.Tools[0].Run = func(context.Context, json.RawMessage) ([]message.Block, error) {
		t.Error("the tool has run")
		return nil, nil
	}
	outcome, err := f.Prompt(t.Context(), textBlocks("hi"))
	assert.ErrorIs(t, err, errDisk)
	assert.Equal(t, turn.Failed, outcome.Kind)
	for _, result := range f.data(session.ToolResult) {
		assert.Equal(t, session.ToolNotStarted, get(t, []byte(result), "error", "code"))
	}
	assert.Len(t, f.data(session.ToolResult), 2)
}

func TestFailingSyncAtTheEndIsAnError(t *testing.T) {
	f, store := newFaultyFixture(t, answer(hello, stop))
	store.fails = func(op string) error {
		if op == "sync" && f.Session.State().Last() == session.TurnEnd {
			return errDisk
		}
		return nil
	}
	outcome, err := f.Prompt(t.Context(), textBlocks("hi"))
	assert.ErrorIs(t, err, errDisk)
	assert.Equal(t, turn.Completed, outcome.Kind)
}

// The disk fails for good at every possible moment and comes back before the next prompt.
func TestDiskThatFails(t *testing.T) {
	answers := []turn.Answer{answer(hello, look, lookAgain, toolCalls), answer(hello, usage, stop)}
	for at := range 20 {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			f, store := newFaultyFixture(t, append(answers, answer(hello, stop), answer(hello, stop))...)
			n := 0
			store.fails = func(string) error {
				if n++; n > at {
					return errDisk
				}
				return nil
			}
			_, err := f.Prompt(t.Context(), textBlocks("hi"))
			require.ErrorIs(t, err, errDisk)
			store.fails = nil
			assert.NotEqual(t, turn.Failed, f.prompt("again").Kind)
			last, open := f.Session.State().Turn()
			assert.False(t, open)
			assert.Equal(t, min(2, last), last)
			assert.Equal(t, len(f.data(session.TurnStart)), len(f.data(session.TurnEnd)))
			assert.Empty(t, f.reload().Closed)
			requireAnswered(t, f.Session.Messages())
		})
	}
}

// requireAnswered checks that each tool call of a history has a result before the next answer: providers
// refuse anything else.
func requireAnswered(t require.TestingT, history []message.Message) {
	open := map[string]int{}
	for _, m := range history {
		for _, b := range m.Content {
			switch b.Type {
			case message.ToolCall:
				open[b.ID] = 1
			case message.ToolResult:
				delete(open, b.ToolCallID)
			}
		}
		if m.Role == message.User && m.Source.Kind == message.FromUser {
			require.Empty(t, open)
		}
	}
	require.Empty(t, open)
}
