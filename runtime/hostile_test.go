package runtime_test

import (
	"context"
	"encoding/binary"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func asError(t *testing.T, err error) *runtime.Error {
	t.Helper()
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	return e
}

// insertBefore puts a raw section in front of the section with the id next.
func insertBefore(file []byte, next, id byte, body ...byte) []byte {
	at := 8
	for file[at] != next {
		n, width := binary.Uvarint(file[at+1:])
		at += 1 + width + int(n)
	}
	out := append([]byte(nil), file[:at]...)
	out = append(binary.AppendUvarint(append(out, id), uint64(len(body))), body...)
	return append(out, file[at:]...)
}

// allocating is a guest that answers "x" and has an allocator of its own.
func allocating(alloc []byte) []byte {
	answer := wasmtest.Text("x")
	section, err := abi.EncodeManifest(wasmtest.Manifest())
	if err != nil {
		panic(err)
	}
	m := wasmtest.Module{
		Pages:  1,
		Custom: []wasmtest.Custom{{Name: abi.ManifestSection, Bytes: section}},
		Data:   []wasmtest.Data{{Offset: 16, Bytes: answer}},
		Functions: []wasmtest.Function{
			{Export: abi.TransportExport, Type: wasmtest.SigNone},
			{Export: abi.AllocExport, Type: wasmtest.SigAlloc, Code: alloc},
			{Export: abi.RenderV1, Type: wasmtest.SigOp, Code: wasmtest.Answer(16, uint32(len(answer)))},
		},
	}
	return m.Encode()
}

func TestHostileAllocators(t *testing.T) {
	grow := wasmtest.Code(wasmtest.I32Const(1), wasmtest.MemoryGrow(), wasmtest.Drop)
	tests := map[string]struct {
		alloc  []byte
		kind   runtime.Kind // empty: it works
		reason string
	}{
		"none":            {wasmtest.I32Const(0), runtime.KindMemory, "no memory for a request of 1 bytes"},
		"end of memory":   {wasmtest.I32Const(1 << 16), runtime.KindBadAnswer, "outside memory"},
		"minus one":       {wasmtest.I32Const(-1), runtime.KindBadAnswer, "outside memory"},
		"last byte":       {wasmtest.I32Const(1<<16 - 1), "", ""},
		"grown":           {wasmtest.Code(grow, wasmtest.I32Const(1<<16)), "", ""},
		"never returns":   {wasmtest.Code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable), runtime.KindFuel, "it used up its fuel"},
		"recurses":        {wasmtest.Code(wasmtest.LocalGet(0), wasmtest.Call(1)), runtime.KindTrap, "stack overflow"},
		"traps":           {wasmtest.Code(wasmtest.Unreachable), runtime.KindTrap, "unreachable"},
		"grows for good":  {wasmtest.Code(wasmtest.Loop(grow, wasmtest.Branch(0)), wasmtest.Unreachable), runtime.KindFuel, "it used up its fuel"},
		"over its answer": {wasmtest.I32Const(16), runtime.KindBadAnswer, "cbor"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := newRuntime(t, runtime.Options{Limits: runtime.Limits{Fuel: 10_000_000, MemoryBytes: 4 << 20}})
			g := load(t, r, allocating(test.alloc))
			for range 2 {
				text, err := render(t.Context(), g)
				if test.kind == "" {
					require.NoError(t, err)
					require.Equal(t, "x", text)
					continue
				}
				e := asError(t, err)
				assert.Equal(t, test.kind, e.Kind, e)
				assert.Contains(t, e.Reason, test.reason)
			}
		})
	}
}

// Whatever a file is, it is loaded or refused; whatever a guest does, its call ends.
func FuzzLoad(f *testing.F) {
	f.Add(wasmtest.Says("hi"))
	f.Add(counting(abi.StateSession))
	c, err := os.ReadFile(cGuest + "/c.wasm")
	require.NoError(f, err)
	f.Add(c)
	r := newRuntime(f, runtime.Options{Limits: runtime.Limits{Time: 20 * time.Millisecond, MemoryBytes: 4 << 20}})
	f.Fuzz(func(t *testing.T, file []byte) {
		g, err := r.Load(t.Context(), "fuzz", file, runtime.GuestOptions{})
		if err != nil {
			asError(t, err)
			return
		}
		for range 2 {
			if _, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: []byte{0xa0}}); err != nil {
				asError(t, err)
			}
		}
		require.NoError(t, g.Close(t.Context()))
	})
}

// Ranges that guests make up for host functions end the run, not the host.
func TestHostilePointers(t *testing.T) {
	i32 := wasmbin.I32
	config := wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32, i32}, Results: []wasmbin.ValueType{i32}}
	m := wasmtest.Manifest()
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityConfig, Reason: "tests", Keys: []string{"k"}}}
	args := func(ns ...int32) (code []byte) {
		for _, n := range ns {
			code = append(code, wasmtest.I32Const(n)...)
		}
		return append(code, wasmtest.Call(0)...)
	}
	tests := map[string]struct {
		function string
		sig      wasmbin.FuncType
		code     []byte
		want     string
	}{
		"log":             {"log", wasmtest.SigLog, args(1, -8, 100), "outside memory"},
		"log of all":      {"log", wasmtest.SigLog, args(1, 1<<16-4, -1), "outside memory"},
		"panic":           {"panic", wasmtest.SigPanic, args(1<<16-4, -1), "outside memory"},
		"panic of length": {"panic", wasmtest.SigPanic, args(0, -1), "panic: "},
		"config key":      {"config", config, append(args(-1, 1, 0, 16), wasmtest.Drop), "outside memory"},
		"config buffer":   {"config", config, append(args(16, 1, -1, 16), wasmtest.Drop), "outside memory"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			file := wasmtest.Guest(wasmtest.Module{
				Imports: []wasmtest.Import{{Module: abi.HostModule, Name: test.function, Type: test.sig}},
				Data:    []wasmtest.Data{{Offset: 16, Bytes: []byte("k")}},
			}, m, wasmtest.Code(test.code, wasmtest.Unreachable))
			g, err := newRuntime(t, runtime.Options{}).Load(t.Context(), "p", file, runtime.GuestOptions{Config: map[string]string{"k": "value"}})
			require.NoError(t, err)
			_, err = render(t.Context(), g)
			e := asError(t, err)
			assert.Equal(t, runtime.KindTrap, e.Kind)
			assert.Contains(t, e.Reason, test.want)
			assert.Less(t, len(e.Reason), 20<<10)
		})
	}
}

// An engine that believed the names would need 48 GB for this file of 250 bytes.
func TestHugeNameSectionIsNotBelieved(t *testing.T) {
	names := append([]byte{1, 6}, binary.AppendUvarint(nil, 1<<31)...)
	g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(
		wasmtest.Module{Trailing: []wasmtest.Custom{{Name: "name", Bytes: names}}}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Unreachable)))
	_, err := render(t.Context(), g)
	assert.Equal(t, runtime.KindTrap, asError(t, err).Kind)
}

// A trace repeats names once per frame.
func TestLongNamesStayOutOfTraces(t *testing.T) {
	long := strings.Repeat("n", 2000)
	names := append(binary.AppendUvarint([]byte{2, 0}, uint64(len(long))), long...)
	names = append(names, 1, 5)
	names = append(names, "short"...)
	sub := append(binary.AppendUvarint([]byte{1}, uint64(len(names))), names...)
	g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(wasmtest.Module{
		Functions: []wasmtest.Function{{Code: wasmtest.Code(wasmtest.Call(1))}, {Code: wasmtest.Code(wasmtest.Unreachable)}},
		Trailing:  []wasmtest.Custom{{Name: "name", Bytes: sub}},
	}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Call(0), wasmtest.Unreachable)))
	_, err := render(t.Context(), g)
	trace := strings.Join(asError(t, err).Trace, "\n")
	assert.NotContains(t, trace, "nnn")
	assert.Contains(t, trace, "short")
}

// Table entries are the host's memory and no part of the guest's: 4 GiB for the one instruction here.
func TestTablesDoNotGrowBeyondTheLimit(t *testing.T) {
	answer := wasmtest.Text("no")
	grow := func(n int32) []byte { // ref.null func, n, table.grow 0
		return wasmtest.Code(0xd0, 0x70, wasmtest.I32Const(n), []byte{0xfc, 15, 0})
	}
	grown := wasmtest.Code(wasmtest.I32Const(1), wasmtest.I32Add) // 0 after -1
	for name, table := range map[string][]byte{
		"no maximum":   {1, 0x70, 0, 1},
		"high maximum": {1, 0x70, 1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f},
	} {
		t.Run(name, func(t *testing.T) {
			m := wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}
			m.Functions = []wasmtest.Function{{Code: wasmtest.Code(
				grow(1<<29), grown, wasmtest.If(wasmtest.Unreachable),
				grow(65_535), grown, 0x45, wasmtest.If(wasmtest.Unreachable), // i32.eqz: up to the limit it works
				grow(1), grown, wasmtest.If(wasmtest.Unreachable))}}
			file := wasmtest.Guest(m, wasmtest.Manifest(), wasmtest.Code(wasmtest.Call(0), wasmtest.Answer(16, uint32(len(answer)))))
			g := load(t, newRuntime(t, runtime.Options{}), insertBefore(file, 5, 4, table...))
			text, err := render(t.Context(), g)
			require.NoError(t, err)
			assert.Equal(t, "no", text)
		})
	}
}

func TestAnnouncedSegmentsAreRefused(t *testing.T) {
	r := newRuntime(t, runtime.Options{})
	for name, file := range map[string][]byte{
		"elements":    insertBefore(wasmtest.Says("x"), 10, 9, 1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0x0f),
		"expressions": insertBefore(wasmtest.Says("x"), 10, 9, 1, 5, 0x70, 0x80, 0x80, 0x04, 0xd0),
	} {
		_, err := r.Load(t.Context(), name, file, runtime.GuestOptions{})
		e := asError(t, err)
		assert.Equal(t, runtime.KindRefused, e.Kind)
		assert.NotContains(t, e.Reason, "engine", "the engine never sees it")
	}
}

// What the rewriter does not know is never run, and the engine never sees it.
func TestCodeThatCannotBeMeteredIsRefused(t *testing.T) {
	for name, test := range map[string]struct {
		code []byte
		want string
	}{
		"tail call":        {wasmtest.Code([]byte{0x12, 0}), "tail call"},
		"atomics":          {wasmtest.Code(wasmtest.I32Const(0), []byte{0xfe, 0x10, 2, 0}, wasmtest.Drop, wasmtest.I64Const(0)), "threads"},
		"unknown function": {wasmtest.Code(wasmtest.Call(99)), "99"},
		"unknown global":   {wasmtest.Code(wasmtest.GlobalGet(0)), "global"},
		"wrong type":       {wasmtest.I32Const(0), "i64"},
	} {
		_, err := refusing(t, runtime.Limits{}).Load(t.Context(), "g", wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), test.code), runtime.GuestOptions{})
		e := asError(t, err)
		assert.Equal(t, runtime.KindRefused, e.Kind, name)
		assert.Contains(t, e.Reason, test.want, name)
	}
	a, err := runtime.Examine("g", wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), wasmtest.I32Const(0)))
	require.NoError(t, err)
	_, err = a.Fresh()
	assert.Equal(t, runtime.KindRefused, asError(t, err).Kind)
}

var endless = wasmtest.Code(wasmtest.Loop(wasmtest.Branch(0)), wasmtest.Unreachable)

// plenty is more fuel than anything here could use.
const plenty = 1 << 50

// unhurried limits are those of tests that are not about time.
var unhurried = runtime.Limits{Time: time.Minute}

// patient limits leave it to the caller to end a call.
var patient = runtime.Limits{Fuel: plenty, Time: time.Minute}

// The guest is not to blame for a caller in a hurry, so that is no failure of its own.
func TestCallersDeadlineIsNoFailureOfTheGuest(t *testing.T) {
	g := load(t, newRuntime(t, runtime.Options{Limits: patient}), wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), endless))
	for range 5 { // three failures would quarantine it
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		_, err := render(ctx, g)
		cancel()
		e := asError(t, err)
		assert.Equal(t, runtime.KindCanceled, e.Kind, e)
		assert.Equal(t, runtime.OriginHost, e.Origin())
		assert.Equal(t, "the caller's deadline passed", e.Reason)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

func TestCallersDeadlineEndsAnEndlessInitialiser(t *testing.T) {
	for _, m := range []wasmtest.Module{
		{Functions: []wasmtest.Function{{Export: abi.InitExport, Code: endless}}},
		{Functions: []wasmtest.Function{{Code: endless}}, Start: 1},
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := newRuntime(t, runtime.Options{}).Load(ctx, "i", wasmtest.Guest(m, wasmtest.Manifest(), wasmtest.I64Const(0)), runtime.GuestOptions{})
		cancel()
		assert.Equal(t, runtime.KindCanceled, asError(t, err).Kind)
	}
}
