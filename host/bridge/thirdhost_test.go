package bridge_test

import (
	"context"
	"encoding/json"
	"io/fs"
	"iter"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/auth"
	"github.com/pintle-wasm/pintle/host/bridge"
	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

// reef is a host that no code knows: this table is all there is of it.
const reef = `{
  "name": "reef", "package": "@reef/ai",
  "answer": {"images": true},
  "models": {"thinking": "levelMap", "dynamic": "refreshModels", "cached": true},
  "keys": {"variables": true},
  "reserved": {"providers": ["acme"], "apis": ["reef-wire"]},
  "paths": {"folder": ".reef", "config": [".reef/agent"]},
  "sessionTools": ["cat"],
  "tools": {"rules": [
    {"tool": "cat", "provider": ["read"], "aliases": [["filePath", "file"]],
      "schema": "read", "call": "selector", "history": "selector"}
  ]}
}`

// Adding a host means adding a table: from its configuration to the events of an answer.
func TestThirdHost(t *testing.T) {
	p := parsed(reef)
	env := bridge.Environment{Dir: "/work", Getenv: func(name string) string {
		return map[string]string{"HOME": "/home/ada", "PI_BRIDGE_HOST": " reef", "ACME_KEY": "sk-12345"}[name]
	}}
	assert.Equal(t, []string{"/home/ada/.reef/agent/pi-bridge.json"}, bridge.SearchPaths(env, named("omp"), p))
	assert.Equal(t, []string{"/home/ada/.reef/agent/pi-bridge.json"}, bridge.SearchPaths(hostless(env), p), "the only host")
	var looked []string
	config, err := bridge.Load(env, func(path string) ([]byte, error) {
		if looked = append(looked, path); path == "/home/ada/.reef/agent/pi-bridge.json" {
			return []byte(`{"providers":[{"package":"acme-provider","apiKey":"ACME_KEY"},{"package":"acme-provider","api":"reef-wire"}]}`), nil
		}
		return nil, fs.ErrNotExist
	}, named("omp"), p)
	require.NoError(t, err)
	assert.Equal(t, []string{"/home/ada/.reef/agent/pi-bridge.json"}, looked)
	assert.Equal(t, []string{"/work/.reef"}, bridge.Paths(p, env, "").ProjectConfigDirs(""))
	active, _ := bridge.Activate(p, nil, []string{"ls", "cat"}, nil)
	assert.Equal(t, []string{"cat"}, active)

	var asked *history.CallOptions
	answer := []string{
		`{"type":"file","mediaType":"image/png","data":"aGk="}`,
		`{"type":"tool-call","toolCallId":"c1","toolName":"read","input":"{\"filePath\":\"/a\",\"offset\":2,\"limit\":3}"}`,
		`{"type":"finish","finishReason":{"unified":"tool-calls"},"usage":{}}`,
	}
	host := &bridge.Host{Profile: p, Env: env, Load: func(ctx context.Context, e *bridge.Entry) (*bridge.Module, error) {
		m, err := acme(ctx, e)
		m.NewModel = answeringWith(t, &asked, answer)
		return m, err
	}}
	providers, errs := host.RegisterAll(context.Background(), &config)
	require.NoError(t, errs[0])
	assert.ErrorContains(t, errs[1], `the api "reef-wire" is one of reef's own`)
	r := providers[0].Registration()
	assert.Equal(t, []string{"acme-opencode", "acme-opencode-bridge", "$ACME_KEY", "refreshModels"},
		[]string{r.Provider, r.API, r.APIKey.Reveal(), r.Dynamic})

	entry := json.RawMessage(`{"reasoning":true,"variants":{"l":{"parameters":[{"id":"effort","value":"low"}]},"h":{"parameters":[{"id":"effort","value":"max"}]}}}`)
	rows := model.Rows("m", entry, model.Options{Profile: p})
	require.Len(t, rows, 1)
	assert.JSONEq(t, `{"thinkingLevelMap":{"minimal":null,"low":"low","medium":null,"high":null,"max":"max"}}`, string(rows[0].Model.Thinking.AppendJSON(nil)))

	conversation, err := history.ParseContext([]byte(`{"systemPrompt":["Use ` + "`cat`" + `."],"messages":[
		{"role":"assistant","content":[{"type":"toolCall","id":"c0","name":"cat","arguments":{"file":"/b:raw:5-6"}}]}]}`))
	require.NoError(t, err)
	conversation.Tools = []profile.Tool{{Name: "cat", Parameters: json.RawMessage(`{"type":"object","properties":{"file":{"type":"string"}}}`)}}
	request := &bridge.Request{Model: stream.Model{ID: "a-1", API: r.API, Provider: r.Provider}, Context: conversation}
	var types []string
	var last stream.Event
	for e := range providers[0].Events(context.Background(), request) {
		types, last = append(types, e.Type), e
	}
	assert.Equal(t, []string{"start", "image_end", "toolcall_start", "toolcall_end", "done"}, types)
	assert.Equal(t, []string{"read"}, asked.ToolNames())
	told := string(asked.AppendJSON(nil))
	assert.Contains(t, told, "Use `read`.")
	assert.Contains(t, told, `"toolName":"read","input":{"filePath":"/b","offset":5,"limit":2}`)
	require.Len(t, last.Message.Content, 2)
	assert.Contains(t, string(last.Message.AppendJSON(nil)), `"name":"cat","arguments":{"file":"/a:raw:2-4"}`)

	// The same without the bridge.
	bound := p.Bind(conversation.Tools, profile.Options{})
	types = nil
	for e := range stream.Translate(context.Background(), &stream.Config{Toolset: bound}, parts(t, answer)) {
		types = append(types, e.Type)
	}
	assert.Equal(t, []string{"start", "image_end", "toolcall_start", "toolcall_end", "done"}, types)
}

func hostless(env bridge.Environment) bridge.Environment {
	get := env.Getenv
	env.Getenv = func(name string) string {
		if name == "PI_BRIDGE_HOST" {
			return ""
		}
		return get(name)
	}
	return env
}

func parts(t *testing.T, lines []string) iter.Seq2[*stream.Part, error] {
	return func(yield func(*stream.Part, error) bool) {
		for _, line := range lines {
			var part stream.Part
			if err := stream.ParsePart([]byte(line), &part); err != nil {
				t.Error(err)
			}
			if !yield(&part, nil) {
				return
			}
		}
	}
}

func answeringWith(t *testing.T, asked **history.CallOptions, lines []string) func(context.Context, string, auth.Options, string) (*bridge.LanguageModel, error) {
	return func(context.Context, string, auth.Options, string) (*bridge.LanguageModel, error) {
		return &bridge.LanguageModel{Version: history.V3, Stream: func(_ context.Context, o *history.CallOptions) (iter.Seq2[*stream.Part, error], error) {
			*asked = o
			return parts(t, lines), nil
		}}, nil
	}
}
