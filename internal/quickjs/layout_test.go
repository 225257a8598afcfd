package quickjs_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// started is the engine with a program that counts to a number.
func started(t *testing.T) (bare, *quickjs.VM) {
	t.Helper()
	machine, err := newBare(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = machine.module.Close(t.Context()) })
	vm, _, err := quickjs.Start(machine, &abi.Bundle{Code: `globalThis.__pintle = {
		call(op, request) { let n = 0; for (let i = JSON.parse(request).id; i > 0; i--) n += i; return "1" + n },
		settled() {}, more() { return "{}" }, reseed() {},
	}`}, quickjs.Host{})
	require.NoError(t, err)
	return machine, vm
}

func (b bare) run(t *testing.T, export string, args ...uint64) uint32 {
	t.Helper()
	result, err := b.Call(export, args...)
	require.NoError(t, err, export)
	return uint32(result)
}

// The countdown is where the host looks for it: it goes down with each round of a loop, and at 0 the engine asks
// and begins anew.
func TestCounterIsWhereTheEngineCounts(t *testing.T) {
	machine, vm := started(t)
	at := machine.run(t, "qjs_get_context_ptr") + quickjs.CounterOffset
	left := func() uint32 {
		raw, ok := machine.Read(at, 4)
		require.True(t, ok)
		return binary.LittleEndian.Uint32(raw)
	}
	count := func(rounds int) {
		request, err := abi.Encode(map[string]any{"id": rounds})
		require.NoError(t, err)
		_, _, err = vm.Call(quickjs.Call{Op: abi.RenderV1, Request: request, AnswerBytes: 100})
		require.NoError(t, err)
	}
	used := func(rounds int) int {
		require.True(t, machine.Write(at, binary.LittleEndian.AppendUint32(nil, quickjs.MostPolls)))
		count(rounds)
		return quickjs.MostPolls - int(left())
	}
	few, some, more := used(1), used(501), used(1001)
	assert.GreaterOrEqual(t, some-few, 500)
	assert.Equal(t, 2*(some-few), more-few, "for each round the same")
	vm.Hurry()
	assert.Equal(t, uint32(1), left())
	count(501)
	assert.InDelta(t, quickjs.MostPolls-some, left(), 100, "it began anew")
}

// What Idle looks at is 0 while no function runs, and where the engine keeps a function that does.
func TestRunningIsWhereTheEngineKeepsIt(t *testing.T) {
	machine, vm := started(t)
	word := func(at uint32) uint32 {
		raw, ok := machine.Read(at, 4)
		require.True(t, ok)
		return binary.LittleEndian.Uint32(raw)
	}
	runtime := word(machine.run(t, "qjs_get_context_ptr") + quickjs.RuntimeOffset)
	at := runtime + quickjs.RunningOffset
	assert.Zero(t, word(at))
	assert.True(t, vm.Idle())
	var idle []bool
	machine.asked(func() { idle = append(idle, vm.Idle()); vm.Hurry() })
	vm.Hurry()
	request, err := abi.Encode(map[string]any{"id": 3})
	require.NoError(t, err)
	_, _, err = vm.Call(quickjs.Call{Op: abi.RenderV1, Request: request, AnswerBytes: 100})
	require.NoError(t, err)
	require.Greater(t, len(idle), 3)
	assert.True(t, idle[0], "asked on the way in")
	assert.NotContains(t, idle[1:], true, "and then inside")
	assert.Zero(t, word(at))
}

// A handle is the address of a value, and values of one object are the same.
func TestHandlesAreAddressesOfValues(t *testing.T) {
	machine, _ := started(t)
	value := func(handle uint32) uint64 {
		raw, ok := machine.Read(handle, 8)
		require.True(t, ok)
		return binary.LittleEndian.Uint64(raw)
	}
	name := machine.run(t, "wasm_malloc", 16)
	member := func(of uint32, member string) uint32 {
		require.True(t, machine.Write(name, append([]byte(member), 0)))
		return machine.run(t, "qjs_get_prop_string", uint64(of), uint64(name))
	}
	global := machine.run(t, "qjs_get_global")
	one, again, other := member(global, "__pintle"), member(global, "__pintle"), member(global, "JSON")
	assert.NotEqual(t, one, again)
	assert.Equal(t, value(one), value(again))
	assert.NotEqual(t, value(one), value(other))

	undefined := value(machine.run(t, "qjs_get_undefined"))
	require.True(t, machine.Write(name, []byte("a\"b")))
	text := machine.run(t, "qjs_new_string", uint64(name), 3)
	raw, err := machine.Call("JS_JSONStringify", uint64(machine.run(t, "qjs_get_context_ptr")), value(text), undefined, undefined)
	require.NoError(t, err)
	made := machine.run(t, "wasm_malloc", 8)
	require.True(t, machine.Write(made, binary.LittleEndian.AppendUint64(nil, raw)))
	require.Equal(t, uint32(1), machine.run(t, "qjs_is_string", uint64(made)))
	chars := machine.run(t, "qjs_get_string_len", uint64(made), uint64(name))
	length, ok := machine.Read(name, 4)
	require.True(t, ok)
	got, ok := machine.Read(chars, binary.LittleEndian.Uint32(length))
	require.True(t, ok)
	assert.Equal(t, `"a\"b"`, string(got))
	machine.run(t, "qjs_free_cstring", uint64(chars))
	machine.run(t, "qjs_free_value", uint64(made))
}

// The table of section 13.8 has all exports that the driver calls, as the engine has them, and no others.
func TestDocumentedExports(t *testing.T) {
	text, err := os.ReadFile("../../abi/ABI.md")
	require.NoError(t, err)
	_, section, found := strings.Cut(string(text), "\n### 13.8 ")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n### ")
	documented := map[string]int{} // arguments, by export
	for _, m := range regexp.MustCompile("(?m)`(\\w+)\\(([^)]*)\\)").FindAllStringSubmatch(section, -1) {
		documented[m[1]] = len(regexp.MustCompile(`\w+`).FindAllString(m[2], -1))
	}
	called := map[string]bool{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`"((?:qjs|wasm|JS)_\w+|_initialize)"`).FindAllSubmatch(source, -1) {
			called[string(m[1])] = true
		}
	}
	require.NotEmpty(t, called)
	machine, err := newBare(t.Context())
	require.NoError(t, err)
	exports := machine.module.ExportedFunctionDefinitions()
	for name := range called {
		arguments, ok := documented[name]
		if assert.True(t, ok, name) && assert.Contains(t, exports, name) {
			assert.Len(t, exports[name].ParamTypes(), arguments, name)
		}
		for _, of := range append(exports[name].ParamTypes(), exports[name].ResultTypes()...) {
			assert.True(t, of == api.ValueTypeI32 || name == "JS_JSONStringify", name)
		}
	}
	delete(documented, "host_interrupt")
	for name := range documented {
		assert.True(t, called[name], name)
	}
}

// What is known of the layout is known of the one build that there is.
func TestLayoutIsThatOfAllBuilds(t *testing.T) {
	m, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	require.NotEmpty(t, quickjs.Engine(m.Sum()))
	assert.Equal(t, 1, strings.Count(quickjs.Engines(), ": "), "another build needs the tests of this file as well")
}
