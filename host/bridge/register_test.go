package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

const modelsOfAcme = `{"provider":{"acme":{"models":{
	"g":{"name":"G","reasoning":true,"options":{"wire":"g-wire"},"variants":{
		"l":{"parameters":[{"id":"effort","value":"low"},{"id":"fast","value":"false"}]},
		"h":{"parameters":[{"id":"effort","value":"high"},{"id":"fast","value":"false"}]},
		"f":{"parameters":[{"id":"effort","value":"low"},{"id":"fast","value":"true"}]}}},
	"p":{}}}}}`

// An acme is a package that remembers what it was called with.
type acme struct {
	Plugin
	exports []Export
	input   PluginInput
	factory string
	modelID string
	options auth.Options
	call    *history.CallOptions
}

func (a *acme) host(t testing.TB, name string) *Host {
	return &Host{Profile: hostProfile(t, name), Env: environment(), Load: func(context.Context, *Entry) (*Module, error) {
		return &Module{
			Exports: a.exports,
			NewPlugin: func(_ context.Context, _ string, input PluginInput) (*Plugin, error) {
				a.input = input
				return &a.Plugin, nil
			},
			NewModel: func(_ context.Context, export string, options auth.Options, modelID string) (*LanguageModel, error) {
				a.factory, a.options, a.modelID = export, options, modelID
				return &LanguageModel{Stream: func(_ context.Context, o *history.CallOptions) (iter.Seq2[*stream.Part, error], error) {
					a.call = o
					return parts(t, finish), nil
				}}, nil
			},
		}, nil
	}}
}

func newAcme() *acme {
	return &acme{
		exports: functions("createAcme", "AcmePlugin"),
		Plugin: Plugin{
			Auth: &auth.Hook{Provider: "acme", Methods: []auth.Method{{Type: auth.OAuthType, Label: "Sign in"}}},
			Config: func(context.Context, json.RawMessage) (json.RawMessage, error) {
				return json.RawMessage(modelsOfAcme), nil
			},
		},
	}
}

func ask(t testing.TB, p *Provider, r *Request) {
	t.Helper()
	for e := range p.Events(context.Background(), r) {
		require.NotEqual(t, stream.EventError, e.Type, e.Message.ErrorMessage)
	}
}

func TestRegister(t *testing.T) {
	a := newAcme()
	p, err := a.host(t, "omp").Register(context.Background(), &Entry{Package: "x", Directory: "sub", APIKey: auth.NewSecret("K")})
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"acme","declaredId":"acme","optionsKey":"acme","package":"x","notes":[],"config":{"baseUrl":"opencode-plugin:x",
		"api":"acme-bridge","apiKey":"K","dynamic":"fetchDynamicModels","oauth":{"name":"Sign in"},"models":`+string(appendList(nil, p.Registration().Models))+`}}`,
		string(p.Registration().Reveal()))
	require.Len(t, p.Registration().Models, 3)
	assert.Equal(t, PluginInput{p.Account().Store(), "/work/sub", "/work/sub"}, a.input)
	without := newAcme()
	without.exports = functions("createX")
	bare, err := without.host(t, "pi").Register(context.Background(), &Entry{Package: "@foo/x"})
	require.NoError(t, err)
	assert.JSONEq(t, `{"name":"foo-x","declaredId":"foo-x","optionsKey":"foo-x","package":"@foo/x","notes":[],
		"config":{"baseUrl":"opencode-plugin:@foo/x","api":"foo-x-bridge","dynamic":"refreshModels"}}`, string(bare.Registration().Reveal()))
	assert.Zero(t, without.input, "there is no plugin to make")
	none, err := newAcme().host(t, "pi").Register(context.Background(), &Entry{Package: "x", Models: []auth.Secret{}})
	require.NoError(t, err)
	assert.NotContains(t, string(none.Registration().Reveal()), "models", "the host is given models if there are any")
	assert.NotContains(t, string(none.Registration().Reveal()), "dynamic", "an empty list in the file is a list too")
}

func TestRegisterNotes(t *testing.T) {
	a := newAcme()
	a.Auth.Provider = "openai"
	p, err := a.host(t, "pi").Register(context.Background(), &Entry{Package: "x"})
	require.NoError(t, err)
	assert.Equal(t, []string{`pi has a provider "openai" of its own: this one is called "openai-opencode"`}, p.Registration().Notes)
	a.Config = func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, errors.New("offline") }
	p, err = a.host(t, "pi").Register(context.Background(), &Entry{Package: "x", ProviderName: "mine"})
	require.NoError(t, err)
	require.Len(t, p.Registration().Notes, 1)
	assert.Contains(t, p.Registration().Notes[0], "offline")
	assert.Nil(t, p.Registration().Models)
	assert.NotEmpty(t, p.Registration().Dynamic, "it may list them later")
}

func TestRegisterRefuses(t *testing.T) {
	config, err := ParseConfig("f.json", []byte(`{"providers":[{"package":"a","api":"openai-completions"},{"package":"b","models":5},
		{"package":"c","factoryExport":"none"},{"package":"d","pluginExport":"none"},{"package":"missing"},{"package":"gone"},{"package":"ok"}]}`))
	require.NoError(t, err)
	h := newAcme().host(t, "pi")
	load := h.Load
	h.Load = func(ctx context.Context, e *Entry) (*Module, error) {
		switch e.Package {
		case "missing":
			return nil, errors.New("cannot find module")
		case "gone":
			return nil, nil
		}
		return load(ctx, e)
	}
	providers, errs := h.RegisterAll(context.Background(), &config)
	require.Len(t, providers, 7)
	require.Len(t, errs, 7)
	for i, want := range []Kind{ReservedAPI, ConfigShape, BadExport, BadExport, PluginFailed, PluginFailed} {
		assert.Nil(t, providers[i])
		assert.Equal(t, want, kindOf(t, errs[i]), i)
	}
	require.NoError(t, errs[6])
	assert.Equal(t, "acme", providers[6].Registration().Provider, "one fault is no other entry's")
}

func TestPluginThatFailsLosesItsHooks(t *testing.T) {
	h := newAcme().host(t, "omp")
	load := h.Load
	h.Load = func(ctx context.Context, e *Entry) (*Module, error) {
		m, err := load(ctx, e)
		m.NewPlugin = func(context.Context, string, PluginInput) (*Plugin, error) { return nil, errors.New("boom") }
		return m, err
	}
	p, err := h.Register(context.Background(), &Entry{Package: "pkg"})
	require.NoError(t, err)
	assert.Equal(t, "pkg", p.Registration().Provider)
	assert.Empty(t, p.Registration().Login)
	assert.Nil(t, p.Registration().Models)
	assert.Equal(t, []string{"the plugin has failed and is not used: boom"}, p.Registration().Notes)
}

func TestStaticModels(t *testing.T) {
	for _, models := range [][]auth.Secret{{}, {auth.NewSecret(`{"id":"s"}`)}} {
		a := newAcme()
		a.Config = func(context.Context, json.RawMessage) (json.RawMessage, error) {
			t.Error("the plugin was asked")
			return nil, nil
		}
		p, err := a.host(t, "pi").Register(context.Background(), &Entry{Package: "x", Models: models})
		require.NoError(t, err)
		assert.Equal(t, models, p.Registration().Models)
		assert.Empty(t, p.Registration().Dynamic)
		assert.Nil(t, p.Models())
		ask(t, p, &Request{Model: stream.Model{ID: "s"}, Level: "high"})
		assert.Equal(t, "s", a.modelID)
		assert.Nil(t, a.call.ProviderOptions)
	}
}

func TestProviderCalls(t *testing.T) {
	a := newAcme()
	p, err := a.host(t, "omp").Register(context.Background(), &Entry{Package: "x", ProviderName: "mine", CreateOptions: auth.NewSecret(`{"token":"$apiKey"}`)})
	require.NoError(t, err)
	for _, c := range []struct{ model, level, id, options string }{
		{"g", "low", "g", `{"acme":{"wire":"g-wire","parameters":[{"id":"effort","value":"low"},{"id":"fast","value":"false"}]}}`},
		{"g", "", "g", `{"acme":{"wire":"g-wire","parameters":[{"id":"effort","value":"high"},{"id":"fast","value":"false"}]}}`},
		{"g-fast", "high", "g", `{"acme":{"wire":"g-wire","parameters":[{"id":"effort","value":"low"},{"id":"fast","value":"true"}]}}`},
		{"p", "high", "p", ``},
		{"unknown", "high", "unknown", ``},
	} {
		ask(t, p, &Request{Model: stream.Model{ID: c.model}, Level: c.level, Key: func(context.Context) (auth.Secret, error) { return auth.NewSecret("K"), nil }})
		assert.Equal(t, c.id, a.modelID)
		assert.Equal(t, "createAcme", a.factory)
		assert.JSONEq(t, `{"token":"K"}`, string(a.options.Reveal()))
		if c.options == "" {
			assert.Nil(t, a.call.ProviderOptions, c.model)
		} else {
			assert.JSONEq(t, c.options, string(a.call.ProviderOptions), c.model)
		}
	}
	ask(t, p, &Request{Model: stream.Model{ID: "p"}})
	assert.Empty(t, a.options, "no key is known")
}

func TestChatParams(t *testing.T) {
	a := newAcme()
	var seen []ChatParams
	answer := ""
	a.ChatParams = func(_ context.Context, p ChatParams) (json.RawMessage, error) {
		seen = append(seen, p)
		return json.RawMessage(answer), nil
	}
	p, err := a.host(t, "pi").Register(context.Background(), &Entry{Package: "x", ProviderName: "mine"})
	require.NoError(t, err)
	ask(t, p, &Request{Model: stream.Model{ID: "p"}})
	assert.Empty(t, seen, "without a session it is not run")
	for _, c := range []struct {
		answer, want string
		plan         bool
	}{{`{"x":"<"}`, `{"acme":{"x":"<"}}`, false}, {`{}`, ``, true}, {``, ``, false}, {`null`, ``, false}} {
		seen, answer = nil, c.answer
		ask(t, p, &Request{Model: stream.Model{ID: "g-fast"}, Host: history.Call{SessionID: "s1"}, Plan: c.plan})
		assert.Equal(t, c.want, string(a.call.ProviderOptions))
		require.Len(t, seen, 1)
		agent := "build"
		if c.plan {
			agent = "plan"
		}
		assert.Equal(t, []string{"s1", agent, "g", "acme"}, []string{seen[0].SessionID, seen[0].Agent, seen[0].ModelID, seen[0].ProviderID})
		assert.JSONEq(t, `{"wire":"g-wire","parameters":[{"id":"effort","value":"low"},{"id":"fast","value":"true"}]}`, string(seen[0].Options))
	}
	ask(t, p, &Request{Model: stream.Model{ID: "unknown"}, Host: history.Call{SessionID: "s1"}})
	assert.JSONEq(t, `{}`, string(seen[len(seen)-1].Options))
	assert.Equal(t, "unknown", seen[len(seen)-1].ModelID)
}

// A provider that keeps the conversation itself is told once that it was rewritten, by a call with
// tools.
func TestHistoryRewrite(t *testing.T) {
	for _, pkg := range []string{"cursor-opencode-provider", "other"} {
		a := newAcme()
		h := a.host(t, "pi")
		h.Rewrites = &history.Rewrites{}
		p, err := h.Register(context.Background(), &Entry{Package: pkg})
		require.NoError(t, err)
		h.Rewrites.Mark("s1")
		tools := &history.Context{SystemPrompt: []string{}, Tools: []profile.Tool{{Name: "ls"}}}
		var told []bool
		for _, r := range []*Request{
			{Host: history.Call{SessionID: "s1"}},
			{Host: history.Call{SessionID: "s1", ToolChoice: json.RawMessage(`"none"`)}, Context: tools},
			{Host: history.Call{SessionID: "s2"}, Context: tools},
			{Host: history.Call{SessionID: "s1"}, Context: tools},
			{Host: history.Call{SessionID: "s1"}, Context: tools},
		} {
			r.Model.ID = "p"
			ask(t, p, r)
			told = append(told, string(a.call.ProviderOptions) == `{"acme":{"opencodeHistoryRewrite":true}}`)
		}
		assert.Equal(t, []bool{false, false, false, pkg != "other", false}, told)
	}
}

// Private tools are there for the package that they are meant for, and for no other.
func TestPrivateToolsOfCalls(t *testing.T) {
	conversation := &history.Context{SystemPrompt: []string{}, Tools: []profile.Tool{{Name: "ls"}, {Name: "cursor_image_save"}}}
	for pkg, want := range map[string][]string{"cursor-opencode-provider@1": {"cursor_image_save", "ls"}, "devin-opencode-provider": {"ls"}, "x": {"ls"}} {
		a := newAcme()
		p, err := a.host(t, "omp").Register(context.Background(), &Entry{Package: pkg})
		require.NoError(t, err)
		ask(t, p, &Request{Model: stream.Model{ID: "p"}, Context: conversation})
		assert.Equal(t, want, a.call.ToolNames(), pkg)
	}
}

func TestModelsListedAnew(t *testing.T) {
	a := newAcme()
	listed := modelsOfAcme
	a.Config = func(_ context.Context, config json.RawMessage) (json.RawMessage, error) {
		assert.JSONEq(t, `{"provider":{}}`, string(config))
		return json.RawMessage(listed), nil
	}
	var signedIn []string
	a.Auth.Load = func(_ context.Context, s *auth.Store) (auth.Options, error) {
		signedIn = append(signedIn, s.Get().Secret().Reveal())
		return nil, nil
	}
	p, err := a.host(t, "omp").Register(context.Background(), &Entry{Package: "x"})
	require.NoError(t, err)
	assert.Empty(t, signedIn)
	listed = `{"provider":{"acme":{"models":{"new":{"options":{"o":1}}}}}}`
	key := "the key"
	models, err := p.Models().List(context.Background(), &key)
	require.NoError(t, err)
	require.Len(t, models, 1)
	assert.Equal(t, []string{key}, signedIn)
	ask(t, p, &Request{Model: stream.Model{ID: "new"}})
	assert.JSONEq(t, `{"acme":{"o":1}}`, string(a.call.ProviderOptions))
	ask(t, p, &Request{Model: stream.Model{ID: "g-fast"}})
	assert.Equal(t, "g", a.modelID, "models that were listed before can still be called")
}

func TestProviderConcurrently(t *testing.T) {
	h := newAcme().host(t, "pi")
	load := h.Load
	h.Load = func(ctx context.Context, e *Entry) (*Module, error) {
		m, err := load(ctx, e)
		m.NewModel = func(context.Context, string, auth.Options, string) (*LanguageModel, error) {
			return answering(parts(t, finish)), nil
		}
		return m, err
	}
	p, err := h.Register(context.Background(), &Entry{Package: "x"})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			key := fmt.Sprint("key-", i)
			_, err := p.Models().List(context.Background(), &key)
			assert.NoError(t, err)
			ask(t, p, &Request{Model: stream.Model{ID: "g"}, Key: func(context.Context) (auth.Secret, error) { return auth.NewSecret(key), nil }})
		})
	}
	wg.Wait()
}
