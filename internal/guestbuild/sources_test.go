package guestbuild_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A sourceFolder is a guest's folder in which files have times relative to the build.
type sourceFolder struct {
	t     *testing.T
	dir   string
	built time.Time
}

func newSourceFolder(t *testing.T) *sourceFolder {
	return &sourceFolder{t, t.TempDir(), time.Now().Add(-time.Hour)}
}

func (f *sourceFolder) put(name string, after time.Duration) {
	path, at := filepath.Join(f.dir, name), f.built.Add(after)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(f.t, os.WriteFile(path, nil, 0o600))
	require.NoError(f.t, os.Chtimes(path, at, at))
}

func (f *sourceFolder) newer(a *runtime.Artifact) string {
	path, ok := guestbuild.NewerSource(f.dir, a, f.built)
	assert.Equal(f.t, path != "", ok)
	if !ok {
		return ""
	}
	name, err := filepath.Rel(f.dir, path)
	require.NoError(f.t, err)
	return filepath.ToSlash(name)
}

func examined(t *testing.T) *runtime.Artifact {
	a, err := runtime.Examine("g.wasm", wasmtest.Says("x"))
	require.NoError(t, err)
	return a
}

func TestNewerSource(t *testing.T) {
	for name, language := range map[string]struct{ begin, source string }{
		"go":             {"main.go", "inner/a.go"},
		"rust":           {"Cargo.toml", "src/a.rs"},
		"assemblyscript": {"asconfig.json", "assembly/a.ts"},
		"c":              {"main.c", "src/a.h"},
		"typescript":     {"src/index.ts", "src/a.ts"},
		"javascript":     {"index.js", "lib/a.mjs"},
	} {
		f := newSourceFolder(t)
		f.put("pintle.toml", -time.Minute)
		f.put(language.begin, 0)
		for _, other := range []string{"hello.wasm", "cases.json", "out.xml", "out.txt", "turn.json", "README.md", ".a.ts",
			"node_modules/a/a.js", ".git/a.c", "target/a.rs"} {
			f.put(other, time.Minute)
		}
		assert.Empty(t, f.newer(examined(t)), name)
		if name == "go" || name == "c" {
			f.put("a_test."+name, time.Minute)
		}
		assert.Empty(t, f.newer(examined(t)), name)
		f.put(language.source, time.Second)
		assert.Equal(t, language.source, f.newer(examined(t)), name)
		f.put("pintle.toml", 2*time.Second)
		assert.Equal(t, "pintle.toml", f.newer(examined(t)), name)
	}
}

// Of a module that something else compiles only pintle.toml is known.
func TestNewerSourceOfAModule(t *testing.T) {
	f := newSourceFolder(t)
	f.put("main.zig", time.Second)
	assert.Empty(t, f.newer(examined(t)))
	f.put("pintle.toml", time.Second)
	assert.Equal(t, "pintle.toml", f.newer(examined(t)))
	f.dir = filepath.Join(f.dir, "nowhere")
	assert.Empty(t, f.newer(examined(t)))
}

// What was bundled is known, whatever it is named.
func TestNewerSourceOfABundle(t *testing.T) {
	h := newJSHost(t)
	dir := jsFolder(t, map[string]string{
		"index.ts": `import words from "./words.txt"; import n from "./n.json"; import { a } from "a"; import { x } from "./x"; ` +
			`import { registerDeveloperMessageContribution as r } from "pintle"; r({ id: "c", content: words + n.n + a + x });`,
		"x.ts": "export const x = 1;", "other.ts": "", "words.txt": "words", "n.json": `{"n": 1}`, "package.json": "{}",
		"node_modules/a/package.json": `{"name": "a", "main": "a.js"}`, "node_modules/a/a.js": "export const a = 1;",
		"pintle.toml": "id = \"a\"\nversion = \"1\"\n",
	})
	file, _, err := h.build(t, dir)
	require.NoError(t, err)
	a, err := runtime.Examine("g.wasm", file)
	require.NoError(t, err)
	f := &sourceFolder{t, dir, time.Now().Add(time.Hour)}
	f.put("other.ts", time.Minute)
	f.put("cases.json", time.Minute)
	assert.Empty(t, f.newer(a))
	for i, name := range []string{"index.ts", "x.ts", "node_modules/a/a.js", "n.json", "words.txt", "package.json", "tsconfig.json", "pintle.toml"} {
		f.put(name, time.Duration(i+1)*time.Second)
		assert.Equal(t, name, f.newer(a))
	}
}

// A guest says itself what it was built from, and may have been built by anybody.
func TestSourcesThatAStrangerNames(t *testing.T) {
	top := newSourceFolder(t)
	for _, name := range []string{"secret.ts", "node_modules/above/a.js", "guest/own.ts", "guest/..ts"} {
		top.put(name, time.Minute)
	}
	f := &sourceFolder{t, filepath.Join(top.dir, "guest"), top.built}
	for name, want := range map[string]string{
		"own.ts": "own.ts", "./own.ts": "own.ts", "..ts": "..ts", "../node_modules/above/a.js": "../node_modules/above/a.js",
		"../secret.ts": "", "../guest/../secret.ts": "", "../node_modules/../secret.ts": "", filepath.ToSlash(filepath.Join(top.dir, "secret.ts")): "",
		"node_modules/../../secret.ts": "",
	} {
		text, err := json.Marshal(map[string]any{"version": 3, "mappings": "", "sources": []string{name}})
		require.NoError(t, err)
		a, err := runtime.Examine("g.wasm", bundleWithMap(t, string(text)))
		require.NoError(t, err)
		assert.Equal(t, want, f.newer(a), name)
	}
}

// bundleWithMap makes a guest whose bundle has a source map.
func bundleWithMap(t *testing.T, sourceMap string) []byte {
	t.Helper()
	section, err := abi.EncodeBundle(&abi.Bundle{Code: "1", Map: sourceMap})
	require.NoError(t, err)
	m, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	file, err := guestbuild.Attach(m.WithCustomFirst(abi.BundleSection, section), wasmtest.Manifest())
	require.NoError(t, err)
	return file
}
