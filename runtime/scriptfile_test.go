package runtime_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func TestExamineScript(t *testing.T) {
	manifest, bundle := manifestOf(t, wasmtest.Manifest()), bundleOf(t, &abi.Bundle{Code: "1"})
	native, err := wasmbin.Parse(wasmtest.Says("x"), wasmbin.DefaultLimits())
	require.NoError(t, err)
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"no manifest":              {withSections(t, abi.BundleSection, bundle), "a guest in JavaScript without a section pintle.manifest; build it with `pintle build`"},
		"no bundle":                {withSections(t, abi.ManifestSection, manifest), "the file is the JavaScript engine quickjs-wasi 3.7.0 (QuickJS-NG 0.18.0) without a program"},
		"another module":           {native.WithCustomFirst(abi.BundleSection, bundle), "its module is no JavaScript engine that this host knows: without custom sections it has the sha256 "},
		"not CBOR":                 {withSections(t, abi.ManifestSection, manifest, abi.BundleSection, []byte("x")), "the section pintle.bundle: decode message"},
		"nothing":                  {withSections(t, abi.ManifestSection, manifest, abi.BundleSection, []byte{}), "the section pintle.bundle: decode message"},
		"no code":                  {withSections(t, abi.ManifestSection, manifest, abi.BundleSection, []byte{0xa0}), "the section pintle.bundle has no code"},
		"not deterministic":        {withSections(t, abi.ManifestSection, manifest, abi.BundleSection, []byte("\xa1\x78\x04code\x611")), "is not the deterministic encoding"},
		"a file with a line break": {withSections(t, abi.ManifestSection, manifest, abi.BundleSection, []byte("\xa2\x64code\x611\x64file\x61\n")), "the name of the file has a control character"},
		"too large":                {withSections(t, abi.BundleSection, make([]byte, abi.MaxBundleBytes+1), abi.ManifestSection, manifest), "bytes of custom section pintle.bundle"},
		"a broken map":             {withSections(t, abi.ManifestSection, manifest, abi.BundleSection, bundleOf(t, &abi.Bundle{Code: "1", Map: "{"})), "the section pintle.bundle: source map: "},
		"two bundles":              {doubled(t, manifest, bundle), "there are 2 sections pintle.bundle; there may be one"},
	} {
		_, err := runtime.Examine("x.wasm", test.file)
		e := asError(t, err)
		assert.Equal(t, runtime.KindRefused, e.Kind, name)
		assert.Contains(t, e.Reason, test.want, name)
	}
	a, err := runtime.Examine("x.wasm", withSections(t, "other", []byte("x"), abi.BundleSection, bundle, abi.ManifestSection, manifest))
	require.NoError(t, err)
	assert.Equal(t, "pintle-js/1", a.Transport())
	assert.Empty(t, a.Problems)
	fresh, err := a.Fresh()
	require.NoError(t, err)
	assert.Empty(t, fresh)
	a, err = runtime.Examine("x.wasm", wasmtest.Says("x"))
	require.NoError(t, err)
	assert.Equal(t, "pintle/1", a.Transport())
}

// doubled has two bundles: sections may be put together in any way.
func doubled(t *testing.T, manifest, bundle []byte) []byte {
	t.Helper()
	file := withSections(t, abi.ManifestSection, manifest, abi.BundleSection, bundle)
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	for _, s := range m.Sections {
		if s.Name == abi.BundleSection {
			return append(file, file[s.Start:s.End]...)
		}
	}
	require.Fail(t, "there is a bundle")
	return nil
}

// One byte of the engine that is another one makes an engine that nobody knows.
func TestScriptEngineIsKnownByItsBytes(t *testing.T) {
	file := answering(t, `const answer = () => "1x"`)
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	for _, s := range m.Sections {
		if s.Title() == "data" {
			file[s.End-1] ^= 1
		}
	}
	_, err = runtime.Examine("x.wasm", file)
	assert.ErrorContains(t, err, "is no JavaScript engine that this host knows")
}

// compiling counts compilations.
type compiling struct {
	runtime.Engine
	n int
}

func (e *compiling) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	e.n++
	return e.Engine.Compile(ctx, module, host)
}

func TestScriptsShareTheirCode(t *testing.T) {
	dir := t.TempDir()
	e := &compiling{Engine: enginetest.Cached(dir)}
	r := runtime.New(e, runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: unhurried})
	file := func(text string) []byte { return answering(t, `const answer = () => "1`+text+`"`) }
	first := load(t, r, file("a"))
	second := load(t, r, file("b"))
	for g, want := range map[*runtime.Guest]string{first: "a", second: "b"} {
		text, err := render(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, want, text)
	}
	assert.Equal(t, 1, e.n)
	require.NoError(t, first.Close(t.Context()))
	text, err := render(t.Context(), second)
	require.NoError(t, err)
	assert.Equal(t, "b", text)
	require.NoError(t, second.Close(t.Context()))
	_, err = r.Registered(t.Context(), "x", file("c"))
	require.Error(t, err)
	assert.Equal(t, 1, e.n, "the engine's code is kept for the next one")
	if entries, err := os.ReadDir(dir); assert.NoError(t, err) {
		assert.LessOrEqual(t, len(entries), 1, "one entry in the cache")
	}
	require.NoError(t, r.Close(t.Context()))
	require.NoError(t, r.Close(t.Context()))
}

// A native guest that is loaded again with another manifest is not compiled again either; with other code,
// or other names in its traces, it is.
func TestReloadedGuestsShareTheirCode(t *testing.T) {
	e := &compiling{Engine: enginetest.New()}
	r := runtime.New(e, runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	file := wasmtest.Says("hello")
	first := load(t, r, file)
	second := load(t, r, changed(t, file, func(m *abi.Manifest) { m.Version = "2" }))
	assert.Equal(t, 1, e.n)
	require.NoError(t, first.Close(t.Context()))
	text, err := render(t.Context(), second)
	require.NoError(t, err)
	assert.Equal(t, "hello", text)
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	load(t, r, m.WithCustomFirst("name", []byte{1, 5, 1, 0, 2, 'm', 'e'}))
	assert.Equal(t, 2, e.n)
	load(t, r, wasmtest.Says("other"))
	assert.Equal(t, 3, e.n)
	require.NoError(t, second.Close(t.Context()))
	load(t, r, file)
	assert.Equal(t, 4, e.n, "what nobody uses is gone")
}

func TestRegistered(t *testing.T) {
	bundle := func(code string) []byte {
		return withSections(t, abi.BundleSection, bundleOf(t, &abi.Bundle{Code: prelude + code}))
	}
	text, err := scripts().Registered(t.Context(), "mine", bundle(`__pintle.registered = () => '{"contributions":[{"id":"\ud800é"}]}'`))
	require.NoError(t, err)
	assert.Equal(t, "{\"contributions\":[{\"id\":\"\uFFFDé\"}]}", string(text))
	for code, want := range map[string]string{
		``:                              "guest mine: start: contract: __pintle.registered is no function",
		`__pintle.registered = () => 1`: "__pintle.registered answered something else than a string",
		`__pintle.registered = () => { for (;;); }`: "it used up its fuel of 1000000000 units while it started",
		`throw new Error("not today")`:              "guest mine: start: trap: Error: not today",
	} {
		_, err := scripts().Registered(t.Context(), "mine", bundle(code))
		assert.ErrorContains(t, err, want)
		asError(t, err)
	}
	for name, file := range map[string][]byte{"not a guest in JavaScript": wasmtest.Says("x"), "without a program": engine.Module(), "not a valid wasm module": []byte("x")} {
		_, err := scripts().Registered(t.Context(), "mine", file)
		assert.ErrorContains(t, err, name)
	}
}
