package guestcheck_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/internal/guestcheck"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func texts(r *guestcheck.Report, level guestcheck.Level) []string {
	var list []string
	for _, f := range r.Findings {
		if f.Level == level {
			list = append(list, string(f.Group)+": "+f.Text)
		}
	}
	return list
}

func guest(t *testing.T, file []byte) *guestcheck.Guest {
	t.Helper()
	a, err := runtime.Examine("g.wasm", file)
	require.NoError(t, err)
	return guestcheck.Of(a, file)
}

// echo is the guest in C with a manifest of the test's own.
func echo(t *testing.T, change func(*abi.Manifest)) []byte {
	t.Helper()
	module, err := os.ReadFile("../../testdata/guests/c/c.wasm")
	require.NoError(t, err)
	m, err := guestbuild.ReadManifest("../../testdata/guests/c")
	require.NoError(t, err)
	change(m)
	file, err := guestbuild.Attach(module, m)
	require.NoError(t, err)
	return file
}

func TestStatic(t *testing.T) {
	for name, c := range map[string]struct {
		change          func(*abi.Manifest)
		warnings, notes []string
		errors          []string
	}{
		"in order": {change: func(*abi.Manifest) {}},
		"capabilities": {change: func(m *abi.Manifest) {
			for _, name := range []string{"log", "kv", "clock", "random", "config", "telepathy"} {
				m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "r"})
			}
		}, notes: []string{"capabilities: log: every guest has it, whether it asks or not"}, warnings: []string{
			"size: each call needs an instance that is started anew: it has real random numbers and does not export pintle_reseed",
			"capabilities: kv: asked for and not used: it imports none of pintle/1.kv_get, pintle/1.kv_set, pintle/1.kv_delete",
			"capabilities: clock: asked for and not used: it imports none of wasi_snapshot_preview1.clock_time_get",
			"capabilities: random: asked for and not used: it imports none of wasi_snapshot_preview1.random_get",
			"capabilities: config: asked for and not used: it imports none of pintle/1.config",
			"capabilities: config: it names no keys, so it can read none",
			"capabilities: telepathy: this host does not know it and grants it to nobody",
		}},
		"needs": {change: func(m *abi.Manifest) {
			m.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt, abi.FieldSystemPromptOptions}
			m.Contributions = append(m.Contributions, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: "blind"})
		}, notes: []string{"needs: blind sees nothing of a turn"},
			warnings: []string{"needs: echo/c needs systemPromptOptions, and the word stands nowhere in the guest"}},
		"offers": {change: func(m *abi.Manifest) { m.Contributions[0].Providers, m.Description = &[]string{}, "" },
			notes:    []string{"manifest: there is no description for people"},
			warnings: []string{"manifest: echo/c is never asked: its list of providers is empty"}},
		"too little memory": {change: func(m *abi.Manifest) { m.Limits.MemoryBytes = 4096 },
			errors: []string{"limits: memory: it starts with 192.0 KiB, and asks for 4096 B"}},
	} {
		var r guestcheck.Report
		guest(t, echo(t, c.change)).Static(&r)
		assert.Equal(t, c.warnings, texts(&r, guestcheck.Warning), name)
		assert.Equal(t, c.notes, texts(&r, guestcheck.Note), name)
		assert.Equal(t, c.errors, texts(&r, guestcheck.Error), name)
		assert.Equal(t, len(c.warnings), r.Count(guestcheck.Warning))
		for _, f := range r.Findings {
			assert.Contains(t, guestcheck.Groups(), f.Group)
		}
	}
}

func TestStaticOfBrokenGuests(t *testing.T) {
	m := wasmtest.Manifest()
	section, err := abi.EncodeManifest(m)
	require.NoError(t, err)
	module := wasmtest.Module{Pages: 1, Custom: []wasmtest.Custom{{Name: abi.ManifestSection, Bytes: section}}}
	var r guestcheck.Report
	guest(t, module.Encode()).Static(&r)
	assert.NotEmpty(t, texts(&r, guestcheck.Error))
	assert.Contains(t, texts(&r, guestcheck.Warning), "build: functions have no names: a trace will show numbers")

	code := wasmtest.Module{Pages: 1}
	r = guestcheck.Report{}
	guest(t, wasmtest.Guest(code, m, []byte{0xff})).Static(&r) // no instruction
	require.Len(t, texts(&r, guestcheck.Error), 1)
	assert.Contains(t, texts(&r, guestcheck.Error)[0], "contract: code: ")
}

// script is a guest in JavaScript with a manifest that asks for what it may or may not use.
func script(t *testing.T, code string) *guestcheck.Guest {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "index.js"), []byte(code), 0o600))
	bundled, err := jsbundle.Bundle(t.Context(), dir, "index.js", jsbundle.Asks{
		Needs: map[string][]string{"c": {"prompt", "sessionId", "provider"}}, Config: []string{"tone", "größe"}, KV: true,
	})
	require.NoError(t, err)
	section, err := abi.EncodeBundle(&abi.Bundle{Code: bundled.Code, Map: bundled.Map})
	require.NoError(t, err)
	m := &abi.Manifest{Transport: 1, ID: "script", Version: "1", Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "c",
		Needs: []abi.ContextField{abi.FieldPrompt, abi.FieldSessionID, abi.FieldProvider}}}}
	for _, name := range []string{"kv", "clock", "random", "config", "log"} {
		m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "r"})
	}
	m.Capabilities[3].Keys = []string{"tone", "größe"}
	manifest, err := abi.EncodeManifest(m)
	require.NoError(t, err)
	parsed, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	parsed, err = wasmbin.Parse(parsed.WithCustomFirst(abi.BundleSection, section), wasmbin.DefaultLimits())
	require.NoError(t, err)
	return guest(t, parsed.WithCustomFirst(abi.ManifestSection, manifest))
}

// Of a guest in JavaScript only the author's part is searched: the SDK's has all names, and what pintle.toml says.
func TestStaticOfScripts(t *testing.T) {
	for name, c := range map[string]struct {
		code     string
		warnings []string
	}{
		"nothing used": {`import { registerDeveloperMessageContribution as r, config, kv } from "pintle"; // prompt, Date
			r({ id: "c", providers: ["p"], content: ({ sessionIds }) => sessionIds + "randomly" });`, []string{
			`capabilities: kv: asked for and not used: the code does not use kv of "pintle"`,
			"capabilities: clock: asked for and not used: the code does not have the word Date or performance",
			"capabilities: random: asked for and not used: the code does not have the word random",
			`capabilities: config: asked for and not used: the code does not use config of "pintle"`,
			`capabilities: config: the key "tone" stands nowhere in the guest`,
			"needs: c needs prompt, and the word stands nowhere in the guest",
			"needs: c needs sessionId, and the word stands nowhere in the guest",
			"needs: c needs provider, and the word stands nowhere in the guest",
		}},
		"all used": {`import { registerDeveloperMessageContribution as r, config, kv as store } from "pintle";
			const { random } = Math;
			r({ id: "c", content: (c) => store.get("a") + config("tone") + Date.now() + random() + c["prompt"] + c.sessionId + c.provider });`, nil},
		"all of the SDK, the clock by its other name": {`import * as sdk from "pintle";
			const pintle_api = (name) => performance.now() + Math.random() + name;
			sdk.registerDeveloperMessageContribution({ id: "c", content: ({ prompt, sessionId, provider }) => pintle_api("x") + prompt + sessionId + provider
			+ sdk.kv.get("a") + sdk.config("tone") });`, nil},
		"some": {`import { registerDeveloperMessageContribution as r, kv } from "pintle"; const pintle_api = (name) => name;
			r({ id: "c", content: ({ prompt }) => prompt + kv.get("sessionId") + pintle_api("provider") + config + "tone" + Date.now() + Math.random() });`,
			[]string{`capabilities: config: asked for and not used: the code does not use config of "pintle"`}},
	} {
		var r guestcheck.Report
		script(t, c.code).Static(&r)
		assert.Equal(t, c.warnings, texts(&r, guestcheck.Warning), name)
		assert.Empty(t, texts(&r, guestcheck.Error), name)
	}
}

// A bundle that `pintle build` did not make has no known place where the author's part begins.
func TestStaticOfScriptsOfOthers(t *testing.T) {
	module := script(t, `globalThis.__pintle`).Artifact.Module()
	section, err := abi.EncodeBundle(&abi.Bundle{Code: "kv; config('tone'); c.sessionId"})
	require.NoError(t, err)
	var r guestcheck.Report
	guest(t, module.WithCustomFirst(abi.BundleSection, section)).Static(&r)
	assert.Equal(t, []string{"build: there is no source map: errors name places in the bundle",
		"needs: c needs prompt, and the word stands nowhere in the guest",
		"needs: c needs provider, and the word stands nowhere in the guest"}, texts(&r, guestcheck.Warning))
	assert.Contains(t, texts(&r, guestcheck.Note),
		"capabilities: kv: asked for; whether the code uses it cannot be told, since `pintle build` did not bundle it")
}

func TestStartedAndAnswered(t *testing.T) {
	file := echo(t, func(m *abi.Manifest) {
		m.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt, abi.FieldActiveTools, abi.FieldProvider}
		m.Limits.MemoryBytes, m.Limits.Fuel = 16<<20, 40_000_000
	})
	g := guest(t, file)
	run := runtime.New(enginetest.New(), runtime.Options{})
	t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
	load := func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
		return run.Load(ctx, "g.wasm", file, runtime.GuestOptions{Config: config})
	}
	loaded, err := load(t.Context(), nil)
	require.NoError(t, err)
	var r guestcheck.Report
	g.Started(&r, loaded, 3*time.Millisecond)
	assert.Contains(t, texts(&r, guestcheck.OK), "size: loaded in 3ms")
	assert.Contains(t, texts(&r, guestcheck.Note)[0], "limits: memory: it asks for 16.0 MiB, and has ")

	suite, err := guesttest.Parse("cases.json", []byte(`[
		{"name": "1", "contribution": "echo/c", "context": {"prompt": "a", "activeTools": ["x"]}, "text": "C heard: a"},
		{"name": "2", "contribution": "echo/c", "context": {"prompt": "b", "activeTools": ["x", "y"]}, "text": "C heard: b"},
		{"name": "3", "contribution": "echo/c", "error": "no-prompt"},
		{"name": "4", "contribution": "echo/c", "context": {"prompt": "c"}, "text": "something else"}
	]`))
	require.NoError(t, err)
	runner := &guesttest.Runner{Load: load}
	t.Cleanup(func() { require.NoError(t, runner.Close(context.Background())) })
	r = guestcheck.Report{}
	g.Answered(t.Context(), &r, runner, suite.Cases)
	assert.Equal(t, []string{"cases: 1 of 4 cases fail",
		"needs: echo/c needs activeTools, and no case has another answer without it (2 cases have it)"}, texts(&r, guestcheck.Warning))
	notes := texts(&r, guestcheck.Note)
	require.Len(t, notes, 2)
	assert.Contains(t, notes[0], "limits: fuel: it asks for 40000000, and the cases take up to ")
	assert.Equal(t, "needs: echo/c needs provider, and no case can tell what for", notes[1])

	r = guestcheck.Report{}
	g.NotStarted(&r, errors.New("no room"))
	assert.Equal(t, []string{"contract: a host does not load it: no room"}, texts(&r, guestcheck.Error))
}

func TestCapabilityThatIsMisspelt(t *testing.T) {
	var r guestcheck.Report
	guest(t, echo(t, func(m *abi.Manifest) {
		m.Capabilities = []abi.Capability{{Name: "confg", Reason: "r"}}
	})).Static(&r)
	i := slices.IndexFunc(r.Findings, func(f guestcheck.Finding) bool { return f.Level == guestcheck.Warning })
	require.GreaterOrEqual(t, i, 0)
	assert.Equal(t, "did you mean config?", r.Findings[i].Hint)
}

func TestLimitsThatHostsDoNotGive(t *testing.T) {
	file := echo(t, func(m *abi.Manifest) {
		m.Limits.MemoryBytes, m.Limits.AnswerBytes, m.Limits.LogBytes, m.Limits.Fuel = 64<<30, 2<<20, 1<<20, 60_000_000
	})
	run := runtime.New(enginetest.New(), runtime.Options{})
	t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
	loaded, err := run.Load(t.Context(), "g.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)
	var r guestcheck.Report
	guest(t, file).Started(&r, loaded, time.Millisecond)
	assert.Empty(t, texts(&r, guestcheck.Note))
	assert.Equal(t, []string{"limits: memory: it asks for 64.0 GiB, and a host gives 64.0 MiB unless it is set up to give more",
		"limits: answer: it asks for 2.0 MiB, and a host gives 1.0 MiB unless it is set up to give more",
		"limits: log: it asks for 1.0 MiB, and a host gives 64.0 KiB unless it is set up to give more",
		"limits: fuel: it asks for 60000000, and a host gives 50000000 unless it is set up to give more"}, texts(&r, guestcheck.Warning))
}

// With too little fuel every call fails, whether there are cases or not.
func TestLimitsThatEndEveryCall(t *testing.T) {
	file := echo(t, func(m *abi.Manifest) { m.Limits.Fuel = 10 })
	run := runtime.New(enginetest.New(), runtime.Options{})
	t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
	runner := &guesttest.Runner{Load: func(ctx context.Context, _ map[string]string) (*runtime.Guest, error) {
		return run.Load(ctx, "g.wasm", file, runtime.GuestOptions{})
	}}
	t.Cleanup(func() { require.NoError(t, runner.Close(context.Background())) })
	prompt := "a"
	c := &guesttest.Case{Name: "1", Contribution: "echo/c", Context: guesttest.Context{Prompt: &prompt}, Want: guesttest.Want{Kind: guesttest.Text}}
	var r guestcheck.Report
	guest(t, file).Tried(t.Context(), &r, runner, []*guesttest.Case{c})
	assert.Equal(t, []string{"limits: fuel: echo/c ends at the limit in a plain turn"}, texts(&r, guestcheck.Error))
	c.Context.Prompt = nil
	file = echo(t, func(*abi.Manifest) {})
	require.NoError(t, runner.Close(t.Context()))
	guest(t, file).Tried(t.Context(), &r, runner, []*guesttest.Case{c})
	assert.Equal(t, []string{"cases: echo/c fails in a plain turn: guest testdata/c@1.0.0: developer_messages_v1_render: failed: no-prompt: nothing to echo"},
		texts(&r, guestcheck.Warning))

	c.Context.Prompt, file = &prompt, echo(t, func(m *abi.Manifest) { m.Limits.Fuel = 10 })
	require.NoError(t, runner.Close(t.Context()))
	r = guestcheck.Report{}
	guest(t, file).Answered(t.Context(), &r, runner, []*guesttest.Case{c})
	assert.Equal(t, []string{"limits: fuel: 1 of 1 cases end at the limit"}, texts(&r, guestcheck.Error))
	assert.Empty(t, texts(&r, guestcheck.OK), "nothing says that the fuel is enough")
}
