package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

func authCase(ctx context.Context, c *testCase) (any, error) {
	in := c.input
	now := time.UnixMilli(int64(in.Get("now").number()))
	clock := func() time.Time { return now }
	switch op := in.Get("op").str(""); op {
	case "token-expiry":
		return auth.TokenExpiry(auth.NewSecret(in.Get("token").str("")), now), nil
	case "to-host-credentials":
		credential, err := auth.ParseCredential(in.Get("auth").raw)
		if err != nil {
			return nil, err
		}
		host, err := credential.Host(now)
		return host.Reveal(), err
	case "oauth-callback":
		credential, err := auth.CallbackCredential(in.Get("result").raw, now)
		if err != nil {
			return errorKind(err)
		}
		return credential.Reveal(), nil
	case "pick-method":
		hook := &auth.Hook{Provider: in.Get("provider").str(""), Methods: methodsOf(in.Get("methods"))}
		account := &auth.Account{Hook: hook, Prefer: in.Get("prefer").str(""), Now: clock}
		label, offers := account.Label()
		key := auth.NewSecret(in.Get("resolvedKey").str(""))
		return fields{
			"label", orNull(label), "offersLogin", offers, "fromResolvedKey", account.FromKey(key).Reveal(),
		}, nil
	case "login":
		return loginCase(ctx, in, clock)
	case "refresh":
		return refreshCase(ctx, in, clock)
	case "factory-options":
		return factoryOptionsCase(in)
	default:
		return nil, fmt.Errorf("auth: unknown op %q", op)
	}
}

// methodsOf are methods that can be chosen but not used.
func methodsOf(list Value) []auth.Method {
	var methods []auth.Method
	for _, m := range list.items {
		methods = append(methods, auth.Method{Type: m.Get("type").str(""), Label: m.Get("label").str("")})
	}
	return methods
}

func loginCase(ctx context.Context, in Value, now func() time.Time) (any, error) {
	methods := []auth.Method{loginMethod(in.Get("method"))}
	account := &auth.Account{Hook: &auth.Hook{Provider: in.Get("provider").str(""), Methods: methods}, Now: now}
	calls := []any{}
	callbacks := auth.Callbacks{OnAuth: func(_ context.Context, url string, instructions *string) error {
		shown := fields{"url", url}
		if instructions != nil {
			shown = append(shown, "instructions", *instructions)
		}
		calls = append(calls, fields{"onAuth", shown})
		return nil
	}}
	if in.Get("progressCallback").isTrue() {
		callbacks.OnProgress = func(context.Context, string) { calls = append(calls, fields{"onProgress", true}) }
	}
	if answers := in.Get("answers"); answers.present() {
		left := answers.strs()
		callbacks.OnPrompt = func(_ context.Context, message string, placeholder *string) (string, error) {
			asked := fields{"message", message}
			if placeholder != nil {
				asked = append(asked, "placeholder", *placeholder)
			}
			calls = append(calls, fields{"onPrompt", asked})
			if len(left) == 0 {
				return "", errors.New("the case has no more answers")
			}
			answer := left[0]
			left = left[1:]
			return answer, nil
		}
	}
	credential, err := account.Login(ctx, callbacks)
	result := fields{"callbacks", calls}
	if err != nil {
		failure, err := errorKind(err)
		if err != nil {
			return nil, err
		}
		result = append(result, failure.(fields)...)
	} else {
		result = append(result, "credentials", credential.Reveal())
	}
	if stored := account.Store().Get(); stored != nil {
		return append(result, "stored", stored.Reveal()), nil
	}
	return append(result, "stored", nil), nil
}

func loginMethod(v Value) auth.Method {
	m := auth.Method{Type: v.Get("type").str(""), Label: v.Get("label").str("")}
	for _, p := range v.Get("prompts").items {
		prompt := auth.Prompt{
			Key: p.Get("key").str(""), Message: p.Get("message").str(""), Placeholder: p.Get("placeholder").ptr(),
		}
		if p.Get("type").str("") == "select" {
			prompt.Values = []string{}
			for _, option := range p.Get("options").items {
				prompt.Values = append(prompt.Values, option.Get("value").str(""))
			}
		}
		if problem := p.Get("validateReturns").ptr(); problem != nil {
			prompt.Validate = func(context.Context, string) (string, error) { return *problem, nil }
		}
		m.Prompts = append(m.Prompts, prompt)
	}
	if string(v.Get("authorize").raw) == "false" {
		return m
	}
	m.Authorize = func(_ context.Context, answers map[string]string) (auth.Authorization, error) {
		begun := auth.Authorization{
			URL: v.Get("url").str(""), Instructions: v.Get("instructions").ptr(),
			Callback: func(context.Context) (json.RawMessage, error) { return v.Get("callback").raw, nil },
		}
		result := v.Get("result")
		if key := result.Get("key").ptr(); key != nil {
			text := *key
			for _, name := range slices.Sorted(maps.Keys(answers)) {
				text = strings.ReplaceAll(text, "{"+name+"}", answers[name])
			}
			quoted, err := ParseValue(wtf8.AppendQuote(nil, text))
			if err != nil {
				return begun, err
			}
			result = result.with("key", quoted)
		}
		begun.Result = result.raw
		return begun, nil
	}
	return m
}

func refreshCase(ctx context.Context, in Value, now func() time.Time) (any, error) {
	hook := &auth.Hook{}
	if in.Get("hasLoader").isTrue() {
		hook.Load = func(_ context.Context, store *auth.Store) (auth.Options, error) {
			if store.Get() == nil {
				return nil, errors.New("the store is empty")
			}
			if writes := in.Get("loaderWrites"); writes.present() {
				credential, err := auth.ParseCredential(writes.raw)
				if err != nil {
					return nil, err
				}
				store.Set(credential)
			}
			return nil, nil
		}
	}
	credential, err := auth.ParseHostCredential(in.Get("credentials").raw)
	if err != nil {
		return nil, err
	}
	account := &auth.Account{Hook: hook, Now: now}
	credential, err = account.Refresh(ctx, credential)
	return credential.Reveal(), err
}

// function stands for a function of JavaScript in a case.
const function = "<function>"

func factoryOptionsCase(in Value) (any, error) {
	var live auth.Options
	loader := in.Get("loaderOptions")
	for i, name := range loader.keys {
		option := auth.Option{Name: name, JSON: auth.NewSecret(string(loader.items[i].raw))}
		if loader.items[i].str("") == function {
			option = auth.Option{Name: name, Live: function}
		}
		live = append(live, option)
	}
	options, err := auth.FactoryOptions(in.Get("createOptions").raw, keyOf(in.Get("apiKey")), live)
	if err != nil {
		return nil, err
	}
	return optionFields(options), nil
}

func optionFields(options auth.Options) fields {
	out := fields{}
	for _, option := range options {
		if option.Live != nil {
			out = append(out, option.Name, option.Live)
		} else {
			out = append(out, option.Name, json.RawMessage(option.JSON.Reveal()))
		}
	}
	return out
}
