package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// compared is a guest with something of everything.
func compared() *abi.Manifest {
	return &abi.Manifest{Transport: abi.Transport, ID: "acme/a", Version: "1",
		Contributions: []abi.Contribution{
			{Interface: abi.DeveloperMessagesV1, ID: "c", Providers: &[]string{"p", "q"}, ActiveTools: []string{"read", "bash"},
				Needs: []abi.ContextField{abi.FieldPrompt}},
			{Interface: abi.DeveloperMessagesV1, ID: "d"}},
		Adapters: []abi.Adapter{
			{Interface: abi.ProviderPayloadAdaptersV1, ID: "one", Providers: []string{"p", "q"}, APIs: []string{"x"}, Models: []string{"m"},
				Operations: []string{abi.ReplaceDeveloperMessagesV1}},
			{Interface: abi.ProviderPayloadAdaptersV2, ID: "two", APIs: []string{"y"}, View: []abi.Selector{{Path: abi.Path{{Member: "s"}}}},
				Write: []abi.Path{{{Member: "s"}}}}},
		Capabilities: []abi.Capability{{Name: abi.CapabilityKV, Reason: "to count"},
			{Name: abi.CapabilityConfig, Reason: "to know", Keys: []string{"tone"}}},
		Limits: abi.Limits{MemoryBytes: 1 << 20, Fuel: 1000, Milliseconds: 10, AnswerBytes: 1000, LogBytes: 1000},
	}
}

func artifactOf(t require.TestingT, m *abi.Manifest) *runtime.Artifact {
	module := (&wasmtest.Module{Pages: 1}).Encode()
	file, err := guestbuild.Attach(module, m)
	require.NoError(t, err)
	a, err := runtime.Examine("a.wasm", file)
	require.NoError(t, err)
	return a
}

func TestDiffOfOneChange(t *testing.T) {
	for name, test := range map[string]struct {
		do     func(*abi.Manifest)
		text   string
		widens []string
		breaks []string
	}{
		"version":      {func(m *abi.Manifest) { m.Version = "2" }, "~ guest: version: 1 -> 2", nil, nil},
		"description":  {func(m *abi.Manifest) { m.Description = "better" }, "~ guest: description: none -> better", nil, nil},
		"uses":         {func(m *abi.Manifest) { m.Uses = 6 }, "~ guest: uses: none -> 0x6", nil, nil},
		"state":        {func(m *abi.Manifest) { m.State = abi.StateSession }, "~ state: none -> session", []string{"state session: its memory lives as long as the session"}, nil},
		"priority":     {func(m *abi.Manifest) { m.Contributions[0].Priority = -2.5 }, "~ contribution c: priority: 0 -> -2.5", nil, nil},
		"volatility":   {func(m *abi.Manifest) { m.Contributions[0].Volatility = abi.VolatilityNever }, "~ contribution c: volatility: turn -> never", nil, nil},
		"same default": {func(m *abi.Manifest) { m.Contributions[0].Volatility, m.State = abi.VolatilityTurn, abi.StateNone }, "", nil, nil},
		"every provider": {func(m *abi.Manifest) { m.Contributions[0].Providers = nil }, "~ contribution c: providers: [p, q] -> every provider",
			[]string{`contribution "c" is for every provider`}, nil},
		"no provider": {func(m *abi.Manifest) { m.Contributions[1].Providers = &[]string{} }, "~ contribution d: providers: every provider -> none",
			nil, []string{`contribution "d" is for no provider`}},
		"one provider": {func(m *abi.Manifest) { m.Contributions[1].Providers = &[]string{"p"} }, "~ contribution d: providers: every provider -> [p]",
			nil, []string{`contribution "d" is only for provider "p"`}},
		"another provider": {func(m *abi.Manifest) { m.Contributions[0].Providers = &[]string{"q", "r"} }, "~ contribution c: providers: [p, q] -> [q, r]",
			[]string{`contribution "c" is for provider "r"`}, []string{`contribution "c" is no longer for provider "p"`}},
		"tools": {func(m *abi.Manifest) { m.Contributions[0].ActiveTools = []string{"bash", "edit"} }, "~ contribution c: activeTools: [read, bash] -> [bash, edit]",
			[]string{`contribution "c" renders without tool "read"`}, []string{`contribution "c" no longer renders without tool "edit"`}},
		"fewer needs": {func(m *abi.Manifest) { m.Contributions[0].Needs = nil }, "~ contribution c: needs: [prompt] -> none", nil, nil},
		"more needs": {func(m *abi.Manifest) { m.Contributions[1].Needs = []abi.ContextField{abi.FieldProvider} },
			"~ contribution d: needs: none -> [provider]", []string{`contribution "d" sees provider`}, nil},
		"a contribution gone": {func(m *abi.Manifest) { m.Contributions = m.Contributions[:1] },
			"- contribution d: interface developer-messages/v1, providers every provider, volatility turn", nil, []string{`contribution "d" is gone`}},
		"a contribution": {func(m *abi.Manifest) {
			m.Contributions = append(m.Contributions, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: "e", Needs: []abi.ContextField{abi.FieldPrompt}})
		}, "+ contribution e: interface developer-messages/v1, needs [prompt], providers every provider, volatility turn", []string{`contribution "e" sees prompt`}, nil},
		"adapter's default": {func(m *abi.Manifest) { m.Adapters[0].Providers = nil },
			"~ adapter one (provider-payload-adapters/v1): providers: [p, q] -> the default for its apis",
			[]string{`adapter "one" is the default for its apis`}, nil},
		"adapter's apis": {func(m *abi.Manifest) { m.Adapters[0].APIs = []string{"y"} }, "~ adapter one (provider-payload-adapters/v1): apis: [x] -> [y]",
			[]string{`adapter "one" is for api "y"`}, []string{`adapter "one" of provider-payload-adapters/v1 is no longer for api "x"`}},
		"adapter's models": {func(m *abi.Manifest) { m.Adapters[1].Models = []string{"m"} }, "~ adapter two (provider-payload-adapters/v2): models: any -> [m]",
			nil, []string{`adapter "two" of provider-payload-adapters/v2 is only for model "m"`}},
		"an operation gone": {func(m *abi.Manifest) { m.Adapters[0].Operations = nil },
			"~ adapter one (provider-payload-adapters/v1): operations: [" + abi.ReplaceDeveloperMessagesV1 + "] -> none",
			nil, []string{`adapter "one" of provider-payload-adapters/v1 no longer has operation "` + abi.ReplaceDeveloperMessagesV1 + `"`}},
		"view": {func(m *abi.Manifest) { m.Adapters[1].View[0].Path = abi.Path{{Member: "t"}} },
			"~ adapter two (provider-payload-adapters/v2): view: [s; texts up to 1024 bytes] -> [t; texts up to 1024 bytes]", []string{`adapter "two" sees more of "t"`}, nil},
		"write": {func(m *abi.Manifest) {
			m.Adapters[1].Write = append(m.Adapters[1].Write, abi.Path{{Member: "t"}, {Each: true}})
		},
			"~ adapter two (provider-payload-adapters/v2): write: [s] -> [s, t[]]", []string{`adapter "two" edits "t[]"`}, nil},
		"newer interface": {func(m *abi.Manifest) {
			m.Adapters[0] = abi.Adapter{Interface: abi.ProviderPayloadAdaptersV2, ID: "one", Providers: []string{"p", "q"}, APIs: []string{"x"}, Models: []string{"m"},
				View: m.Adapters[1].View, Write: m.Adapters[1].Write}
		}, "~ adapter one: interface: provider-payload-adapters/v1 -> provider-payload-adapters/v2", []string{`adapter "one" of provider-payload-adapters/v2`}, nil},
		"adapter renamed": {func(m *abi.Manifest) { m.Adapters[1].ID = "three" },
			"- adapter two (provider-payload-adapters/v2): apis [y], view [s; texts up to 1024 bytes], write [s]", nil, []string{`adapter "two" of provider-payload-adapters/v2 is gone`}},
		"a capability gone": {func(m *abi.Manifest) { m.Capabilities = m.Capabilities[1:] }, "- capability kv: to count", nil, nil},
		"a reason":          {func(m *abi.Manifest) { m.Capabilities[0].Reason = "to know" }, "~ capability kv: to count -> to know", nil, nil},
		"a key": {func(m *abi.Manifest) { m.Capabilities[1].Keys = []string{"tone", "token"} }, "+ configuration key token",
			[]string{`configuration key "token"`}, nil},
		"more memory": {func(m *abi.Manifest) { m.Limits.MemoryBytes = 2 << 20 }, "~ limit memory: 1.0 MiB -> 2.0 MiB", []string{"limit memory of 2097152 bytes instead of 1048576"}, nil},
		"host's time": {func(m *abi.Manifest) { m.Limits.Milliseconds = 0 }, "~ limit time: 10 ms -> the host's", []string{"limit time of 1000 ms instead of 10"}, nil},
		"less fuel":   {func(m *abi.Manifest) { m.Limits.Fuel = 10 }, "~ limit fuel: 1000 -> 10", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			m := compared()
			test.do(m)
			d := compare(artifactOf(t, compared()), artifactOf(t, m))
			changes := slices.DeleteFunc(d.Changes, func(c change) bool { return c.Part == partSection || c.Part == partContract })
			if test.text == "" {
				assert.Empty(t, changes)
				return
			}
			require.NotEmpty(t, changes)
			assert.LessOrEqual(t, d.Breaks, 1)
			assert.Equal(t, test.text, changes[0].text())
			assert.ElementsMatch(t, test.widens, changes[0].Widens)
			assert.ElementsMatch(t, test.breaks, changes[0].Breaks)
		})
	}
}

func TestDiffOfFeatures(t *testing.T) {
	// No manifest can require a feature yet: no bit has a meaning.
	old, new := artifactOf(t, compared()), artifactOf(t, compared())
	new.SHA256[0]++
	new.Manifest.Requires, old.Manifest.Requires = 5, 4
	d := compare(old, new)
	require.Len(t, d.Changes, 1)
	assert.Equal(t, "~ guest: requires: 0x4 -> 0x5", d.Changes[0].text())
	assert.Equal(t, []string{"it requires features 0x1 of the host"}, d.Changes[0].Breaks)
	new.Manifest.Requires = 0
	assert.Zero(t, compare(old, new).Breaks)
}

func TestOlderInterface(t *testing.T) {
	assert.Empty(t, olderInterface("a/v1", "a/v2"))
	assert.Empty(t, olderInterface("a/v9", "a/v10"))
	assert.NotEmpty(t, olderInterface("a/v10", "a/v9"))
	assert.NotEmpty(t, olderInterface("a/v1", "b/v1"))
}

// Whatever asks for more is among the changes, whatever the manifests are, and so is all that is different.
func TestDiffLeavesNothingOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		manifest := func(label string) *abi.Manifest {
			m := compared()
			mutations := map[string]func(){
				"id":       func() { m.ID = "b" },
				"swap":     func() { slices.Reverse(m.Contributions); slices.Reverse(m.Adapters) },
				"less":     func() { m.Contributions = m.Contributions[:1] },
				"rename":   func() { m.Contributions[0].ID = "z" },
				"needs":    func() { m.Contributions[0].Needs = abi.ContextFields() },
				"provider": func() { m.Contributions[0].Providers = nil },
				"drop":     func() { m.Adapters = m.Adapters[:1] },
				"apis":     func() { m.Adapters[0].Providers, m.Adapters[0].APIs = []string{"z"}, nil },
				"caps":     func() { m.Capabilities = nil },
				"clock":    func() { m.Capabilities = append(m.Capabilities, abi.Capability{Name: "clock", Reason: "r"}) },
				"limits":   func() { m.Limits = abi.Limits{} },
				"state":    func() { m.State = abi.StateSession },
			}
			names := []string{"id", "swap", "less", "rename", "needs", "provider", "drop", "apis", "caps", "clock", "limits", "state"}
			for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom(names), rapid.ID).Draw(t, label) {
				mutations[name]()
			}
			return m
		}
		from, to := manifest("from"), manifest("to")
		d := compare(artifactOf(t, from), artifactOf(t, to))
		var told []string
		for _, c := range d.Changes {
			told = append(told, c.Widens...)
		}
		assert.ElementsMatch(t, runtime.Widened(from, to, runtime.Limits{}), told)
		if d.Identical {
			assert.Empty(t, d.Changes)
		}
		var out bytes.Buffer
		d.print(newPrinter(&out))
		assert.NotEmpty(t, out.String())
	})
}

// Another interface has other operations: that the old ones are gone breaks nothing.
func TestDiffOfANewerInterface(t *testing.T) {
	m := compared()
	m.Adapters[0] = abi.Adapter{Interface: abi.ProviderPayloadAdaptersV2, ID: "one", Providers: []string{"p", "q"}, APIs: []string{"x"}, Models: []string{"m"},
		View: m.Adapters[1].View, Write: m.Adapters[1].Write}
	assert.Zero(t, compare(artifactOf(t, compared()), artifactOf(t, m)).Breaks)
}
