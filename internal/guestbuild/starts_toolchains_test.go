//go:build toolchains && unix

package guestbuild_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guesttrace"
	"github.com/pintle-wasm/pintle/runtime"
)

// starting are guests that call boom before anybody asks them, in the languages that have a place for that and are
// compiled. %s is what it does. One that does not call itself asc puts into what calls it, and one
// that only throws in any case: its place is in the reason.
var starting = map[string]struct{ file, text, throw, place, loop string }{
	"c": {"main.c", `#include "pintle.h"
static volatile int turns = 1;
__attribute__((noinline)) static void boom(void) { %s }
__attribute__((constructor)) static void begin(void) { boom(); }
static pintle_answer c(const pintle_context *in) { return pintle_nothing(); }
PINTLE_CONTRIBUTIONS({"c", c});
`, `pintle_panic("no tide today");`, " (main.c:3)", `while (turns) turns |= 1;`},
	"go": {"main.go", `package main

import "github.com/pintle-wasm/pintle/guests/sdk/go/message"

var turns = 1

//go:noinline
func boom() { %s }

func init() {
	boom()
	message.Handle("c", func(*message.Context) (string, error) { return "", nil })
}

func main() {}
`, `panic("no tide today")`, "", `for turns != 0 { turns |= 1 }`},
	"assemblyscript": {"assembly/index.ts", `import { Context, contribution } from "pintle/message";
export * from "pintle/exports/message";
let turns = 1;
function boom(deep: bool): void { if (deep) boom(false); %s }
boom(true);
contribution("c", (c: Context): string | null => null);
`, `throw new Error("no tide today");`, " (assembly/index.ts:4:", `while (turns != 0) turns |= 1;`},
}

// A guest that fails while it starts is refused with the name of the author's function.
func TestStartsThatFailNameTheAuthorsFunction(t *testing.T) {
	for language, s := range starting {
		for _, c := range []struct {
			does, reason string
			kind         runtime.Kind
		}{
			{s.throw, "no tide today" + s.place, runtime.KindTrap},
			{s.loop, "it used up its fuel of 1000000000 units while it started", runtime.KindFuel},
		} {
			t.Run(language+"/"+string(c.kind), func(t *testing.T) {
				e := failedStart(t, language, s.file, strings.Replace(s.text, "%s", c.does, 1))
				assert.Equal(t, c.kind, e.Kind)
				assert.Contains(t, e.Reason, c.reason)
				lines := guesttrace.Lines(e.Trace, 8)
				require.NotEmpty(t, lines)
				assert.Regexp(t, `(?m)^at ((main\.|assembly/index/)?boom|~start)\b`, strings.Join(lines[:min(2, len(lines))], "\n"), "%q", e.Trace)
				assert.NotContains(t, strings.Join(lines, "\n"), "at pintle/", "the host's")
			})
		}
	}
}

// failedStart builds a guest, loads it, and returns the error of that.
func failedStart(t *testing.T, language, name, text string) *runtime.Error {
	t.Helper()
	files := map[string]string{"pintle.toml": cToml, name: text}
	if language == "go" {
		root, err := filepath.Abs("../..")
		require.NoError(t, err)
		files["go.mod"] = "module starting\n\ngo 1.26.0\n\nrequire github.com/pintle-wasm/pintle v0.0.0\n\n" +
			"replace github.com/pintle-wasm/pintle => " + strconv.Quote(root) + "\n"
	}
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	file, _ := compiled(t, dir)
	r := runtime.New(enginetest.New(), runtime.Options{})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	_, err := r.Load(t.Context(), language, file, runtime.GuestOptions{})
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	return e
}
