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
	// OnIgnored, if set, is told of what the translation takes and makes nothing of, before the events of the
	// part, on the goroutine that translates. nil costs nothing.
	OnIgnored func(Ignored)
	// Now is the clock, that of the system if it is nil.
	Now func() time.Time
	// Readme counts Cursor's usage as the older build of the reference does, section "Usage", "readme era":
	// see [Accounting].Readme. Nothing else of the translation is different in that build.
	Readme bool
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
// When ctx is done, the reason is that the answer was aborted. What was received is kept in all cases.
//
// ctx is looked at before each part is asked for, and not behind that: a part that was waited for while
// ctx came to its end is translated, and if it is a finish, the answer has finished. To end the waiting
// is up to the parts. [Translator.Parts] is the same without a look at ctx.
//
// Parts are read while their turn is; only their texts are kept, which must not change.
func Translate(ctx context.Context, cfg *Config, parts iter.Seq2[*Part, error]) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		NewTranslator(ctx, cfg).translate(parts, ctx.Done(), yield)
	}
}

// Parts translates parts up to their end or the terminal event, which is always the last. The context is
// not looked at as long as parts come: it is theirs to end with it, and a finish that comes nevertheless
// is one.
func (t *Translator) Parts(parts iter.Seq2[*Part, error], emit func(Event) bool) {
	t.translate(parts, nil, emit)
}

// translate stops asking for parts when done is closed.
func (t *Translator) translate(parts iter.Seq2[*Part, error], done <-chan struct{}, emit func(Event) bool) {
	if !t.begin(emit) {
		return
	}
	var cause error
	if !closed(done) {
		for p, err := range parts {
			if cause = err; err != nil {
				break
			}
			if p != nil && !t.Part(p, emit) {
				return
			}
			if closed(done) {
				break
			}
		}
	}
	t.End(cause, emit)
}

func closed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
