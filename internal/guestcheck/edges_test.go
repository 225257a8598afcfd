package guestcheck_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guestcheck"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// answered puts cases to the guest in C with a manifest of the test's own.
func answered(t *testing.T, change func(*abi.Manifest), cases string) *guestcheck.Report {
	t.Helper()
	file := echo(t, change)
	run := runtime.New(enginetest.New(), runtime.Options{})
	t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
	runner := &guesttest.Runner{Load: func(ctx context.Context, _ map[string]string) (*runtime.Guest, error) {
		return run.Load(ctx, "g.wasm", file, runtime.GuestOptions{})
	}}
	t.Cleanup(func() { require.NoError(t, runner.Close(context.Background())) })
	suite, err := guesttest.Parse("cases.json", []byte(cases))
	require.NoError(t, err)
	r := &guestcheck.Report{}
	guest(t, file).Answered(t.Context(), r, runner, suite.Cases)
	return r
}

const short = `[{"name": "short", "contribution": "echo/c", "context": {"prompt": "a"}, "text": "C heard: a"}]`

// usedFuel is what the short case takes.
func usedFuel(t *testing.T) uint64 {
	t.Helper()
	r := answered(t, func(m *abi.Manifest) { m.Limits.Fuel = 40_000_000 }, short)
	for _, f := range r.Findings {
		var used uint64
		if _, err := fmt.Sscanf(f.Text, "fuel: it asks for 40000000, and the cases take up to %d", &used); err == nil {
			return used
		}
	}
	require.Fail(t, "the fuel is reported")
	return 0
}

// A limit far above what the cases take is told as a note, one nearby is in order.
func TestFuelThatIsFarTooMuch(t *testing.T) {
	used := usedFuel(t)
	for factor, want := range map[uint64]guestcheck.Level{90: guestcheck.OK, 110: guestcheck.Note} {
		r := answered(t, func(m *abi.Manifest) { m.Limits.Fuel = factor * used }, short)
		assert.Contains(t, texts(r, want), fmt.Sprintf("limits: fuel: it asks for %d, and the cases take up to %d", factor*used, used))
	}
}

// One case of several that ends at a limit is a warning; all of them are an error.
func TestSomeCasesEndAtTheLimit(t *testing.T) {
	used := usedFuel(t)
	long := strings.Replace(strings.ReplaceAll(short, `"short"`, `"long"`), `"prompt": "a"`, `"prompt": "`+strings.Repeat("a", 5_000)+`"`, 1)
	both := short[:len(short)-1] + "," + long[1:]
	r := answered(t, func(m *abi.Manifest) { m.Limits.Fuel = used + 100 }, both)
	assert.Contains(t, texts(r, guestcheck.Warning), "limits: fuel: 1 of 2 cases end at the limit")
	assert.Empty(t, texts(r, guestcheck.Error))
	r = answered(t, func(m *abi.Manifest) { m.Limits.Fuel = used + 100 }, long)
	assert.Contains(t, texts(r, guestcheck.Error), "limits: fuel: 1 of 1 cases end at the limit")
}

// That a contribution is not asked without a field says nothing about what the guest does with it. Options
// that are empty are none.
func TestFieldsThatCasesCannotTell(t *testing.T) {
	r := answered(t, func(m *abi.Manifest) {
		m.Contributions[0].Providers = &[]string{"p"}
		m.Contributions[0].Needs = []abi.ContextField{abi.FieldPrompt, abi.FieldProvider, abi.FieldSystemPromptOptions}
	}, strings.Replace(short, `"prompt": "a"`, `"prompt": "a", "provider": "p", "systemPromptOptions": {}`, 1))
	assert.Equal(t, []string{"needs: echo/c needs provider, and no case can tell what for",
		"needs: echo/c needs systemPromptOptions, and no case can tell what for"}, texts(r, guestcheck.Note))
	assert.Empty(t, texts(r, guestcheck.Warning))
}

// wide is a text as AssemblyScript keeps it.
func wide(text string) (b []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		b = append(b, byte(unit), byte(unit>>8))
	}
	return b
}

func TestWordsInUTF16(t *testing.T) {
	m := wasmtest.Manifest()
	m.Contributions[0].Needs = []abi.ContextField{abi.FieldSessionID, abi.FieldProvider}
	file := wasmtest.Guest(wasmtest.Module{Pages: 1, Data: []wasmtest.Data{{Offset: 16, Bytes: wide("sessionId")}}}, m, wasmtest.Answer(0, 0))
	var r guestcheck.Report
	guest(t, file).Static(&r)
	warnings := strings.Join(texts(&r, guestcheck.Warning), "\n")
	assert.NotContains(t, warnings, "needs sessionId")
	assert.Contains(t, warnings, "needs provider")
}

func TestMemoryThatIsNeverUsed(t *testing.T) {
	m := wasmtest.Manifest()
	module := (&wasmtest.Module{Pages: 1}).Encode()
	unbounded, bounded := []byte{5, 3, 1, 0, 1}, []byte{5, 4, 1, 1, 1, 2}
	require.Equal(t, 1, bytes.Count(module, unbounded))
	for asked, want := range map[uint64][]string{
		2 << 16: nil, 2<<16 + 1: {"limits: memory: it asks for 128.0 KiB, and never grows beyond 128.0 KiB"},
	} {
		m.Limits.MemoryBytes = asked
		file, err := guestbuild.Attach(bytes.Replace(module, unbounded, bounded, 1), m)
		require.NoError(t, err)
		var r guestcheck.Report
		guest(t, file).Static(&r)
		var told []string
		for _, text := range texts(&r, guestcheck.Warning) {
			if strings.HasPrefix(text, "limits: ") {
				told = append(told, text)
			}
		}
		assert.Equal(t, want, told)
	}
	// A few MiB are not worth a word, whatever the guest starts with.
	for asked, want := range map[uint64]int{8 << 20: 0, 8<<20 + 1: 1} {
		file := echo(t, func(m *abi.Manifest) { m.Limits.MemoryBytes = asked })
		run := runtime.New(enginetest.New(), runtime.Options{})
		t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
		loaded, err := run.Load(t.Context(), "g.wasm", file, runtime.GuestOptions{})
		require.NoError(t, err)
		var r guestcheck.Report
		guest(t, file).Started(&r, loaded, time.Millisecond)
		assert.Len(t, texts(&r, guestcheck.Note), want)
	}
}
