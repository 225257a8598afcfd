package stream

import (
	"context"
	"iter"
	"time"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
)

// A Config is what the translation of one answer depends on. It can be shared by several.
type Config struct {
	// Toolset is what is live in the call that is answered, on its host. Without one there are no tools, and
	// the host's messages hold nothing but texts and calls.
	Toolset *profile.Toolset
	// Allow are the names of the tools in the final call options, as the provider sees them; nil is the
	// toolset's catalog. A call of another tool fails the stream.
	Allow []string
	// Unchecked lets calls of all tools pass.
	Unchecked bool
	Model     Model
	// Integration is the provider's package, as far as it counts usage in a way of its own.
	Integration Integration
	// Todos are the rows of the host's todo list before the call, nil if they are not known. See
	// [profile.Toolset.ResultTodos].
	Todos []profile.Todo
	// Files keeps a generated file that the host's messages cannot hold, and says where; see [FilesIn].
	// Without it, or when it fails, the message says that the file was not kept.
	Files func(mediaType string, data []byte) (path string, err error)
	// Now is the clock, that of the system if it is nil.
	Now func() time.Time
	// Reference switches to the behaviour of the reference: none of the rules of section "Reference gaps and
	// the sound default" apply.
	Reference bool
}

// Model is the host's model that is answering.
type Model struct {
	// ID, API and Provider are the host's names. What an answer keeps for its provider comes back to it only if
	// API and Provider are the same in the next call (package history), and in a durable message only if
	// Provider and ID are the route that was asked (package turn).
	ID, API, Provider string
	Cost              model.Cost
}

// Translate makes the events of a host of the parts of an answer. The sequence pulls: a part is asked for
// only when the events of the one before have been taken, and none after the terminal event. To stop
// taking events stops the parts.
//
// Whatever the parts are, the first event is a start and exactly one terminal event is the last. An error
// of the parts ends the answer with an error event, and the end of the parts without a finish does too.
// When ctx is done, which is looked at before each part, the reason is that the answer was aborted. What
// was received is kept in all cases.
//
// Parts are read while their turn is; only their texts are kept, which must not change.
func Translate(ctx context.Context, cfg *Config, parts iter.Seq2[*Part, error]) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		t := NewTranslator(ctx, cfg)
		if !t.begin(yield) {
			return
		}
		var cause error
		if done := ctx.Done(); !closed(done) {
			for p, err := range parts {
				if cause = err; err != nil {
					break
				}
				if p != nil && !t.Part(p, yield) {
					return
				}
				if closed(done) {
					break
				}
			}
		}
		t.End(cause, yield)
	}
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
