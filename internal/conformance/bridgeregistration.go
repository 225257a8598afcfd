package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

func registrationCase(ctx context.Context, c *testCase) (any, error) {
	p, err := profile.Named(c.input.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	file, err := build(fields{"providers", []any{c.input.Get("spec")}})
	if err != nil {
		return nil, err
	}
	config, err := bridge.ParseConfig(bridge.ConfigFile, file.raw)
	if err != nil {
		return nil, err
	}
	var seen seenCall
	host := &bridge.Host{
		Profile: p, Env: environmentOf(c.input.Get("env")), Reference: c.reference,
		Load: func(context.Context, *bridge.Entry) (*bridge.Module, error) { return seen.module(c.input), nil },
	}
	provider, err := host.Register(ctx, &config.Providers[0])
	if err != nil {
		failure, err := errorKind(err)
		if err != nil {
			return nil, err
		}
		return append(failure.(fields), "calls", []any{}), nil
	}
	r := provider.Registration()
	told, err := ParseValue(r.Reveal())
	if err != nil {
		return nil, err
	}
	given := told.Get("config")
	result := fields{
		"providerName", r.Provider, "api", r.API, "modelCount", len(r.Models), "hasOAuth", given.Has("oauth"),
		"registeredAs", told.Get("name"), "config", fields{
			"baseUrl", given.Get("baseUrl"), "api", given.Get("api"), "apiKey", given.Get("apiKey"),
			"models", modelIDs(given.Get("models")), "hasDynamic", given.Get("dynamic"),
			"oauth", given.Get("oauth").Get("name"),
		},
	}
	hostContext, err := history.ParseContext(c.input.Get("context").raw)
	if err != nil {
		return nil, err
	}
	if hostContext.Tools, err = hostTools(c, c.input.Get("toolset").str("")); err != nil {
		return nil, err
	}
	calls := []any{}
	for _, call := range c.input.Get("calls").items {
		seen = seenCall{}
		request := &bridge.Request{
			Model:   stream.Model{ID: call.Get("model").str(""), API: r.API, Provider: r.Provider},
			Context: hostContext, Host: history.Call{SessionID: call.Get("sessionId").str("")},
			Key:   func(context.Context) (auth.Secret, error) { return keyOf(call.Get("apiKey")), nil },
			Level: call.Get("reasoning").str(""), Plan: c.input.Get("agent").str("") == "plan",
		}
		for e := range provider.Events(ctx, request) {
			if e.Type == stream.EventError {
				return nil, errors.New("call of " + request.Model.ID + ": " + e.Message.ErrorMessage)
			}
		}
		calls = append(calls, seen.fields())
	}
	return append(result, "calls", calls), nil
}

func modelIDs(models Value) any {
	if !models.present() {
		return nil
	}
	ids := []any{}
	for _, m := range models.items {
		ids = append(ids, m.Get("id"))
	}
	return ids
}

// A seenCall is what a fake module was called with.
type seenCall struct {
	modelID string
	options auth.Options
	call    *history.CallOptions
}

func (s *seenCall) fields() fields {
	var own, names any
	if s.call.ProviderOptions != nil {
		own = s.call.ProviderOptions
	}
	if list := s.call.ToolNames(); list != nil {
		names = list
	}
	return fields{
		"languageModelId", s.modelID, "factoryOptions", optionFields(s.options), "providerOptions", own,
		"toolNames", names,
	}
}

// module is a package whose models finish at once, and whose plugin is that of the case.
func (s *seenCall) module(in Value) *bridge.Module {
	return &bridge.Module{
		Exports: functions(in.Get("exports")),
		NewModel: func(_ context.Context, _ string, options auth.Options, modelID string) (*bridge.LanguageModel, error) {
			s.modelID, s.options = modelID, options
			return &bridge.LanguageModel{Version: history.V3, Stream: func(
				_ context.Context, call *history.CallOptions,
			) (iter.Seq2[*stream.Part, error], error) {
				s.call = call
				return counted([]stream.Part{{
					Type: stream.PartFinish, FinishReason: json.RawMessage(`{"unified":"stop"}`), Usage: json.RawMessage(`{}`),
				}}, new(int)), nil
			}}, nil
		},
		NewPlugin: func(_ context.Context, _ string, input bridge.PluginInput) (*bridge.Plugin, error) {
			return fakePlugin(in.Get("plugin"))
		},
	}
}

func fakePlugin(v Value) (*bridge.Plugin, error) {
	if v.Get("throws").isTrue() {
		return nil, errors.New("the plugin fails")
	}
	plugin := &bridge.Plugin{}
	if hook := v.Get("auth"); hook.present() {
		plugin.Auth = &auth.Hook{Provider: hook.Get("provider").str(""), Methods: methodsOf(hook.Get("methods"))}
	}
	if config := v.Get("config"); config.present() {
		plugin.Config = func(_ context.Context, document json.RawMessage) (json.RawMessage, error) {
			root, _ := ordered.ParseObject(document)
			providers, _ := ordered.ParseObject(root.Get("provider"))
			var provider ordered.Object
			provider.Set("models", config.Get("models").raw)
			providers.Set(config.Get("providerKey").str(""), provider.JSON())
			root.Set("provider", providers.JSON())
			return root.JSON(), nil
		}
	}
	if params := v.Get("chatParams"); params.present() {
		plugin.ChatParams = func(_ context.Context, in bridge.ChatParams) (json.RawMessage, error) {
			known := strings.NewReplacer(
				"{agent}", in.Agent, "{sessionID}", in.SessionID, "{model.id}", in.ModelID, "{model.providerID}", in.ProviderID,
			)
			options, _ := ordered.ParseObject(slices.Clone(in.Options))
			for i, name := range params.keys {
				options.Set(name, wtf8.AppendQuote(nil, known.Replace(params.items[i].str(""))))
			}
			return options.JSON(), nil
		}
	}
	return plugin, nil
}
