//go:build unix

package guestbuild_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

const (
	ascToml  = "id = \"a/b\"\nversion = \"1\"\n[[contributions]]\nid = \"hi\"\n"
	faultsAS = "../../testdata/guests/faults/assemblyscript"
)

func ascProject(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "over", "guest")
	ascFile(t, filepath.Join(dir, "pintle.toml"), ascToml)
	ascFile(t, filepath.Join(dir, "assembly", "index.ts"), `export * from "pintle/exports/message";`)
	return dir
}

func ascFile(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o755)) //nolint:gosec // some are scripts
}

func TestAssemblyScriptIsFoundByItsFiles(t *testing.T) {
	dir := ascProject(t)
	name, err := guestbuild.LanguageOf(dir)
	require.NoError(t, err)
	assert.Equal(t, "assemblyscript", name)
	// A package.json beside it does not make it TypeScript.
	ascFile(t, filepath.Join(dir, "package.json"), "{}")
	name, err = guestbuild.LanguageOf(dir)
	require.NoError(t, err)
	assert.Equal(t, "assemblyscript", name)
}

func TestAssemblyScriptWithoutItsTools(t *testing.T) {
	dir, path := ascProject(t), t.TempDir()
	t.Setenv("PATH", path)
	build := func() string {
		_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
		require.Error(t, err)
		return err.Error()
	}
	said := build()
	assert.Contains(t, said, "no AssemblyScript compiler was found in "+dir+", in the folders above it, or on the PATH: run npm install --save-dev assemblyscript")
	assert.Contains(t, said, "Node")
	ascFile(t, filepath.Join(path, "asc"), "#!/bin/sh\nexit 7\n")
	said = build()
	assert.Contains(t, said, "node was not found on the PATH, and runs the AssemblyScript compiler "+filepath.Join(path, "asc"))
	assert.Contains(t, said, "npm install --save-dev assemblyscript")

	ascFile(t, filepath.Join(path, "node"), "#!/bin/sh\nexit 8\n")
	assert.Contains(t, build(), "asc: exit status 7")

	// The project's compiler, or that of a folder above, comes before the one on the PATH.
	ascFile(t, filepath.Join(dir, "..", "node_modules", "assemblyscript", "bin", "asc.js"), "")
	assert.Contains(t, build(), "asc: exit status 8")
}

// A script in the place of Node stands for the compiler: it keeps its arguments and copies a module that is
// already compiled.
func TestAssemblyScriptCompilerIsTold(t *testing.T) {
	dir, path := ascProject(t), t.TempDir()
	script := filepath.Join(dir, "node_modules", "assemblyscript", "bin", "asc.js")
	ascFile(t, script, "")
	module, err := filepath.Abs(filepath.Join(faultsAS, "faults.wasm"))
	require.NoError(t, err)
	ascFile(t, filepath.Join(path, "node"), `#!/bin/sh
PATH=/usr/bin:/bin
pwd > "$TMPDIR/told"
for word; do echo "$word" >> "$TMPDIR/told"; [ "$last" = --outFile ] && out=$word; [ "$last" = --path ] && packages=$word; last=$word; done
[ -f "$packages/pintle/package.json" ] && [ -f "$packages/pintle/exports/message.ts" ] && [ -f "$packages/pintle/internal/panic.ts" ] || exit 9
echo "a warning" >&2
{ cat "`+module+`"; printf '\000\012\011sourceMap\000\006\005other'; } > "$out"
`)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	t.Setenv("PATH", path)
	build := func() []string {
		var said strings.Builder
		out, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Stderr: &said})
		require.NoError(t, err)
		assert.Equal(t, "a warning\n", said.String())
		file, err := os.ReadFile(out)
		require.NoError(t, err)
		m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
		require.NoError(t, err)
		var custom []string
		for _, s := range m.Sections {
			if s.Custom() {
				custom = append(custom, s.Name)
			}
		}
		assert.Equal(t, []string{"pintle.manifest", "name"}, custom)
		told, err := os.ReadFile(filepath.Join(tmp, "told"))
		require.NoError(t, err)
		return strings.Split(strings.TrimSpace(string(told)), "\n")
	}
	told := build()
	require.Len(t, told, 15)
	assert.Equal(t, []string{"--enable-source-maps", script, "assembly/index.ts", "--outFile"}, told[1:5])
	assert.Equal(t, []string{"-O3", "--debug", "--runtime", "incremental", "--use", "abort=~lib/pintle/internal/panic/abort", "--path"}, told[6:13])
	left, err := filepath.Glob(filepath.Join(tmp, "pintle-build-*"))
	require.NoError(t, err)
	assert.Empty(t, left)

	// With a copy of the SDK in the project that one is taken.
	ascFile(t, filepath.Join(dir, "pintle", "package.json"), "{}")
	ascFile(t, filepath.Join(dir, "pintle", "exports", "message.ts"), "")
	ascFile(t, filepath.Join(dir, "pintle", "internal", "panic.ts"), "")
	told = build()
	assert.Equal(t, ".", told[13])
}
