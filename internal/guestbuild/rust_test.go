package guestbuild

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// building makes a compiler that writes a finished module wherever it is told to write, notes where it ran with
// what, and complains a little.
func (f *fake) building() (compiler, log string) {
	module, err := filepath.Abs("../../testdata/guests/faults/rust/faults.wasm")
	require.NoError(f.t, err)
	log = filepath.Join(f.home, "log")
	libraries := f.rustc("lib/rustc", "1.63.0", "core", "std")
	compiler = f.program("bin/rustc", `case "$*" in --version|--print*) exec `+libraries+` "$@";; esac
echo "$CARGO_PKG_NAME $CARGO_PKG_VERSION in $PWD: $*" >> `+log+`
[ -f src/call.rs ] && echo the SDK >> `+log+`
echo "warning: unused" >&2
while [ "$1" != "-o" ]; do shift; done
/bin/cp `+module+` "$2"`)
	return compiler, log
}

// crateDir is the project of a guest in Rust with the offers of the one that fails.
func (f *fake) crateDir(cargo string) string {
	dir := filepath.Join(f.home, "work/my-guest")
	require.NoError(f.t, os.MkdirAll(filepath.Join(dir, "src"), 0o700))
	manifest, err := os.ReadFile("../../testdata/guests/faults/rust/pintle.toml")
	require.NoError(f.t, err)
	for name, text := range map[string]string{"src/lib.rs": "", "Cargo.toml": cargo, ManifestFile: string(manifest)} {
		require.NoError(f.t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

const simpleCargo = "[package]\nname = \"my-guest\"\nversion = \"1.2.3\"\nedition = \"2021\"\n[dependencies]\npintle = { path = \"pintle\" }\n"

func TestRustBuildWithoutCargo(t *testing.T) {
	f := newFake(t)
	compiler, log := f.building()
	t.Setenv("RUSTC", compiler)
	dir := f.crateDir(simpleCargo)
	var said bytes.Buffer
	out, a, err := Build(t.Context(), Options{Dir: dir, Stderr: &said})
	require.NoError(t, err)
	assert.Equal(t, "faults/rust", a.Manifest.ID)
	assert.FileExists(t, out)
	assert.Equal(t, "warning: unused\nwarning: unused\n", said.String())

	lines := readLines(t, log)
	assert.Contains(t, lines[0], "/pintle: --crate-name pintle --crate-type rlib --edition 2021")
	require.Len(t, lines, 3)
	assert.Equal(t, "the SDK", lines[1], "the command's own")
	last := lines[2]
	assert.Contains(t, last, "my-guest 1.2.3 in "+dir+": --crate-name my_guest --crate-type cdylib --edition 2021 --extern pintle=")
	assert.Contains(t, last, "src/lib.rs -C lto -C strip=debuginfo -C link-arg=-zstack-size=65536 --target wasm32-unknown-unknown -C opt-level=s")

	// The project's copy of the SDK goes first.
	own := filepath.Join(dir, "pintle/src")
	require.NoError(t, os.MkdirAll(own, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(own, "lib.rs"), nil, 0o600))
	require.NoError(t, os.Remove(log))
	_, _, err = Build(t.Context(), Options{Dir: dir})
	require.NoError(t, err)
	assert.Contains(t, readLines(t, log)[0], " in "+filepath.Join(dir, "pintle")+": ")
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestRustBuildFails(t *testing.T) {
	f := newFake(t)
	dir := f.crateDir(simpleCargo)
	libraries := f.rustc("lib/rustc", "1.63.0", "core", "std")
	for said, want := range map[string]string{
		"error[E0308]: mismatched types":       "rustc: exit status 1\nerror[E0308]: mismatched types",
		"error: linker `rust-lld` not found":   "apt-get install lld-14",
		"error: there is no edition 2027 here": "rustc: exit status 1\nerror: there is no edition 2027 here",
	} {
		t.Setenv("RUSTC", f.program("bin/rustc", `case "$*" in --version|--print*) exec `+libraries+` "$@";; esac
echo '`+said+`' >&2; exit 1`))
		_, _, err := Build(t.Context(), Options{Dir: dir})
		require.ErrorContains(t, err, want)
		assert.NoFileExists(t, filepath.Join(dir, "my-guest.wasm"))
	}
}

const cargoWithMore = simpleCargo + "serde = \"1\"\n"

func TestRustBuildByCargo(t *testing.T) {
	f := newFake(t)
	compiler, log := f.building()
	t.Setenv("RUSTC", compiler)
	t.Setenv("RUSTFLAGS", "-C debuginfo=0")
	dir := f.crateDir(cargoWithMore)
	_, _, err := Build(t.Context(), Options{Dir: dir})
	require.EqualError(t, err, "cargo is needed because it depends on serde, and it is neither beside "+compiler+
		" nor on the PATH; on Debian and Ubuntu: apt-get install cargo")

	f.program("other/cargo", "echo this one is not taken >&2; exit 1")
	f.path("other")
	f.program("bin/cargo", `echo "$RUSTC in $PWD: $* with $RUSTFLAGS" >> `+log+`
$RUSTC -o `+f.home+`/my_guest.wasm
echo '{"reason":"compiler-artifact","target":{"name":"serde"},"filenames":["/x/libserde.rlib"]}'
echo '{"reason":"compiler-artifact","target":{"name":"my-guest"},"filenames":["`+f.home+`/my_guest.wasm"]}'
echo '{"reason":"build-finished","success":true}'`)
	out, _, err := Build(t.Context(), Options{Dir: dir})
	require.NoError(t, err)
	assert.FileExists(t, out)
	first := readLines(t, log)[0]
	assert.True(t, strings.HasPrefix(first, compiler+" in "+dir+": build --lib --release --target wasm32-unknown-unknown --message-format json-render-diagnostics"), first)
	assert.Contains(t, first, "with -C debuginfo=0 -C target-feature=+bulk-memory -C link-arg=-zstack-size=65536 --remap-path-prefix="+dir+"/=")
}

func TestRustBuildByCargoFails(t *testing.T) {
	f := newFake(t)
	compiler, _ := f.building()
	t.Setenv("RUSTC", compiler)
	dir := f.crateDir(cargoWithMore)
	for script, want := range map[string]string{
		"echo 'error: no matching package named `serde` found' >&2; exit 101":                                                   "cargo: exit status 101\nerror: no matching package named `serde` found\n(cargo builds it because it depends on serde)",
		"echo 'error: failed to run `rustc` to learn about target-specific information' >&2; exit 101":                          "this cargo is of another release than " + compiler,
		`echo '{"reason":"compiler-artifact","target":{"name":"my-guest"},"filenames":["/x/libmy_guest.rlib"]}'; echo not JSON`: `Cargo.toml needs crate-type = ["cdylib"] under [lib]`,
	} {
		f.program("bin/cargo", script)
		_, _, err := Build(t.Context(), Options{Dir: dir})
		require.ErrorContains(t, err, want)
	}
}
