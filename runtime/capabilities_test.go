package runtime_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func i32s(n int) []wasmbin.ValueType { return slices.Repeat([]wasmbin.ValueType{wasmbin.I32}, n) }

func asking(names ...string) *abi.Manifest {
	m := wasmtest.Manifest()
	for _, name := range names {
		m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "to test it"})
	}
	return m
}

func loadGranted(t *testing.T, r *runtime.Runtime, source string, file []byte, grants ...string) *runtime.Guest {
	t.Helper()
	g, err := r.Load(t.Context(), "test.wasm", file, runtime.GuestOptions{Source: source, Grants: grants})
	require.NoError(t, err)
	return g
}

// eightBytes is a guest that answers 8 bytes, which the given code puts at address 19.
func eightBytes(m *abi.Manifest, im wasmtest.Import, code ...any) []byte {
	im.Module = "wasi_snapshot_preview1"
	return wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{im}, Data: []wasmtest.Data{{Offset: 16, Bytes: []byte{0x82, 1, 0x48}}},
	}, m, wasmtest.Code(append(code, wasmtest.Call(0), wasmtest.Drop, wasmtest.Answer(16, 11))...))
}

func answered(t *testing.T, g *runtime.Guest) string {
	t.Helper()
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: "s", Request: []byte{0xa0}})
	require.NoError(t, err)
	b, err := abi.Bytes(value)
	require.NoError(t, err)
	require.Len(t, b, 8)
	return string(b)
}

func TestRandomNumbers(t *testing.T) {
	file := eightBytes(asking("random"), wasmtest.Import{Name: "random_get", Type: wasmbin.FuncType{Params: i32s(2), Results: i32s(1)}},
		wasmtest.I32Const(19), wasmtest.I32Const(8))
	r := newRuntime(t, runtime.Options{})
	seeded := loadGranted(t, r, "/a", file)
	first := answered(t, seeded)
	for range 3 {
		assert.Equal(t, first, answered(t, seeded))
	}
	assert.Equal(t, first, answered(t, loadGranted(t, r, "/b", file)))
	granted := loadGranted(t, r, "/c", file, "random")
	seen := map[string]bool{first: true}
	for range 10 {
		drawn := answered(t, granted)
		assert.False(t, seen[drawn], "drawn twice")
		seen[drawn] = true
	}
	// The grant is for guests that ask.
	silent := eightBytes(wasmtest.Manifest(), wasmtest.Import{Name: "random_get", Type: wasmbin.FuncType{Params: i32s(2), Results: i32s(1)}},
		wasmtest.I32Const(19), wasmtest.I32Const(8))
	g := loadGranted(t, r, "/d", silent, "random")
	assert.Equal(t, answered(t, g), answered(t, g))
}

func TestTime(t *testing.T) {
	file := eightBytes(asking("clock"), wasmtest.Import{Name: "clock_time_get",
		Type: wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I64, wasmbin.I32}, Results: i32s(1)}},
		wasmtest.I32Const(0), wasmtest.I64Const(1), wasmtest.I32Const(19))
	now := func(g *runtime.Guest) time.Time {
		b := answered(t, g)
		var n int64
		for i := range 8 {
			n |= int64(b[i]) << (8 * i)
		}
		return time.Unix(0, n)
	}
	r := newRuntime(t, runtime.Options{})
	virtual := loadGranted(t, r, "/a", file)
	assert.Equal(t, 2020, now(virtual).UTC().Year())
	assert.Equal(t, now(virtual), now(virtual))
	granted := loadGranted(t, r, "/b", file, "clock")
	before := time.Now().Truncate(time.Microsecond)
	seen := now(granted)
	assert.False(t, seen.Before(before), "%s is before %s", seen, before)
	assert.False(t, seen.After(time.Now()))
}

// counter counts its calls in its kv and says the count; "e" if kv_set answers an error, "n" if it is
// denied. A request of two bytes makes it trap after it has counted, one of three bytes answer an error of
// its own.
func counter(m *abi.Manifest) []byte {
	const key, failing = 64, 128
	answer := wasmtest.Text("0")
	last := int32(16 + len(answer) - 1)
	failure, err := abi.EncodeAnswer(nil, &abi.Failure{Code: "no", Message: "not today"})
	if err != nil {
		panic(err)
	}
	get := wasmtest.Import{Module: abi.HostModule, Name: "kv_get", Type: wasmbin.FuncType{Params: i32s(4), Results: i32s(1)}}
	set := wasmtest.Import{Module: abi.HostModule, Name: "kv_set", Type: wasmbin.FuncType{Params: i32s(4), Results: i32s(1)}}
	const i32Equal = 0x46
	store := func(c byte) []byte {
		return wasmtest.Code(wasmtest.I32Const(last), wasmtest.I32Const(int32(c)), wasmtest.I32Store8())
	}
	resultIs := func(n int32) []byte { return wasmtest.Code(wasmtest.GlobalGet(0), wasmtest.I32Const(n), i32Equal) }
	requestHas := func(n int32) []byte { return wasmtest.Code(wasmtest.LocalGet(1), wasmtest.I32Const(n), i32Equal) }
	return wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{get, set}, Globals: 1,
		Data: []wasmtest.Data{{Offset: 16, Bytes: answer}, {Offset: key, Bytes: []byte("n")}, {Offset: failing, Bytes: failure}},
	}, m, wasmtest.Code(
		wasmtest.I32Const(key), wasmtest.I32Const(1), wasmtest.I32Const(last), wasmtest.I32Const(1), wasmtest.Call(0), wasmtest.Drop,
		wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.I32Store8(),
		wasmtest.I32Const(key), wasmtest.I32Const(1), wasmtest.I32Const(last), wasmtest.I32Const(1), wasmtest.Call(1), wasmtest.GlobalSet(0),
		resultIs(-1), wasmtest.If(store('e')), resultIs(-2), wasmtest.If(store('n')),
		requestHas(2), wasmtest.If(wasmtest.Unreachable),
		requestHas(3), wasmtest.If(wasmtest.Answer(failing, uint32(len(failure))), wasmtest.Return),
		wasmtest.Answer(16, uint32(len(answer))),
	))
}

func counted(t *testing.T, g *runtime.Guest, session string, request int) (string, error) {
	t.Helper()
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: make([]byte, request)})
	if err != nil {
		return "", err
	}
	return abi.Text(value)
}

func requireCount(t *testing.T, want string, g *runtime.Guest, session string) {
	t.Helper()
	got, err := counted(t, g, session, 1)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestKV(t *testing.T) {
	for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
		t.Run(string(state), func(t *testing.T) {
			m := asking("kv")
			m.State = state
			file := counter(m)
			r := newRuntime(t, runtime.Options{})
			g := loadGranted(t, r, "/a", file, "kv")
			requireCount(t, "1", g, "s")
			requireCount(t, "2", g, "s")
			requireCount(t, "1", g, "other")

			// A call that fails, in whichever way, has counted nothing.
			for request, kind := range map[int]runtime.Kind{2: runtime.KindTrap, 3: runtime.KindFailed} {
				_, err := counted(t, g, "s", request)
				var e *runtime.Error
				require.ErrorAs(t, err, &e)
				assert.Equal(t, kind, e.Kind)
			}
			requireCount(t, "3", g, "s")

			// The next build from the same source goes on where this one was; an impostor does not.
			m.Version = "2.0.0"
			next := loadGranted(t, r, "/a", counter(m), "kv")
			requireCount(t, "4", next, "s")
			impostor := loadGranted(t, r, "/b", file, "kv")
			requireCount(t, "1", impostor, "s")
			requireCount(t, "5", g, "s")
			m.ID = "neighbour"
			requireCount(t, "1", loadGranted(t, r, "/a", counter(m), "kv"), "s")

			r.EndSession(t.Context(), "s")
			requireCount(t, "1", g, "s")
			requireCount(t, "1", impostor, "s")
			requireCount(t, "2", g, "other")
			g.EndSession(t.Context(), "other")
			requireCount(t, "1", g, "other")
		})
	}
}

// Asked for and not granted: the guest goes on and knows.
func TestKVNotGranted(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	g := loadGranted(t, r, "/a", counter(asking("kv")))
	requireCount(t, "n", g, "s")
	assert.Equal(t, "kv", g.Withheld()[0].Name)
}

func TestKVNotAskedFor(t *testing.T) {
	_, err := newRuntime(t, runtime.Options{}).Load(t.Context(), "test.wasm", counter(asking("clock")), runtime.GuestOptions{Grants: []string{"kv"}})
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindContract, e.Kind)
	assert.Contains(t, e.Reason, "import pintle/1.kv_get: not asked for in the manifest (add a capability `kv`")
	assert.Contains(t, e.Reason, "import pintle/1.kv_set: not asked for in the manifest")
}

// An initialiser runs in no session, so it has no kv.
func TestKVWhileAnInstanceStarts(t *testing.T) {
	m := asking("kv")
	get := wasmtest.Import{Module: abi.HostModule, Name: "kv_get", Type: wasmbin.FuncType{Params: i32s(4), Results: i32s(1)}}
	answer := wasmtest.Text("x")
	last := int32(16 + len(answer) - 1)
	file := wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{get}, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}},
		Functions: []wasmtest.Function{{Export: abi.InitExport, Type: wasmtest.SigNone, Code: wasmtest.Code(
			wasmtest.I32Const(last), wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.Call(0),
			wasmtest.I32Const('4'), wasmtest.I32Add, wasmtest.I32Store8())}},
	}, m, wasmtest.Answer(16, uint32(len(answer))))
	requireCount(t, "2", loadGranted(t, newRuntime(t, runtime.Options{}), "/a", file, "kv"), "s")
}
