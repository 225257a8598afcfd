package javascript_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// well is a program that means no harm.
var well = attack{code: `return "1well"`}.script()

func refused(t *testing.T, r *runtime.Runtime, file []byte) *runtime.Error {
	t.Helper()
	g, err := r.Load(t.Context(), "hostile.wasm", file, runtime.GuestOptions{})
	if err == nil {
		_ = g.Close(context.Background())
	}
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	t.Logf("%s: %.300s\n%.300s", e.Kind, e.Reason, strings.Join(e.Trace, "\n"))
	return e
}

// A program that attacks while it is evaluated is not loaded.
func TestStarts(t *testing.T) {
	r := newRuntime(t)
	for _, c := range []struct {
		name, code string
		kinds      []string
		names      string
	}{
		{"loop", `(function spin() { for (;;); })()`, stopped, "spin"},
		{"loop of jobs", `(async function spin() { for (;;) await 0 })();` + well, stopped, ""},
		{"loop in more", `globalThis.__pintle = { call() {}, settled() {}, reseed() {}, more() { for (;;); } }`, stopped, ""},
		{"hoard", `(function hoard() { const a = []; for (;;) a.push(new Array(1000).fill(1)) })()`, exhausted, "hoard"},
		{"recursion", `(function dive(n) { return dive(n + 1) + 1 })(0)`, anyhow, "dive"},
		{"error", `(function sink() { throw new Error("no tide today") })()`, thrown, "sink"},
		{"rejection", `(async function sink() { throw new Error("no tide today") })(); throw null`, thrown, ""},
		{"no JavaScript", `const const`, thrown, ""},
		{"a module", `import "x"; export default 1`, thrown, ""},
		{"a wait at the top", `await 0`, thrown, ""},
		{"nothing", `0`, []string{"contract"}, ""},
		{"a number", `globalThis.__pintle = 5`, []string{"contract"}, ""},
		{"no functions", `globalThis.__pintle = {}`, []string{"contract"}, ""},
		{"functions that are none", `globalThis.__pintle = { call: 1, settled: {}, more: "more", reseed: null }`, []string{"contract"}, ""},
		{"functions behind getters that loop", `globalThis.__pintle = { settled() {}, more() { return "{}" }, reseed() {}, get call() { for (;;); } }`, stopped, ""},
		{"functions behind getters that throw", `globalThis.__pintle = { settled() {}, more() { return "{}" }, reseed() {}, get call() { throw new Error("x") } }`, []string{"trap", "contract"}, ""},
		{"a proxy", `globalThis.__pintle = new Proxy({}, { get() { for (;;); } })`, stopped, ""},
		{"a getter", `Object.defineProperty(globalThis, "__pintle", { get() { for (;;); } })`, stopped, ""},
		{"classes for functions", `globalThis.__pintle = { call: class {}, settled: class {}, more: class {}, reseed: class {} }`, []string{"trap"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			e := refused(t, r, guest(t, abi.Bundle{Code: c.code}))
			assert.Less(t, time.Since(start), soon)
			assert.Contains(t, c.kinds, string(e.Kind))
			if c.names != "" {
				assert.Contains(t, e.Reason+strings.Join(e.Trace, "\n"), c.names)
			}
		})
	}
}

// What a program says that it registers is anything at all.
func TestRegistrations(t *testing.T) {
	r := newRuntime(t)
	for _, code := range []string{`for (;;);`, `throw new Error("x")`, `0`} {
		_, err := r.Registered(t.Context(), "hostile.wasm", guest(t, abi.Bundle{Code: code}))
		require.Error(t, err)
	}
	for _, body := range []string{
		`for (;;);`, `return`, `return 5`, `return ""`, `return "["`, `return "[".repeat(1e6)`, `return "x".repeat(3e7)`, `throw new Error("x")`,
		`return Promise.resolve("{}")`, `return new Proxy({}, {})`,
	} {
		code := `globalThis.__pintle = { call() {}, settled() {}, more() { return "{}" }, reseed() {}, registered() { ` + body + ` } }`
		start := time.Now()
		said, err := r.Registered(t.Context(), "hostile.wasm", guest(t, abi.Bundle{Code: code}))
		assert.Less(t, time.Since(start), soon, body)
		if err == nil { // it is the builder's to read it
			assert.LessOrEqual(t, len(said), 16<<20, body)
			continue
		}
		var e *runtime.Error
		assert.ErrorAs(t, err, &e, body)
	}
}

// The engine is one that the host knows, to the byte.
func TestOtherEnginesAreRefused(t *testing.T) {
	r := newRuntime(t)
	file := guest(t, abi.Bundle{Code: well})
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	for _, s := range m.Sections {
		if s.Custom() {
			continue
		}
		for _, at := range []int{s.Body, (s.Body + s.End) / 2, s.End - 1} {
			other := append([]byte(nil), file...)
			other[at] ^= 1
			refused(t, r, other)
		}
	}
	refused(t, r, append(append([]byte(nil), file...), 11, 1, 0)) // one more section with no data
}

func TestBundlesThatAreRefused(t *testing.T) {
	r := newRuntime(t)
	m, err := wasmbin.Parse(bare(t), wasmbin.DefaultLimits())
	require.NoError(t, err)
	with := func(sections ...[]byte) []byte {
		file := bare(t)
		for _, s := range sections {
			m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
			require.NoError(t, err)
			file = prepend(m, s)
		}
		out, err := guestbuild.Attach(file, &manifest)
		require.NoError(t, err)
		return out
	}
	good := section(t, abi.Bundle{Code: well})
	require.NotNil(t, m)
	for name, file := range map[string][]byte{
		"two":         with(good, good),
		"empty":       with(nil),
		"cut off":     with(good[:len(good)-1]),
		"with a rest": with(append(append([]byte(nil), good...), 0)),
		"no map":      with([]byte{0x80}),
		"no code":     with([]byte{0xa1, 0x64, 'f', 'i', 'l', 'e', 0x61, 'x'}),
		"no text":     with([]byte{0xa1, 0x64, 'c', 'o', 'd', 'e', 0x01}),
		"long heads":  with([]byte{0xa1, 0x64, 'c', 'o', 'd', 'e', 0x78, 0x01, '0'}),
		"indefinite":  with([]byte{0xbf, 0x64, 'c', 'o', 'd', 'e', 0x61, '0', 0xff}),
		"not UTF-8":   with([]byte{0xa1, 0x64, 'c', 'o', 'd', 'e', 0x62, 0xff, 0xfe}),
	} {
		t.Run(name, func(t *testing.T) { refused(t, r, file) })
	}
	_, err = abi.EncodeBundle(&abi.Bundle{Code: strings.Repeat("x", 9<<20)})
	require.Error(t, err)
	_, err = abi.EncodeBundle(&abi.Bundle{Code: "0", File: "a\nb"})
	require.Error(t, err)
}

// prepend puts a second section of the name in front.
func prepend(m *wasmbin.Module, section []byte) []byte {
	const placeholder = "pintle.bundl_"
	file := m.WithCustomFirst(placeholder, section)
	i := strings.Index(string(file), placeholder)
	copy(file[i:], abi.BundleSection)
	return file
}

// Code is shared between guests with the same engine, names are not: those that one guest's file gives to the
// engine's functions show in no trace.
func TestNamesOfTheFileShowInNoTrace(t *testing.T) {
	r := newRuntime(t)
	entries := []byte{60}
	for i := range 60 {
		entries = append(entries, byte(i), 4, 'E', 'V', 'I', 'L')
	}
	names := append(append([]byte{1}, leb(len(entries))...), entries...) // of functions
	m, err := wasmbin.Parse(guest(t, abi.Bundle{Code: attack{code: `for (;;) [1, 2, 3].sort(); `}.script()}), wasmbin.DefaultLimits())
	require.NoError(t, err)
	evil := m.WithCustomFirst("name", names)
	for _, file := range [][]byte{evil, guest(t, abi.Bundle{Code: attack{code: `const a = []; a[4294967294] = 1; a.join("x")`}.script()})} {
		g, err := r.Load(t.Context(), "hostile.wasm", file, runtime.GuestOptions{})
		if err != nil {
			continue // refused is as good
		}
		_, err = ask(t.Context(), g, "attack")
		var e *runtime.Error
		require.True(t, errors.As(err, &e))
		assert.NotContains(t, strings.Join(e.Trace, "\n"), "EVIL")
		defer func() { assert.NoError(t, g.Close(context.Background())) }()
	}
}

func leb(n int) (out []byte) {
	for ; n >= 0x80; n >>= 7 {
		out = append(out, byte(n)|0x80)
	}
	return append(out, byte(n))
}

// Source maps are the author's too.
func TestSourceMaps(t *testing.T) {
	r := newRuntime(t)
	code := attack{code: `(function sink() { throw new Error("no tide today") })()`}.script()
	many := `{"version":3,"names":[],"mappings":"AAAA","sources":["a"` + strings.Repeat(`,"a"`, 1<<20) + `],"sourceRoot":"` + strings.Repeat("r", 3<<20) + `"}`
	for name, text := range map[string]string{
		"no JSON":          `{`,
		"no map":           `[]`,
		"deep":             strings.Repeat("[", 1<<20),
		"of nothing":       `{"version":3,"sources":[],"names":[],"mappings":""}`,
		"no base 64":       `{"version":3,"sources":["a.ts"],"names":[],"mappings":"!!!!"}`,
		"numbers too long": `{"version":3,"sources":["a.ts"],"names":[],"mappings":"` + strings.Repeat("g", 1<<20) + `"}`,
		"below nothing":    `{"version":3,"sources":["a.ts"],"names":[],"mappings":"DDDD,DDDD;DDDD"}`,
		"beyond the end":   `{"version":3,"sources":["a.ts"],"names":[],"mappings":"AggggggB,AAAA"}`,
		"many segments":    `{"version":3,"sources":["a.ts"],"names":[],"mappings":"` + strings.Repeat(strings.Repeat("AAAA,", 1<<15)+";", 40) + `"}`,
		"many lines":       `{"version":3,"sources":["a.ts"],"names":[],"mappings":"` + strings.Repeat(";", 6<<20) + `"}`,
		"a root for many":  many,
		"controls":         `{"version":3,"sources":["a\n\u001b[31m.ts"],"names":[],"mappings":"` + strings.Repeat("AAAA;", 40) + `"}`,
		"far away":         `{"version":3,"sources":["../../../etc/passwd"],"names":[],"mappings":"` + strings.Repeat("AAAA;", 40) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			g, err := r.Load(t.Context(), "hostile.wasm", guest(t, abi.Bundle{Code: code, Map: text}), runtime.GuestOptions{})
			if err != nil {
				t.Log(err) // refused is as good
				return
			}
			defer func() { assert.NoError(t, g.Close(context.Background())) }()
			start := time.Now()
			for range 2 {
				_, err = ask(t.Context(), g, "attack")
				attack{ends: thrown, names: "sink"}.failed(t, err)
			}
			assert.Less(t, time.Since(start), soon)
		})
	}
}
