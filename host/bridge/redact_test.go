package bridge

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/stream"
)

// hidden is a secret that no test may find anywhere.
const hidden = "sk-hidden-0123456789"

// shown is everything that printing, logging and marshaling show of a value.
func shown(t testing.TB, v any) string {
	t.Helper()
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		fmt.Fprintf(&out, verb+"\n", v)
	}
	for _, h := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(h).Info("shown", "value", v)
	}
	if data, err := json.Marshal(v); err == nil {
		out.Write(data)
	}
	return out.String()
}

// assertHidden looks for the secret in an error and in all that it wraps.
func assertHidden(t testing.TB, err error) {
	t.Helper()
	require.Error(t, err)
	assert.Contains(t, err.Error(), auth.Redacted)
	for ; err != nil; err = errors.Unwrap(err) {
		assert.NotContains(t, shown(t, err), hidden)
	}
}

var errLeak = fmt.Errorf("refused %s: %w", hidden, context.DeadlineExceeded)

// leaking is a module of which one function fails with the secret in its error.
func leaking(where string) *Module {
	fails := func(place string) error {
		if place == where {
			return errLeak
		}
		return nil
	}
	return &Module{
		Exports: functions("createAcme", "AcmePlugin"),
		NewPlugin: func(context.Context, string, PluginInput) (*Plugin, error) {
			return &Plugin{
				Auth: &auth.Hook{
					Provider: "acme",
					Methods: []auth.Method{{Type: auth.APIType, Authorize: func(context.Context, map[string]string) (auth.Authorization, error) {
						return auth.Authorization{}, fails("authorize")
					}}},
					Load: func(context.Context, *auth.Store) (auth.Options, error) { return nil, fails("loader") },
				},
				Config: func(_ context.Context, config json.RawMessage) (json.RawMessage, error) {
					return config, fails("config")
				},
				ChatParams: func(_ context.Context, p ChatParams) (json.RawMessage, error) { return p.Options, fails("chat.params") },
			}, fails("plugin")
		},
		NewModel: func(context.Context, string, auth.Options, string) (*LanguageModel, error) {
			return &LanguageModel{Stream: func(context.Context, *history.CallOptions) (iter.Seq2[*stream.Part, error], error) {
				return func(yield func(*stream.Part, error) bool) {
					switch where {
					case "iterator":
						yield(nil, errLeak)
					case "thrown":
						yield(nil, &stream.Thrown{Name: "Error", Message: "thrown " + hidden, Value: json.RawMessage(`{"key":"` + hidden + `"}`)})
					case "unadvertised tool":
						yield(&stream.Part{Type: stream.PartToolCall, ID: "c", ToolName: "run " + hidden, Input: "{}"}, nil)
					case "error part":
						yield(&stream.Part{Type: stream.PartError, Error: json.RawMessage(`{"message":"refused ` + hidden + `"}`)}, nil)
					case "error object":
						yield(&stream.Part{Type: stream.PartError, Error: json.RawMessage(`{"code":401,"body":{"key":"` + hidden + `"}}`)}, nil)
					case "error text":
						yield(&stream.Part{Type: stream.PartError, Error: json.RawMessage(`"` + hidden + `"`)}, nil)
					}
				}, fails("doStream")
			}}, fails("model")
		},
	}
}

// Whichever piece of a plugin quotes the key in an error, nobody sees it: not in the events, not in
// errors, not in the registration.
func TestSecretsOfCalls(t *testing.T) {
	for _, where := range []string{
		"loader", "chat.params", "model", "doStream", "iterator", "thrown", "error part", "error object", "error text", "key",
		"unadvertised tool",
	} {
		t.Run(where, func(t *testing.T) {
			h := &Host{Profile: hostProfile(t, "pi"), Load: func(context.Context, *Entry) (*Module, error) { return leaking(where), nil }}
			entry := &Entry{Package: "acme", APIKey: auth.NewSecret(hidden)}
			p, err := h.Register(context.Background(), entry)
			require.NoError(t, err)
			request := &Request{
				Model: stream.Model{ID: "m"}, Context: &history.Context{}, Host: history.Call{SessionID: "s"},
				Key: func(context.Context) (auth.Secret, error) {
					if where == "key" {
						return auth.Secret{}, errLeak
					}
					return auth.NewSecret(hidden), nil
				},
			}
			var last stream.Event
			for e := range p.Events(context.Background(), request) {
				assert.NotContains(t, shown(t, e), hidden)
				assert.NotContains(t, string(e.AppendJSON(nil, true)), hidden)
				last = e
			}
			require.Equal(t, stream.EventError, last.Type)
			assert.Contains(t, last.Message.ErrorMessage, auth.Redacted)
			assert.NotContains(t, last.Message.ErrorTool, hidden)
			assert.NotContains(t, string(last.Message.Cause), hidden)
			for _, v := range []any{p, *p.Registration(), request, h, entry, p.Call(request), p.Account()} {
				assert.NotContains(t, shown(t, v), hidden)
			}
		})
	}
}

// What is redacted is why an answer has failed, and not the answer.
func TestAnswersAreNotRedacted(t *testing.T) {
	c := callOf(t, answering(parts(t, `{"type":"text-start","id":"a"}`, `{"type":"text-delta","id":"a","delta":"`+hidden+`"}`,
		`{"type":"text-end","id":"a"}`, `{"type":"tool-call","toolCallId":"c","toolName":"run `+hidden+`","input":"{}"}`)))
	c.Key = func(context.Context) (auth.Secret, error) { return auth.NewSecret(hidden), nil }
	_, m := run(t, context.Background(), c)
	assert.Equal(t, hidden, string(m.Content[0].Text()))
	assert.Equal(t, `The model has called the tool "run [redacted]", which it was not offered.`, m.ErrorMessage)
	assert.Equal(t, "run [redacted]", m.ErrorTool)
}

// The same for what happens beside calls. The key is known from the configuration, or from the call
// itself.
func TestSecretsBesideCalls(t *testing.T) {
	ctx := context.Background()
	key := hidden
	register := func(where string, entry Entry) (*Provider, error) {
		h := &Host{Profile: hostProfile(t, "omp"), Load: func(context.Context, *Entry) (*Module, error) {
			if where == "load" {
				return nil, errLeak
			}
			return leaking(where), nil
		}}
		return h.Register(ctx, &entry)
	}
	configured := Entry{Package: "acme", APIKey: auth.NewSecret(hidden)}
	template := Entry{Package: "acme", CreateOptions: auth.NewSecret(`{"clientSecret":"` + hidden + `"}`)}
	for _, entry := range []Entry{configured, template} {
		_, err := register("load", entry)
		assertHidden(t, err)
		assert.Equal(t, PluginFailed, kindOf(t, err))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		for _, where := range []string{"plugin", "config"} {
			p, err := register(where, entry)
			require.NoError(t, err)
			require.Len(t, p.Registration().Notes, 1)
			assert.Contains(t, p.Registration().Notes[0], auth.Redacted)
			assert.NotContains(t, shown(t, p.Registration()), hidden)
		}
	}
	for _, where := range []string{"loader", "config"} {
		p, err := register(where, configured)
		require.NoError(t, err)
		_, err = p.Models().List(ctx, &key)
		assertHidden(t, err)
		_, err = p.Models().Refresh(ctx, model.Refresh[json.RawMessage]{Access: &key})
		assertHidden(t, err)
	}
	p, err := register("loader", Entry{Package: "acme"})
	require.NoError(t, err)
	_, err = p.Account().Refresh(ctx, auth.HostCredential{Access: auth.NewSecret("a"), Refresh: auth.NewSecret(hidden)})
	assertHidden(t, err)
	p, err = register("authorize", configured)
	require.NoError(t, err)
	_, err = p.Account().Login(ctx, auth.Callbacks{})
	assertHidden(t, err)
}

// A configured model may hold a key in its headers. It is not shown, and it is known as a secret however
// many tokens come and go.
func TestSecretsOfModels(t *testing.T) {
	c, err := ParseConfig("f.json", []byte(`{"providers":[{"package":"acme","models":[{"id":"m","name":"M 1",
		"headers":{"authorization":"Bearer `+hidden+`","accept":"application/json"}}],"mine":{"auth":"another-secret"}}]}`))
	require.NoError(t, err)
	leak := errors.New("M 1: 401 for " + hidden + " and another-secret, wanted application/json")
	h := &Host{Profile: hostProfile(t, "pi"), Load: func(context.Context, *Entry) (*Module, error) {
		m := leaking("")
		m.NewModel = func(context.Context, string, auth.Options, string) (*LanguageModel, error) { return nil, leak }
		return m, nil
	}}
	p, err := h.Register(context.Background(), &c.Providers[0])
	require.NoError(t, err)
	for _, v := range []any{c, &c, c.Providers, c.Providers[0], p, p.Registration(), *p.Registration(), p.Call(&Request{}), p.Models()} {
		assert.NotContains(t, shown(t, v), hidden)
		assert.NotContains(t, shown(t, v), "authorization")
	}
	assert.Contains(t, string(c.Reveal()), hidden)
	assert.Contains(t, string(p.Registration().Reveal()), hidden)
	for i := range 400 {
		p.Account().Store().Set(auth.OAuth(auth.NewSecret(fmt.Sprint("access-token-", i)), auth.NewSecret(fmt.Sprint("refresh-token-", i)), 5))
	}
	var last stream.Event
	for e := range p.Events(context.Background(), &Request{Model: stream.Model{ID: "m"}}) {
		last = e
	}
	assert.Equal(t, "M 1: 401 for [redacted] and [redacted], wanted application/json", last.Message.ErrorMessage)
	_, err = h.Register(context.Background(), &Entry{Package: "a", API: "openai-responses", Models: []auth.Secret{auth.NewSecret("not JSON")}})
	assert.Equal(t, ReservedAPI, kindOf(t, err), "what is no model is no secret")
}

func TestRegistrationIsNotShown(t *testing.T) {
	r := Registration{Package: "acme", APIKey: auth.NewSecret(hidden)}
	assert.NotContains(t, shown(t, r), hidden)
	assert.NotContains(t, shown(t, &r), hidden)
	assert.Contains(t, string(r.Reveal()), hidden)
}
