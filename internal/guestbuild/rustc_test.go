package guestbuild

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A fake is a machine with compilers that say what they are told to say.
type fake struct {
	t    *testing.T
	home string
}

// newFake makes a machine without compilers.
func newFake(t *testing.T) *fake {
	f := &fake{t, t.TempDir()}
	for _, name := range []string{"RUSTC", "RUSTUP_HOME", "PATH"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", f.home)
	return f
}

// program writes a program for the shell into a folder of the machine.
func (f *fake) program(path, script string) string {
	f.t.Helper()
	path = filepath.Join(f.home, path)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(f.t, os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700))
	return path
}

// rustc writes a compiler of a version that has some of the target's libraries.
func (f *fake) rustc(path, version string, libraries ...string) string {
	f.t.Helper()
	folder := filepath.Join(f.home, "lib", path)
	require.NoError(f.t, os.MkdirAll(folder, 0o700))
	for _, name := range libraries {
		require.NoError(f.t, os.WriteFile(filepath.Join(folder, "lib"+name+"-0123.rlib"), nil, 0o600))
	}
	return f.program(path, fmt.Sprintf(`[ "$*" = "--version" ] && echo "rustc %s" || echo "%s"`, version, folder))
}

func (f *fake) path(folders ...string) {
	for i := range folders {
		folders[i] = filepath.Join(f.home, folders[i])
	}
	f.t.Setenv("PATH", strings.Join(folders, string(filepath.ListSeparator)))
}

func TestFindRustc(t *testing.T) {
	t.Run("one on the PATH lacks the target", func(t *testing.T) {
		f := newFake(t)
		f.rustc("first/rustc", "1.95.0 (5980 2026-04-14)")
		want := f.rustc("second/rustc", "1.63.0", "core", "std")
		f.path("first", "second")
		got, err := findRustc(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
	t.Run("the chosen one goes first", func(t *testing.T) {
		f := newFake(t)
		f.rustc("first/rustc", "1.63.0", "core", "std")
		want := f.rustc("mine/rustc-nightly", "1.99.0-nightly (0123 2027-01-01)", "core", "std")
		f.path("first")
		t.Setenv("RUSTC", want)
		got, err := findRustc(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
	t.Run("a toolchain of rustup", func(t *testing.T) {
		f := newFake(t)
		f.rustc(".cargo/bin/rustc", "1.95.0", "core")
		f.rustc(".rustup/toolchains/nightly/bin/rustc", "1.97.0")
		want := f.rustc(".rustup/toolchains/stable/bin/rustc", "1.95.0", "core", "std")
		got, err := findRustc(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, want, got)

		require.NoError(t, os.Rename(filepath.Join(f.home, ".rustup"), filepath.Join(f.home, "elsewhere")))
		_, err = findRustc(t.Context(), nil)
		require.Error(t, err)
		t.Setenv("RUSTUP_HOME", filepath.Join(f.home, "elsewhere"))
		got, err = findRustc(t.Context(), nil)
		require.NoError(t, err)
		assert.Equal(t, filepath.Join(f.home, "elsewhere/toolchains/stable/bin/rustc"), got)
	})
	t.Run("of the system", func(t *testing.T) {
		f := newFake(t)
		want := f.rustc("system/rustc", "1.70.0", "core", "std")
		got, err := findRustc(t.Context(), []string{filepath.Join(f.home, "system")})
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

func TestFindRustcSaysWhatIsMissing(t *testing.T) {
	const install = "rustup target add wasm32-unknown-unknown, or on Debian and Ubuntu: apt-get install rustc libstd-rust-dev-wasm32 lld-14"
	t.Run("nothing", func(t *testing.T) {
		newFake(t)
		_, err := findRustc(t.Context(), nil)
		require.EqualError(t, err, "no rustc was found ($RUSTC, the PATH, ~/.rustup); a guest in Rust needs rustc 1.63 or newer with the target wasm32-unknown-unknown: "+install)
	})
	t.Run("none that does", func(t *testing.T) {
		f := newFake(t)
		f.rustc("a/rustc", "1.95.0 (5980)", "core")
		f.rustc("b/rustc", "1.62.1", "core", "std")
		f.program("c/rustc", "echo no toolchain is installed >&2; exit 1")
		f.program("d/rustc", "echo gcc 12")
		f.program("e/rustc", `[ "$*" = "--version" ] && echo "rustc 1.70.0" || exit 1`)
		require.NoError(t, os.Symlink(filepath.Join(f.home, "a/rustc"), filepath.Join(f.home, "b/again")))
		f.path("a", "b", "c", "d", "e", "a")
		_, err := findRustc(t.Context(), nil)
		require.Error(t, err)
		lines := strings.Split(err.Error(), "\n")
		require.Len(t, lines, 6, err.Error())
		assert.Equal(t, "no rustc was found that compiles for wasm32-unknown-unknown:", lines[0])
		for i, want := range []string{
			"a/rustc: rustc 1.95.0 (5980) has no library std for the target in " + filepath.Join(f.home, "lib/a/rustc"),
			"b/rustc: rustc 1.62.1 is too old",
			"c/rustc: no toolchain is installed",
			`d/rustc: says that it is "gcc 12"`,
			"e/rustc: rustc 1.70.0 does not know the target; a guest in Rust needs",
		} {
			assert.Contains(t, lines[i+1], "  "+filepath.Join(f.home, want[:len("a/rustc")])+want[len("a/rustc"):])
		}
		assert.True(t, strings.HasSuffix(err.Error(), install), err)
	})
}

func TestReadCrate(t *testing.T) {
	const head = "[package]\nname = \"my-guest\"\nversion = \"1.2.3\"\n"
	plain := crate{pkg: "my-guest", version: "1.2.3", name: "my_guest", edition: "2021", source: "src/lib.rs"}
	for text, want := range map[string]crate{
		head + "edition = \"2021\"\n[dependencies]\npintle = { path = \"pintle\" }\n[dev-dependencies]\nrand = \"1\"": plain,
		head: {pkg: "my-guest", version: "1.2.3", name: "my_guest", edition: "2015", source: "src/lib.rs"},
		head + "edition = \"2018\"\n[lib]\nname = \"other\"\npath = \"guest.rs\"\ncrate-type = [\"cdylib\"]": {
			pkg: "my-guest", version: "1.2.3", name: "other", edition: "2018", source: "guest.rs"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "src"), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "src/lib.rs"), nil, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(text), 0o600))
		got, err := readCrate(dir)
		require.NoError(t, err)
		assert.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"edition = \"2021\"\n[dependencies]\npintle = \"1\"\nserde = { version = \"1\" }": "it depends on serde",
		"edition.workspace = true":                               "its edition is that of a workspace",
		"build = \"make.rs\"":                                    "it has a build script",
		"[build-dependencies]\ncc = \"1\"":                       "it has a build script",
		"[features]\nloud = []":                                  "it has features",
		"[target.'cfg(windows)'.dependencies]\nwinapi = \"0.3\"": "it has dependencies for certain targets",
	} {
		var c crate
		require.NoError(t, c.read([]byte(head+text)), text)
		assert.Equal(t, want, c.cargo, text)
	}

	dir := filepath.Join(t.TempDir(), "7 seas")
	require.NoError(t, os.Mkdir(dir, 0o700))
	got, err := readCrate(dir)
	require.NoError(t, err)
	assert.Equal(t, crate{pkg: "7 seas", version: "0.0.0", name: "_7_seas", edition: "2021", source: "lib.rs"}, got, "without Cargo.toml")
	for text, want := range map[string]string{"[package": "Cargo.toml: toml:", "[workspace]": "it has no [package] with a name"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(text), 0o600))
		_, err = readCrate(dir)
		require.ErrorContains(t, err, want)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "Cargo.toml"), []byte(head), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "build.rs"), nil, 0o600))
	got, err = readCrate(dir)
	require.NoError(t, err)
	assert.Equal(t, "it has a build script", got.cargo)
}
