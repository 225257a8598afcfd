//go:build toolchains

package guestbuild_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/templates"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/guesttrace"
	"github.com/pintle-wasm/pintle/runtime"
)

const cToml = `id = "test/c"
version = "1"

[[contributions]]
id = "c"
needs = ["prompt"]
`

// cProject is a folder with a guest that has one contribution.
func cProject(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	files["pintle.toml"] = cToml
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

// compiled builds a project and returns its file, and what the compiler said.
func compiled(t *testing.T, dir string) (file []byte, said string) {
	t.Helper()
	var messages bytes.Buffer
	path, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir, Stderr: &messages})
	require.NoError(t, err)
	file, err = os.ReadFile(path)
	require.NoError(t, err)
	return file, messages.String()
}

// renderIn asks a guest's contribution c for its text.
func renderIn(t *testing.T, file []byte, prompt string) (string, error) {
	t.Helper()
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	g, err := r.Load(t.Context(), "c", file, runtime.GuestOptions{})
	require.NoError(t, err)
	request, err := abi.Encode(map[string]any{"id": "c", "features": 0, "prompt": prompt})
	require.NoError(t, err)
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: request})
	if err != nil {
		return "", err
	}
	return abi.Text(value)
}

func TestCBuild(t *testing.T) {
	files := map[string]string{
		"guest.c": `#include "pintle.h"
#include "more.h"
static pintle_answer render(const pintle_context *c) {
    int unused;
    if (c->prompt.len == 0) pintle_panic("nothing in %s", __FILE__);
    return pintle_say(more(c->prompt));
}
PINTLE_CONTRIBUTIONS({"c", render});
`,
		"more.h": "#include \"pintle.h\"\npintle_text more(pintle_text t);\n",
		"src/more.c": `#include "../more.h"
pintle_text more(pintle_text t) {
    pintle_builder b = {0};
    pintle_format(&b, "more: %.*s", PINTLE_ARG(t));
    return pintle_built(&b);
}
`,
		"guest_test.c": "#error this is for the author's machine",
	}
	dir := cProject(t, files)
	file, said := compiled(t, dir)
	assert.Contains(t, said, filepath.Join(dir, "guest.c")+":4:9: warning: unused variable 'unused'")
	again, _ := compiled(t, cProject(t, files)+"/")
	assert.True(t, bytes.Equal(file, again), "the folder's name is in the file")
	assert.Less(t, len(file), 12<<10)

	text, err := renderIn(t, file, "hi")
	require.NoError(t, err)
	assert.Equal(t, "more: hi", text)
	_, err = renderIn(t, file, "")
	var failed *runtime.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, runtime.KindTrap, failed.Kind)
	assert.Equal(t, "panic: nothing in guest.c (guest.c:5)", failed.Reason)
	assert.Contains(t, failed.Trace[2], "render")
}

func TestCWithTheLibrary(t *testing.T) {
	file, _ := compiled(t, cProject(t, map[string]string{"guest.c": `#include "pintle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <assert.h>

// Memory of the library and of the SDK by turns, so that neither may take the other's.
static pintle_answer render(const pintle_context *c) {
    enum { N = 64 };
    char *mine[N], *theirs[N];
    assert(c->prompt.len > 0);
    for (int i = 0; i < N; i++) {
        size_t size = (size_t)(i + 1) * 700;
        theirs[i] = malloc(size);
        mine[i] = pintle_new(size);
        memset(theirs[i], 't', size);
        memset(mine[i], 'm', size);
    }
    for (int i = 0; i < N; i++) {
        size_t size = (size_t)(i + 1) * 700;
        for (size_t j = 0; j < size; j++)
            if (theirs[i][j] != 't' || mine[i][j] != 'm') pintle_panic("memory is shared");
        free(theirs[i]);
    }
    char text[64];
    int n = snprintf(text, sizeof text, "%.*s %5.2f", PINTLE_ARG(c->prompt), 1.5);
    fprintf(stderr, "to the log\n");
    char *copy = pintle_new((size_t)n);
    memcpy(copy, text, (size_t)n);
    return pintle_say((pintle_text){copy, (size_t)n});
}
PINTLE_CONTRIBUTIONS({"c", render});
`}))
	text, err := renderIn(t, file, "hi")
	require.NoError(t, err)
	assert.Equal(t, "hi  1.50", text)
	_, err = renderIn(t, file, "")
	require.ErrorContains(t, err, "Assertion failed: c->prompt.len > 0 (guest.c: render: 11)")
}

// An instance that goes on from call to call does not grow with them, also if its memory is not in one piece.
// A stack that is full is told as what it is, with the functions that filled it.
func TestCStackIsFull(t *testing.T) {
	file, _ := compiled(t, cProject(t, map[string]string{"guest.c": `#include "pintle.h"

static int deep(volatile char *above, int n) {
    volatile char mine[500];
    mine[n % 500] = above[n % 3];
    return (n < 0 ? 0 : deep(mine, n + 1)) + mine[n % 7];
}

static pintle_answer render(const pintle_context *c) {
    volatile char first[3] = {1, 2, 3};
    return deep(first, (int)c->prompt.len) ? pintle_say(c->prompt) : pintle_nothing();
}
PINTLE_CONTRIBUTIONS({"c", render});
`}))
	_, err := renderIn(t, file, "hi")
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, "stack overflow: the stack in its memory is full: out of bounds memory access", e.Reason)
	assert.Regexp(t, `^at deep ×\d+`, guesttrace.Lines(e.Trace, 8)[0])
}

// With the C library and without it, constructors run before the first call and not in front of each operation.
func TestCConstructorsRunOnce(t *testing.T) {
	for _, library := range []string{"", "#include <stdio.h>\n"} {
		file, _ := compiled(t, cProject(t, map[string]string{"main.c": library + `#include "pintle.h"
static volatile int runs;
__attribute__((constructor)) static void begin(void) { runs++; }
static pintle_answer c(const pintle_context *in) {
    pintle_builder text = {0};
    pintle_format(&text, "%d", runs);
    return pintle_say(pintle_built(&text));
}
PINTLE_CONTRIBUTIONS({"c", c});
`}))
		for _, prompt := range []string{"", strings.Repeat("long ", 50_000)} { // a larger request is one operation more
			text, err := renderIn(t, file, prompt)
			require.NoError(t, err)
			assert.Equal(t, "1", text, "%q", library)
		}
	}
}

func TestCSession(t *testing.T) {
	dir := cProject(t, map[string]string{"guest.c": `#include "pintle.h"
#include <stdlib.h>
#include <string.h>

static unsigned calls;

static pintle_answer render(const pintle_context *c) {
    calls++;
    for (int i = 0; i < 10; i++) {
        char *theirs = malloc(20000); // kept
        memset(theirs, 1, 20000);
        memset(pintle_new(100000), 2, 100000);
    }
    pintle_text before = pintle_kv_get(PINTLE_TEXT("calls"));
    pintle_builder b = {0};
    pintle_format(&b, "%u %.*s", calls, PINTLE_ARG(before));
    if (pintle_kv_set(PINTLE_TEXT("calls"), pintle_built(&b)) != PINTLE_KV_OK) pintle_panic("no room");
    return pintle_say(pintle_built(&b));
}
PINTLE_CONTRIBUTIONS({"c", render});
`})
	toml := "state = \"session\"\n" + cToml + "[[capabilities]]\nname = \"kv\"\nreason = \"counts\"\n[limits]\nmemory = \"24MiB\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "pintle.toml"), []byte(toml), 0o644))
	file, _ := compiled(t, dir)
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	g, err := r.Load(t.Context(), "c", file, runtime.GuestOptions{Grants: []string{"kv"}})
	require.NoError(t, err)
	want := ""
	for range 50 {
		request, err := abi.Encode(map[string]any{"id": "c", "features": 0, "prompt": want}) // which grows
		require.NoError(t, err)
		value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: "s", Request: request})
		require.NoError(t, err)
		text, err := abi.Text(value)
		require.NoError(t, err)
		count, before, _ := strings.Cut(text, " ")
		assert.NotEmpty(t, count)
		assert.Equal(t, want, before)
		want = text
	}
	assert.True(t, strings.HasPrefix(want, "50 49 48 "), want)
}

// Of two contributions' tables, of a wrong function and of a wrong number of them the compiler speaks.
func TestCMistakes(t *testing.T) {
	const declared = "#include \"pintle.h\"\nstatic pintle_answer f(const pintle_context *c) "
	for mistake, want := range map[string]string{
		declared + `{ return c; } PINTLE_CONTRIBUTIONS({"c", f});`:                     "guest.c:2:",
		declared + `; PINTLE_CONTRIBUTIONS({"c", f}); PINTLE_CONTRIBUTIONS({"d", f});`: "redefinition",
		declared + `; static int g(void); PINTLE_CONTRIBUTIONS({"c", f}, {"d", g});`:   "incompatible function pointer types",
		declared + `; PINTLE_ADAPTERS_V1({"c", f});`:                                   "incompatible function pointer types",
		declared + `{ return nowhere(c); } PINTLE_CONTRIBUTIONS({"c", f});`:            "nowhere",
		`#include "mine.h"`: "'mine.h' file not found",
		"#include \"pintle.h\"\npintle_answer away(const pintle_context *c); PINTLE_CONTRIBUTIONS({\"c\", away});": "guest.c: undefined symbol: away",
	} {
		dir := cProject(t, map[string]string{"guest.c": mistake})
		_, _, err := guestbuild.Build(t.Context(), guestbuild.Options{Dir: dir})
		assert.ErrorContains(t, err, want)
	}
}

// What `pintle new` writes can be built as it stands, and passes the cases beside it.
func TestCTemplates(t *testing.T) {
	for _, kind := range templates.Kinds() {
		files, err := templates.Of("c", kind)
		require.NoError(t, err)
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, files))
		names, err := filepath.Glob(filepath.Join(dir, "*"))
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(name, bytes.ReplaceAll(text, []byte("{{name}}"), []byte("style-2")), 0o644))
		}
		file, said := compiled(t, dir)
		assert.Empty(t, said)
		cases, err := os.ReadFile(filepath.Join(dir, guestbuild.CasesFile))
		require.NoError(t, err)
		suite, err := guesttest.Parse(guestbuild.CasesFile, cases)
		require.NoError(t, err)
		r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
		runner := guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
			return r.Load(ctx, kind, file, runtime.GuestOptions{Config: config})
		}}
		for _, c := range suite.Cases {
			result := runner.Run(t.Context(), c)
			assert.True(t, result.Passed, "%s: %s\n%s", c.Name, result.Fault, strings.Join(result.Diff, "\n"))
		}
		require.NoError(t, runner.Close(t.Context()))
		require.NoError(t, r.Close(t.Context()))
	}
}

// A wasm-opt on the PATH has no part in it: clang 14 would run one of another version, and fail.
func TestCWithWasmOptAround(t *testing.T) {
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "wasm-opt"), []byte("#!/bin/sh\nexit 1\n"), 0o755))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	compiled(t, cProject(t, map[string]string{"guest.c": `#include "pintle.h"
static pintle_answer render(const pintle_context *c) { return pintle_say(c->prompt); }
PINTLE_CONTRIBUTIONS({"c", render});
`}))
}
