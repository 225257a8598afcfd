package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Call is one call of a model, from the host's context to the events of the answer.
type Call struct {
	// History says how the context is told to the provider. Its API and Provider are those of Model, and
	// its Version is that of the model that NewModel makes, whatever they are here.
	History history.Config
	// Model is the host's model that is called.
	Model stream.Model
	// Integration is that of the provider's package.
	Integration stream.Integration
	// Context is the conversation, nil for an empty one, and Host what else the host says.
	Context *history.Context
	Host    history.Call
	// Key gives the API key, which may be not set. nil is a call without a key.
	Key func(ctx context.Context) (auth.Secret, error)
	// NewModel makes the model. Without it the call fails.
	NewModel func(ctx context.Context, key auth.Secret) (*LanguageModel, error)
	// Prepare may change the options before the model gets them, the tools included. It may be nil.
	Prepare func(ctx context.Context, options *history.CallOptions) error
	// Files keeps generated files, see [stream.Config].
	Files func(mediaType string, data []byte) (path string, err error)
	// OnIgnored is told of what the answer has and nothing is made of, see [stream.Config].
	OnIgnored func(stream.Ignored)
	// Now is the clock, that of the system if it is nil.
	Now func() time.Time
	// Redactor knows the secrets of the provider. The key is made known to it; nil is one that knows
	// nothing else.
	Redactor *auth.Redactor
}

var errNoModel = errors.New("the provider has made no model: its factory must give one with doStream")

// Events makes the call and returns the events of the answer, the first of which is a start and the
// last, exactly one, terminal. Nothing happens before the first event is asked for, and every range
// over the events makes the call anew. Parts are asked for when the events of the one before have been
// taken, and none after the terminal event.
//
// What fails before the model streams, the key, the model, the preparation or the model's refusal, is
// told by the events too: a start, and the error with a message without content. If ctx is done by
// then, or when the parts end without a finish, the reason is that the call was aborted. ctx is given
// to all functions, and it is theirs to end when it is done: they are waited for, and a finish that
// comes nevertheless is one.
//
// Secrets are taken out of what says why an answer has failed, the message's ErrorMessage, ErrorTool and
// Cause, and not out of the answer: its content, deltas, tool calls and generated files are what the
// provider has sent.
//
// The provider may call the tools that the options have when Prepare is done with them, and no others.
func (c *Call) Events(ctx context.Context) iter.Seq[stream.Event] {
	return func(yield func(stream.Event) bool) {
		cfg := stream.Config{
			Model: c.Model, Integration: c.Integration, Files: c.Files, OnIgnored: c.OnIgnored, Now: c.begun(),
			Reference: c.History.Reference, Readme: c.History.Readme,
		}
		redactor := c.Redactor
		if redactor == nil {
			redactor = &auth.Redactor{}
		}
		yield = withoutSecret(yield, redactor)
		parts, err := c.open(ctx, &cfg, redactor)
		t := stream.NewTranslator(ctx, &cfg)
		if err != nil || parts == nil {
			t.End(redact(err, redactor), yield)
			return
		}
		t.Parts(withoutSecrets(parts, redactor), yield)
	}
}

// withoutSecret redacts what the translator itself says of an answer that has failed: it quotes the model.
func withoutSecret(yield func(stream.Event) bool, r *auth.Redactor) func(stream.Event) bool {
	return func(e stream.Event) bool {
		if m := e.Message; e.Type == stream.EventError && m.Failure == stream.UnadvertisedTool {
			m.ErrorMessage, m.ErrorTool = r.Text(m.ErrorMessage), r.Text(m.ErrorTool)
		}
		return yield(e)
	}
}

// withoutSecrets are the same parts with redacted errors.
func withoutSecrets(parts iter.Seq2[*stream.Part, error], r *auth.Redactor) iter.Seq2[*stream.Part, error] {
	return func(yield func(*stream.Part, error) bool) {
		for part, err := range parts {
			if err != nil {
				err = redact(err, r)
			}
			if !yield(redacted(part, r), err) {
				return
			}
		}
	}
}

// begun is a clock that says when the call was begun.
func (c *Call) begun() func() time.Time {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	at := now()
	return func() time.Time { return at }
}

// open does everything up to the first part, and puts what it finds out about the tools into cfg.
func (c *Call) open(
	ctx context.Context, cfg *stream.Config, redactor *auth.Redactor,
) (iter.Seq2[*stream.Part, error], error) {
	var key auth.Secret
	var err error
	if c.Key != nil {
		if key, err = c.Key(ctx); err != nil {
			return nil, err
		}
	}
	redactor.Add(key)
	if c.NewModel == nil {
		return nil, errNoModel
	}
	m, err := c.NewModel(ctx, key)
	if err != nil {
		return nil, err
	}
	if m == nil || m.Stream == nil {
		return nil, errNoModel
	}
	h := c.History
	h.API, h.Provider, h.Version = c.Model.API, c.Model.Provider, m.Version
	conversation := c.Context
	if conversation == nil {
		conversation = &history.Context{}
	}
	options, err := h.CallOptions(conversation, c.Host)
	if err != nil {
		return nil, err
	}
	cfg.Toolset = options.Toolset
	cfg.Todos = history.Todos(options.Toolset, conversation.Messages)
	if c.Prepare != nil {
		if err := c.Prepare(ctx, options); err != nil {
			return nil, err
		}
	}
	cfg.Allow = append([]string{}, options.ToolNames()...)
	return m.Stream(ctx, options)
}

// redacted is a part without secrets in its error.
func redacted(part *stream.Part, r *auth.Redactor) *stream.Part {
	if part == nil || part.Type != stream.PartError {
		return part
	}
	changed := *part
	changed.Error, changed.Raw = r.JSON(part.Error), nil
	return &changed
}

// redact is an error without secrets. What was thrown in a recording stays what it is.
func redact(err error, r *auth.Redactor) error {
	var thrown *stream.Thrown
	if errors.As(err, &thrown) {
		changed := *thrown
		changed.Message, changed.Value = r.Text(thrown.Message), r.JSON(thrown.Value)
		return &changed
	}
	return r.Error(err)
}

// ScalarKey is the key that a host's option is, as JSON: a string, or a number or truth value as
// JavaScript writes it. Anything else, null included, is none.
func ScalarKey(option json.RawMessage) auth.Secret {
	w := jsonspan.Walk(option)
	if w.Err() != nil {
		return auth.Secret{}
	}
	switch raw := w.Raw(); w.Kind() {
	case jsonspan.String:
		text, _ := jsonvalue.TextOf(raw)
		return auth.NewSecret(text)
	case jsonspan.Number:
		number, _ := jsonvalue.NumberOf(raw)
		return auth.NewSecret(string(ecma.AppendNumber(nil, number)))
	case jsonspan.Bool:
		return auth.NewSecret(string(raw))
	}
	return auth.Secret{}
}
