package guestbuild

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The versions of clang that are looked for under a name of their own.
const oldestClang, newestClang = 14, 22

// clangTools are what compiles and links C for WebAssembly.
type clangTools struct {
	compiler []string // a program and its first arguments
	linker   string
	version  string // the major version
}

func (t clangTools) command(ctx context.Context, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, t.compiler[0], slices.Concat(t.compiler[1:], args)...)
}

// findClang takes the first compiler that can compile for WebAssembly: $CC, clang, and those with a version in
// their names.
func findClang(ctx context.Context) (clangTools, error) {
	candidates := [][]string{{"clang"}}
	if cc := strings.Fields(os.Getenv("CC")); len(cc) > 0 {
		candidates = slices.Insert(candidates, 0, cc)
	}
	for v := newestClang; v >= oldestClang; v-- {
		candidates = append(candidates, []string{"clang-" + strconv.Itoa(v)})
	}
	var refused []string
	for _, compiler := range candidates {
		path, err := exec.LookPath(compiler[0])
		if err != nil {
			continue
		}
		t := clangTools{compiler: slices.Concat([]string{path}, compiler[1:])}
		if why := t.probe(ctx); why != "" {
			refused = append(refused, fmt.Sprintf("%s: %s", strings.Join(compiler, " "), why))
			continue
		}
		t.linker, err = findLinker(path, t.version)
		return t, err
	}
	if err := ctx.Err(); err != nil {
		return clangTools{}, err
	}
	what := fmt.Sprintf("no clang was found ($CC, clang, clang-%d to clang-%d)", newestClang, oldestClang)
	if len(refused) > 0 {
		what = "no clang that compiles for WebAssembly was found: " + strings.Join(refused, "; ")
	}
	return clangTools{}, fmt.Errorf("%s; a guest in C needs clang and lld,"+
		" on Debian and Ubuntu: apt-get install clang lld", what)
}

var clangVersion = regexp.MustCompile(`__clang_major__ +(\d+)`)

// probe has the compiler say its version as it compiles nothing for WebAssembly. It returns why it cannot.
func (t *clangTools) probe(ctx context.Context) string {
	cmd := t.command(ctx, "--target=wasm32", "-x", "c", "-c", "-o", os.DevNull, "-")
	if out, err := cmd.CombinedOutput(); err != nil {
		return firstLine(out, err)
	}
	cmd = t.command(ctx, "--target=wasm32", "-x", "c", "-E", "-dM", "-")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return firstLine(out, err)
	}
	found := clangVersion.FindSubmatch(out)
	if found == nil {
		return "it is not clang"
	}
	t.version = string(found[1])
	return ""
}

func firstLine(said []byte, err error) string {
	if line, _, _ := bytes.Cut(bytes.TrimSpace(said), []byte("\n")); len(line) > 0 {
		return string(line)
	}
	return err.Error()
}

// findLinker looks for the linker on the PATH and beside the compiler, of the compiler's version first.
func findLinker(compiler, version string) (string, error) {
	if real, err := filepath.EvalSymlinks(compiler); err == nil {
		compiler = real
	}
	names := []string{"wasm-ld-" + version, filepath.Join(filepath.Dir(compiler), "wasm-ld"), "wasm-ld"}
	for v := newestClang; v >= oldestClang; v-- {
		names = append(names, "wasm-ld-"+strconv.Itoa(v))
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("the linker wasm-ld was not found beside clang %s;"+
		" on Debian and Ubuntu: apt-get install lld", version)
}

// A missingHeader is a header that no folder has.
type missingHeader struct{ name, text string }

func (e *missingHeader) Error() string { return e.text }

var notFound = regexp.MustCompile(`fatal error: '([\w./]+)' file not found`)

func headerNotFound(said string) (name string, ok bool) {
	found := notFound.FindStringSubmatch(said)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// libraryHeaders are those of the C library that its folder sys does not have.
var libraryHeaders = []string{"assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "inttypes.h", "locale.h",
	"math.h", "memory.h", "regex.h", "search.h", "setjmp.h", "signal.h", "stdio.h", "stdlib.h", "string.h", "strings.h",
	"tgmath.h", "time.h", "uchar.h", "unistd.h", "wchar.h", "wctype.h"}

// isLibraryHeader tells the headers of the C library from those that authors forgot.
func isLibraryHeader(name string) bool {
	return slices.Contains(libraryHeaders, name) || strings.HasPrefix(name, "sys/")
}
