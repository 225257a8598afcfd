package guestbuild_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
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
	f.put("package.json", time.Minute)
	f.put("cases.json", time.Minute)
	assert.Empty(t, f.newer(a))
	for i, name := range []string{"index.ts", "x.ts", "node_modules/a/a.js", "n.json", "words.txt", "pintle.toml"} {
		f.put(name, time.Duration(i+1)*time.Second)
		assert.Equal(t, name, f.newer(a))
	}
}
