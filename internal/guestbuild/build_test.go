package guestbuild_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func TestParseManifest(t *testing.T) {
	m, err := guestbuild.ParseManifest([]byte(`
id = "acme/style"
version = "1.2.3"
state = "session"

[[contributions]]
id = "style"
priority = -1.5
providers = []
needs = ["prompt", "activeTools"]
volatility = "session"

[[adapters]]
id = "mine"
providers = ["acme"]
operations = ["replace_developer_messages"]

[[capabilities]]
name = "config"
reason = "the house rules"
keys = ["rules"]

[limits]
memory = "16MiB"
time = "200ms"
answer = 4096
log = "2 KiB"
fuel = 20_000_000
`))
	require.NoError(t, err)
	assert.Equal(t, &abi.Manifest{
		Transport: 1, ID: "acme/style", Version: "1.2.3", State: abi.StateSession,
		Contributions: []abi.Contribution{{Interface: "developer-messages/v1", ID: "style", Priority: -1.5, Providers: &[]string{},
			Needs: []abi.ContextField{"prompt", "activeTools"}, Volatility: "session"}},
		Adapters: []abi.Adapter{{Interface: "provider-payload-adapters/v1", ID: "mine", Providers: []string{"acme"},
			Operations: []string{"provider_payload_adapters_v1_replace_developer_messages"}}},
		Capabilities: []abi.Capability{{Name: "config", Reason: "the house rules", Keys: []string{"rules"}}},
		Limits:       abi.Limits{MemoryBytes: 16 << 20, Milliseconds: 200, AnswerBytes: 4096, LogBytes: 2048, Fuel: 20_000_000},
	}, m)
}

func TestParseManifestErrors(t *testing.T) {
	const head = "id = \"a\"\nversion = \"1\"\n"
	for text, want := range map[string]string{
		"id = ":        "line 1",
		head:           "neither contributions nor adapters",
		head + "x = 1": "line 3, column 1: unknown key x: known: id, ",
		head + "[[contributions]]\nid = \"c\"\nneeds = [\"shoe size\"]":                          `line 5, column 10: contributions.needs: "shoe size" is unknown; known: provider`,
		head + "[[contributions]]\nid = \"c\"\n[[contributions]]\nid = \"c\"":                    `line 6, column 1: contributions.id: "c" is used twice`,
		head + "[[contributions]]\nid = \"c\"\n[limits]\nmemory = \"12 cups\"":                   "is not a size",
		head + "[[contributions]]\nid = \"c\"\n[limits]\nmemory = \"17179869185GiB\"":            "is not a size", // 1 GiB after 2^64
		head + "[[contributions]]\nid = \"c\"\n[limits]\nmemory = -1":                            `line 6, column 10: limits.memory: "-1" is not a size`,
		head + "[[contributions]]\nid = \"c\"\n[limits]\ntime = \"soon\"":                        "is not a duration",
		head + "[[contributions]]\nid = \"c\"\n[limits]\ntime = 200":                             `line 6, column 8: limits.time: "200" is not a duration`,
		head + "[[contributions]]\nid = \"c\"\n[limits]\ntime = \"5us\"":                         `"5us" is not a duration in whole milliseconds`,
		head + "[[contributions]]\nid = \"c\"\n[limits]\nfuel = -1":                              "line 6, column 8: limits.fuel: -1 is negative",
		head + "[[contributions]]\nid = \"c\"\n[limits]\nfuel = \"5\"":                           "line 6, column 8: limits.fuel wants a whole number: fuel = 1000",
		head + "[[contributions]]\nid = \"c\"\npriority = \"high\"":                              "line 5, column 12: contributions.priority wants a number: priority = 1.5",
		head + "[[contributions]]\nid = \"c\"\ninterface = \"developer-messages/v9\"":            "this host knows developer-messages/v1",
		head + "[[contributions]]\nid = \"c\"\nvolatility = \"often\"":                           `"often" is unknown`,
		head + "[[adapters]]\nid = \"c\"":                                                        "neither providers nor apis",
		head + "[[adapters]]\nid = \"c\"\napis = [\"a\"]\noperations = [\"fly\"]":                `"fly" is no optional operation`,
		head + "[[adapters]]\nid = \"c\"\napis = [\"a\"]\ninterface = \"developer-messages/v1\"": "does not belong here",
		head + "requires = 4\n[[contributions]]\nid = \"c\"":                                     "feature bits 0x4",
		head + "[[contributions]]\nid = \"c\"\n[[capabilities]]\nname = \"config\"":              "say what the guest wants it for",
		"version = \"1\"\n[[contributions]]\nid = \"c\"":                                         "id: is missing",
		"id = \"\\u0085\"\nversion = \"1\"\n[[contributions]]\nid = \"c\"":                       "control character",
		"id = \"a\"\nversion = \"1\"\nstate = \"forever\"\n[[contributions]]\nid = \"c\"":        `line 3, column 1: state: "forever" is unknown; known: none, session`,
		"id = \"a\"\nversion = \"1\"\n[[contributions]]\nid = \"c\"\npriority = nan":             "not a finite number",
	} {
		_, err := guestbuild.ParseManifest([]byte(text))
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}

func TestBuildFromModule(t *testing.T) {
	dir := t.TempDir()
	manifest := "id = \"a\"\nversion = \"1\"\n[[contributions]]\nid = \"c\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), []byte(manifest), 0o600))
	module := filepath.Join(dir, "raw")
	require.NoError(t, os.WriteFile(module, wasmtest.Says("x"), 0o600))
	out, a, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Module: module})
	require.NoError(t, err)
	assert.Equal(t, filepath.Join(dir, filepath.Base(dir)+".wasm"), out)
	assert.Equal(t, "a@1", a.Title())
	assert.FileExists(t, out)

	// A module that does not keep what the manifest promises is not written.
	require.NoError(t, os.WriteFile(module, (&wasmtest.Module{Pages: 1}).Encode(), 0o600))
	_, _, err = guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Module: module, Out: filepath.Join(dir, "no.wasm")})
	var contract *guestbuild.ContractError
	require.ErrorAs(t, err, &contract)
	assert.Contains(t, err.Error(), "export developer_messages_v1_render: missing: expected function (i32, i32) -> i64")
	assert.Contains(t, err.Error(), "export pintle_alloc: missing")
	assert.NoFileExists(t, filepath.Join(dir, "no.wasm"))
}

func TestBuildWithoutManifestOrSource(t *testing.T) {
	dir := t.TempDir()
	_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), []byte("id=\"a\"\nversion=\"1\"\n[[contributions]]\nid=\"c\""), 0o600))
	_, _, err = guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
	require.ErrorContains(t, err, "holds no source of a guest")
}

func TestAttachReplaces(t *testing.T) {
	m := wasmtest.Manifest()
	m.ID = "second"
	file, err := guestbuild.Attach(wasmtest.Says("x"), m)
	require.NoError(t, err)
	parsed, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	sections, _ := parsed.CustomSection(abi.ManifestSection)
	require.Len(t, sections, 1)
	again, err := abi.DecodeManifest(sections[0])
	require.NoError(t, err)
	assert.Equal(t, "second", again.ID)
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte("id = \"a\"\nversion = \"1\"\n[[contributions]]\nid = \"c\"\nneeds = [\"prompt\"]\n[limits]\nmemory = \"1MiB\""))
	f.Add([]byte("[[adapters]]\nid='x'\napis=['a']\noperations=['replace_developer_messages']"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := guestbuild.ParseManifest(text)
		if err != nil {
			return
		}
		section, err := abi.EncodeManifest(m)
		if err != nil {
			return // larger than a section may be
		}
		again, err := abi.DecodeManifest(section)
		require.NoError(t, err)
		assert.Equal(t, m.ID, again.ID)
	})
}
