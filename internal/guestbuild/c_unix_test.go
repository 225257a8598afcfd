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
)

// A machine with what a test puts there, and nothing else.
type machine struct{ bin, log string }

func newMachine(t *testing.T) machine {
	t.Helper()
	m := machine{bin: t.TempDir(), log: filepath.Join(t.TempDir(), "log")}
	t.Setenv("PATH", m.bin)
	t.Setenv("CC", "")
	return m
}

func (m machine) install(t *testing.T, name, script string) {
	t.Helper()
	script = "#!/bin/sh\nPATH=/usr/bin:/bin\n" + script
	require.NoError(t, os.WriteFile(filepath.Join(m.bin, name), []byte(script), 0o755))
}

// installClang puts a compiler there that writes down how it is called, and links by copying a module.
func (m machine) installClang(t *testing.T, name, module string) {
	t.Helper()
	m.install(t, name, `
case "$*" in
*-dM*) echo "#define __clang_major__ 17"; exit;;
*"-x c"*) exit;;
esac
echo "$0 $*" >> `+m.log+`
`+module)
}

const linksExample = `
while [ $# -gt 0 ]; do
	case "$1" in -o) out=$2;; *.c) compiles=1;; esac
	shift
done
if [ -z "$compiles" ]; then cp "$EXAMPLE" "$out"; fi
`

// example is a folder with the example guest's manifest and sources of nothing.
func example(t *testing.T, files map[string]string) string {
	t.Helper()
	source, err := filepath.Abs("../../testdata/guests/example/c")
	require.NoError(t, err)
	toml, err := os.ReadFile(filepath.Join(source, "pintle.toml"))
	require.NoError(t, err)
	t.Setenv("EXAMPLE", filepath.Join(source, "example.wasm"))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), toml, 0o644))
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func buildC(t *testing.T, dir string) error {
	t.Helper()
	_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
	return err
}

func TestCWithoutTools(t *testing.T) {
	m := newMachine(t)
	dir := example(t, map[string]string{"guest.c": ""})
	assert.EqualError(t, buildC(t, dir), "no clang was found ($CC, clang, clang-22 to clang-14); a guest in C needs clang and lld,"+
		" on Debian and Ubuntu: apt-get install clang lld")

	m.install(t, "clang", `echo "error: no target wasm32" >&2; exit 1`)
	assert.EqualError(t, buildC(t, dir), "no clang that compiles for WebAssembly was found:"+
		" clang: error: no target wasm32;"+
		" a guest in C needs clang and lld, on Debian and Ubuntu: apt-get install clang lld")

	m.install(t, "mycc", "exit 0")
	t.Setenv("CC", "mycc -v")
	assert.ErrorContains(t, buildC(t, dir), "was found: mycc -v: it is not clang; clang: error: no target wasm32;")

	m.installClang(t, "clang-15", linksExample)
	assert.EqualError(t, buildC(t, dir), "the linker wasm-ld was not found beside clang 17;"+
		" on Debian and Ubuntu: apt-get install lld")

	m.install(t, "wasm-ld-16", "")
	require.NoError(t, buildC(t, dir))
	_, err := os.Stat(filepath.Join(dir, filepath.Base(dir)+".wasm"))
	require.NoError(t, err)
}

// calls are the arguments that the compiler was called with, a line for each call.
func (m machine) calls(t *testing.T) []string {
	t.Helper()
	log, err := os.ReadFile(m.log)
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(log)), "\n")
}

func TestCSourcesAndFlags(t *testing.T) {
	m := newMachine(t)
	m.installClang(t, "mycc", linksExample)
	m.install(t, "wasm-ld", "")
	m.install(t, "wasm-ld-17", "")
	t.Setenv("CC", "mycc -DMINE")
	dir := example(t, map[string]string{
		"b.c": "", "a.c": "", "a_test.c": "", "src/c.c": "", "lib/d.c": "", "pintle/own.c": "",
	})
	require.NoError(t, buildC(t, dir))
	calls := m.calls(t)
	require.Len(t, calls, 5)
	for i, source := range []string{"a.c", "b.c", "src/c.c", "pintle/own.c"} {
		assert.True(t, strings.HasSuffix(calls[i], " "+filepath.Join(dir, source)), "%s: %s", source, calls[i])
		assert.Contains(t, calls[i], "mycc -DMINE --target=wasm32 ")
		assert.Contains(t, calls[i], " -ffreestanding ")
		assert.Contains(t, calls[i], " -I"+filepath.Join(dir, "pintle")+" ", "the project's SDK")
	}
	link := calls[4]
	assert.Contains(t, link, "-fuse-ld="+filepath.Join(m.bin, "wasm-ld-17"), "of the compiler's version")
	assert.Contains(t, link, "stack-size=65536 -Wl,--stack-first -Wl,--strip-debug")
	assert.NotContains(t, link, " -O", "clang would run wasm-opt")
}

// A header of the C library turns the build into one with the library, one that nobody knows does not.
func TestCHeaders(t *testing.T) {
	m := newMachine(t)
	m.install(t, "wasm-ld", "")
	missing := func(header string) string {
		return `
case "$*" in
*wasm32-wasi*) ;;
*) echo "guest.c:1:10: fatal error: '` + header + `' file not found" >&2; exit 1;;
esac
` + linksExample
	}
	m.installClang(t, "clang", missing("string.h"))
	dir := example(t, map[string]string{"guest.c": ""})
	require.NoError(t, buildC(t, dir))
	calls := m.calls(t)
	assert.NotContains(t, calls[1], "-ffreestanding")
	assert.Contains(t, calls[len(calls)-1], "-mexec-model=reactor")
	assert.NotContains(t, calls[len(calls)-1], "-nostdlib")

	m.installClang(t, "clang", missing("mine.h"))
	assert.ErrorContains(t, buildC(t, dir), "'mine.h' file not found")

	m.installClang(t, "clang", `echo "guest.c:1:10: fatal error: 'stdio.h' file not found" >&2; exit 1`)
	assert.ErrorContains(t, buildC(t, dir), "the guest includes <stdio.h>, which is a header of wasi-libc; on Debian and Ubuntu:"+
		" apt-get install wasi-libc libclang-rt-17-dev-wasm32")

	m.installClang(t, "clang", `echo "error: unable to execute wasm-opt" >&2; exit 1`)
	assert.ErrorContains(t, buildC(t, dir), "take it off the PATH")
}
