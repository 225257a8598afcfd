package languages_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guesttrace"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/runtime"
)

// kinds are how the functions end. A recursion without end meets what the language gives it first: its stack, the
// memory that the stack is in, or the fuel.
var kinds = map[string]map[string]runtime.Kind{
	"go":             {"sink": runtime.KindTrap, "dive": runtime.KindFuel, "hoard": runtime.KindMemory, "spin": runtime.KindFuel},
	"c":              {"sink": runtime.KindTrap, "dive": runtime.KindTrap, "hoard": runtime.KindMemory, "spin": runtime.KindFuel},
	"rust":           {"sink": runtime.KindTrap, "dive": runtime.KindTrap, "hoard": runtime.KindMemory, "spin": runtime.KindFuel},
	"typescript":     {"sink": runtime.KindTrap, "dive": runtime.KindTrap, "hoard": runtime.KindMemory, "spin": runtime.KindFuel},
	"assemblyscript": {"sink": runtime.KindTrap, "dive": runtime.KindTrap, "hoard": runtime.KindMemory, "spin": runtime.KindFuel},
}

func TestFaultsNameTheAuthorsFunction(t *testing.T) {
	forEachLanguage(t, func(t *testing.T, language string) {
		faults, err := languages.Fail(t.Context(), newRuntime(t), read(t, languages.Faults, language))
		require.NoError(t, err)
		require.Len(t, faults, len(languages.Functions()))
		for _, f := range faults {
			t.Logf("%s: %s\n%s", f.Function, f.Error, strings.Join(f.Error.Trace, "\n"))
			assert.Equal(t, kinds[language][f.Function], f.Error.Kind, f.Function)
			inSight(t, f)
			if f.Function == "sink" {
				assert.Contains(t, f.Error.Reason, "no tide today")
			}
			if language == "typescript" {
				inItsSource(t, f)
			}
		}
	})
}

// inSight checks that the function's name is in the first lines that a command prints of the trace, and that
// no more than these and the error are printed.
func inSight(t *testing.T, f languages.Fault) {
	t.Helper()
	lines := guesttrace.Lines(f.Error.Trace, 8)
	require.NotEmpty(t, lines)
	assert.Regexp(t, `(?m)^at (.*[/:.])?`+f.Function+`\b`, strings.Join(lines[:min(2, len(lines))], "\n"), "%q", f.Error.Trace)
	if f.Function == "dive" {
		assert.Regexp(t, `\bdive\b.* ×\d+`, strings.Join(lines, "\n"))
	}
	for _, line := range lines {
		assert.NotRegexp(t, `^at pintle/`, line, "the host's")
	}
}

// place is a function with where it stands, and perhaps how often it follows itself: sink (src/index.ts:12:5) ×3.
var place = regexp.MustCompile(`^(\w+) \(([^():]+\.ts):(\d+):(\d+)\)( ×\d+.*)?$`)

// inItsSource checks that the trace leads to a line of the function in the author's file.
func inItsSource(t *testing.T, f languages.Fault) {
	t.Helper()
	for _, frame := range f.Error.Trace {
		m := place.FindStringSubmatch(frame)
		if m == nil || m[1] != f.Function {
			continue
		}
		source, err := os.ReadFile(filepath.Join(languages.Dir(guests, languages.Faults, "typescript"), m[2]))
		require.NoError(t, err)
		lines := strings.Split(string(source), "\n")
		line, err := strconv.Atoi(m[3])
		require.NoError(t, err)
		require.LessOrEqual(t, line, len(lines))
		column, err := strconv.Atoi(m[4])
		require.NoError(t, err)
		assert.LessOrEqual(t, column, len(lines[line-1])+1)
		// Upwards from there the first function that begins is the one.
		for line--; line > 0 && !strings.Contains(lines[line], "function "); line-- {
		}
		assert.Contains(t, lines[line], "function "+f.Function+"(", "line %s of %s", m[3], m[2])
		return
	}
	assert.Fail(t, "no frame has the function with file and line", "%s: %q", f.Function, f.Error.Trace)
}
