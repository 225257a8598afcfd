package runtime_test

import (
	"context"
	"fmt"
	"log/slog"
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

// A keeper is a guest that tries to keep something from one call to the next.
type keeper struct {
	module   wasmtest.Module
	sections [][]byte // id of the section behind it, own id, contents
	// keep pushes an i32 that is another one if the guest ran before.
	keep []byte
	// once says that it is another one only the first time.
	once bool
	// fresh is a part of the reason why it cannot be put back; empty: it can.
	fresh string
}

const keptAt = 4096

// file is the guest, which answers one letter made of the four lowest bits. If it can be put back, it has
// begun to keep things when it was started, so that there is something to put back.
func (k keeper) file(change func(*abi.Manifest)) []byte {
	answer := wasmtest.Text("?")
	m := k.module
	m.Data = append([]wasmtest.Data{{Offset: 16, Bytes: answer}}, m.Data...)
	if k.fresh == "" && !k.once {
		m.Functions = []wasmtest.Function{{Export: abi.InitExport, Code: wasmtest.Code(k.keep, wasmtest.Drop)}}
	}
	manifest := wasmtest.Manifest()
	change(manifest)
	file := wasmtest.Guest(m, manifest, wasmtest.Code(
		wasmtest.I32Const(int32(16+len(answer)-1)), k.keep, wasmtest.I32Const(15), 0x71, // i32.and
		wasmtest.I32Const('a'), wasmtest.I32Add, wasmtest.I32Store8(),
		wasmtest.Answer(16, uint32(len(answer)))))
	for _, s := range k.sections {
		file = insertBefore(file, s[0], s[1], s[2:]...)
	}
	return file
}

func stateless(*abi.Manifest) {}

func perSession(m *abi.Manifest) { m.State = abi.StateSession }

// random makes a guest that is never put back, since it does not say how to reseed it.
func random(m *abi.Manifest) {
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityRandom, Reason: "tests"}}
}

func keepers() map[string]keeper {
	const i32, i64 = wasmbin.I32, wasmbin.I64
	code := wasmtest.Code
	increment := func(at int32) []byte {
		return code(wasmtest.I32Const(at), wasmtest.I32Const(at), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.I32Store8(),
			wasmtest.I32Const(at), wasmtest.I32Load8())
	}
	global := func(t wasmbin.ValueType, one []byte, add int, toI32 ...byte) keeper {
		return keeper{module: wasmtest.Module{Typed: []wasmbin.ValueType{t}},
			keep: code(wasmtest.GlobalGet(0), one, add, wasmtest.GlobalSet(0), wasmtest.GlobalGet(0), toI32)}
	}
	wasi := func(name string, params ...wasmbin.ValueType) wasmtest.Module {
		return wasmtest.Module{Imports: []wasmtest.Import{{Module: "wasi_snapshot_preview1", Name: name,
			Type: wasmbin.FuncType{Params: params, Results: []wasmbin.ValueType{i32}}}}}
	}
	funcTable := []byte{5, 4, 1, 0x70, 0, 2} // before the memories: one table of two functions
	marker := []byte{0xd2, 0}                // ref.func: the marker is function 0 and exported
	vector := append([]byte{7, 6, 1, 0x7b, 1, 0xfd, 12}, make([]byte, 16)...)
	lane := func(n int) []byte { // of four
		return code(wasmtest.GlobalGet(0), wasmtest.GlobalGet(0), []byte{0xfd, 0x1b, byte(n)}, wasmtest.I32Const(1), wasmtest.I32Add,
			[]byte{0xfd, 0x1c, byte(n)}, wasmtest.GlobalSet(0), wasmtest.GlobalGet(0), []byte{0xfd, 0x1b, byte(n)})
	}
	grow := code(wasmtest.I32Const(1), wasmtest.MemoryGrow())
	return map[string]keeper{
		"memory":          {keep: increment(keptAt)},
		"end of memory":   {keep: increment(1<<16 - 1)},
		"request buffer":  {keep: increment(wasmtest.RequestAt + 8000)},
		"memory of zeros": {module: wasmtest.Module{Pages: 4}, keep: increment(2 << 16)},
		"i32":             global(i32, wasmtest.I32Const(1), wasmtest.I32Add),
		"i64":             global(i64, wasmtest.I64Const(1<<32+1), 0x7c, 0x42, 32, 0x88, 0xa7), // add; the upper half
		"f32":             global(wasmbin.F32, []byte{0x43, 0, 0, 0x80, 0x3f}, 0x92, 0xa8),
		"f64":             global(wasmbin.F64, []byte{0x44, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}, 0xa0, 0xaa),
		"v128, low":       {sections: [][]byte{append(vector, 0x0b)}, keep: lane(0)},
		"v128, high":      {sections: [][]byte{append(vector, 0x0b)}, keep: lane(3)},
		"size of memory":  {keep: grow},
		"grown memory":    {keep: code(grow, wasmtest.Drop, increment(1<<16), wasmtest.MemoryGrow(), wasmtest.Drop, wasmtest.I32Const(1<<16), wasmtest.I32Load8())},
		"table size": {sections: [][]byte{funcTable}, fresh: "table.grow",
			keep: code([]byte{0xd0, 0x70}, wasmtest.I32Const(1), []byte{0xfc, 15, 0})},
		"table entry": {sections: [][]byte{funcTable}, fresh: "table.set", keep: code(
			wasmtest.I32Const(1), []byte{0x25, 0, 0xd1}, wasmtest.I32Const(1), marker, []byte{0x26, 0})},
		"function": {sections: [][]byte{{7, 6, 1, 0x70, 1, 0xd0, 0x70, 0x0b}}, fresh: "funcref", keep: code(
			wasmtest.GlobalGet(0), 0xd1, marker, wasmtest.GlobalSet(0))},
		"dropped elements": {sections: [][]byte{funcTable, {10, 9, 1, 1, 0, 1, 0}}, fresh: "elem.drop", keep: code( // traps the second time
			wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Const(1), []byte{0xfc, 12, 0, 0, 0xfc, 13, 0}, wasmtest.I32Const(1))},
		"descriptor": {once: true, module: wasi("fd_close", i32), keep: code(wasmtest.I32Const(1), wasmtest.Call(0))},
		"clock": {module: wasi("clock_time_get", i32, i64, i32), keep: code(
			wasmtest.I32Const(1), wasmtest.I64Const(1), wasmtest.I32Const(keptAt), wasmtest.Call(0), wasmtest.Drop,
			wasmtest.I32Const(keptAt), wasmtest.I32Load8(), wasmtest.I32Const(3), 0x76)},
		"random": {module: wasi("random_get", i32, i32), keep: code(
			wasmtest.I32Const(keptAt), wasmtest.I32Const(1), wasmtest.Call(0), wasmtest.Drop, wasmtest.I32Const(keptAt), wasmtest.I32Load8())},
	}
}

// Nothing that a guest can change is there in the next call, whether the instance is put back or is
// another one. In a session it is, and not in the next session.
func TestNothingIsKept(t *testing.T) {
	for name, k := range keepers() {
		t.Run(name, func(t *testing.T) {
			say := func(g *runtime.Guest, session string) string {
				value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte{0xa0}})
				if err != nil {
					return asError(t, err).Reason
				}
				text, err := abi.Text(value)
				require.NoError(t, err)
				return text
			}
			r := newRuntime(t, runtime.Options{})
			g := load(t, r, k.file(stateless))
			if k.fresh == "" {
				assert.True(t, g.Reset().Copied, g.Reset())
			} else {
				assert.Contains(t, strings.Join(g.Reset().Reasons, "\n"), k.fresh)
			}
			first := say(g, "a")
			assert.Len(t, first, 1)
			for i := range 6 {
				assert.Equal(t, first, say(g, fmt.Sprint(i)))
			}

			if grew := g.Reset().MemoryBytes > 4<<16; k.fresh == "" && !grew && name != "random" {
				anew, err := r.Load(t.Context(), "anew", k.file(random), runtime.GuestOptions{Grants: []string{abi.CapabilityRandom}})
				require.NoError(t, err)
				assert.False(t, anew.Reset().Copied)
				assert.Equal(t, say(anew, ""), first, "an image is what starting gives")
			}

			g = load(t, r, k.file(perSession))
			if name != "random" { // the seed is the file's digest
				assert.Equal(t, first, say(g, "a"))
			} else {
				first = say(g, "a")
			}
			next := say(g, "a")
			if first == next { // one letter of sixteen can be the same
				next = say(g, "a")
			}
			assert.NotEqual(t, first, next, "a session goes on")
			assert.Equal(t, first, say(g, "b"))
		})
	}
}

// A request that is longer than the next one is not there when that comes.
func TestLongerRequestIsForgotten(t *testing.T) {
	secret := wasmtest.Text("secret")
	const at = 300
	long := append(make([]byte, at), secret...)
	for name, code := range map[string][]byte{
		"guest that cannot write": wasmtest.Answer(wasmtest.RequestAt+at, uint32(len(secret))),
		"guest that writes":       wasmtest.Code(wasmtest.I32Const(0), wasmtest.I32Const(0), wasmtest.I32Store8(), wasmtest.Answer(wasmtest.RequestAt+at, uint32(len(secret)))),
	} {
		g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), code))
		for range 3 {
			value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: long})
			require.NoError(t, err, name)
			assert.Equal(t, secret[2:], value)
			_, err = g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: []byte{0xa0}})
			assert.Equal(t, runtime.KindBadAnswer, asError(t, err).Kind, name)
		}
	}
}

// A guest that writes nothing itself can let the host write.
func TestWhatTheHostWroteIsForgotten(t *testing.T) {
	answer := wasmtest.Text("kept")
	random := wasmtest.Import{Module: "wasi_snapshot_preview1", Name: "random_get",
		Type: wasmbin.FuncType{Params: []wasmbin.ValueType{wasmbin.I32, wasmbin.I32}, Results: []wasmbin.ValueType{wasmbin.I32}}}
	spoil := wasmtest.Code(wasmtest.I32Const(16), wasmtest.I32Const(int32(len(answer))), wasmtest.Call(0), wasmtest.Drop)
	g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(
		wasmtest.Module{Imports: []wasmtest.Import{random}, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, wasmtest.Manifest(),
		wasmtest.Code(wasmtest.LocalGet(1), wasmtest.I32Const(2), 0x46, wasmtest.If(spoil), wasmtest.Answer(16, uint32(len(answer)))))) // i32.eq
	for range 3 {
		text, err := render(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, "kept", text)
		_, err = g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: []byte{0x81, 0}})
		assert.Equal(t, runtime.KindBadAnswer, asError(t, err).Kind)
	}
}

// A guest whose memory settles in the warm-up is put back; one that always wants more gets new instances.
func TestImageLearnsTheSize(t *testing.T) {
	answer := wasmtest.Text("x")
	grow := wasmtest.Code(wasmtest.I32Const(1), wasmtest.MemoryGrow(), wasmtest.Drop)
	say := wasmtest.Answer(16, uint32(len(answer)))
	// memory.size below 3 pages: grow
	settles := wasmtest.Code([]byte{0x3f, 0}, wasmtest.I32Const(3), 0x49, wasmtest.If(grow), say)
	for name, test := range map[string]struct {
		code  []byte
		pages int
	}{"settles": {settles, 3}, "grows": {wasmtest.Code(grow, say), 4}, "traps": {wasmtest.Code(grow, wasmtest.Unreachable), 1}} {
		e := newTally()
		r := runtime.New(e, runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: unhurried})
		g := load(t, r, wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, wasmtest.Manifest(), test.code))
		assert.Equal(t, runtime.Reset{Copied: true, ImageBytes: 4096, MemoryBytes: test.pages << 16}, g.Reset(), name)
		made := e.made.Load()
		for range 4 {
			_, err := render(t.Context(), g)
			assert.Equal(t, name == "traps", err != nil)
		}
		if name == "settles" {
			assert.Zero(t, e.made.Load()-made, "one instance for all")
		} else {
			assert.GreaterOrEqual(t, e.made.Load()-made, int64(3), name)
		}
		require.NoError(t, r.Close(t.Context()))
	}
}

func TestLargeMemoryHasNoImage(t *testing.T) {
	for pages, copied := range map[uint32]bool{256: true, 257: false} {
		answer := wasmtest.Text("x")
		g := load(t, newRuntime(t, runtime.Options{}), wasmtest.Guest(wasmtest.Module{Pages: pages, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}},
			wasmtest.Manifest(), wasmtest.Answer(16, uint32(len(answer)))))
		assert.Equal(t, copied, g.Reset().Copied)
		if !copied {
			assert.Equal(t, []string{"its memory of 16448 KiB is too large for an image, which has at most 16384 KiB"}, g.Reset().Reasons)
		}
		text, err := render(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, "x", text)
	}
}

// The initialiser and the start function run once, and their work is in every instance.
func TestInitialiserIsInTheImage(t *testing.T) {
	answer := wasmtest.Text("?")
	last := int32(16 + len(answer) - 1)
	add := func(n int32) []byte {
		return wasmtest.Code(wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(n), wasmtest.I32Add, wasmtest.I32Store8())
	}
	for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
		manifest := wasmtest.Manifest()
		manifest.State = state
		file := wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}, Start: 1, Functions: []wasmtest.Function{
			{Code: add(1)}, {Export: abi.InitExport, Code: add(2)}}}, manifest, wasmtest.Answer(16, uint32(len(answer))))
		g := load(t, newRuntime(t, runtime.Options{}), file)
		for i := range 3 {
			value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: fmt.Sprint(i), Request: []byte{0xa0}})
			require.NoError(t, err)
			text, err := abi.Text(value)
			require.NoError(t, err)
			assert.Equal(t, string(rune('?'+3)), text)
		}
	}
}

// Real random numbers: without a way to reseed the guest it is never put back; with one, it is told to.
func TestReseed(t *testing.T) {
	manifest := wasmtest.Manifest()
	manifest.Capabilities = []abi.Capability{{Name: abi.CapabilityRandom, Reason: "tests"}}
	answer := wasmtest.Text("?")
	last := int32(16 + len(answer) - 1)
	file := func(functions ...wasmtest.Function) []byte {
		return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}, Functions: functions}, manifest,
			wasmtest.Answer(16, uint32(len(answer))))
	}
	reseed := wasmtest.Function{Export: "pintle_reseed", Code: wasmtest.Code(
		wasmtest.I32Const(last), wasmtest.I32Const(last), wasmtest.I32Load8(), wasmtest.I32Const(1), wasmtest.I32Add, wasmtest.I32Store8())}
	for name, test := range map[string]struct {
		file    []byte
		granted []string
		copied  bool
		says    string
	}{
		"not granted":      {file(), nil, true, "?"},
		"cannot reseed":    {file(), []string{abi.CapabilityRandom}, false, "?"},
		"reseeds":          {file(reseed), []string{abi.CapabilityRandom}, true, "@"},
		"nothing to do so": {file(reseed), nil, true, "?"},
	} {
		g, err := newRuntime(t, runtime.Options{}).Load(t.Context(), "r", test.file, runtime.GuestOptions{Grants: test.granted})
		require.NoError(t, err)
		assert.Equal(t, test.copied, g.Reset().Copied, name)
		for range 3 {
			text, err := render(t.Context(), g)
			require.NoError(t, err)
			assert.Equal(t, test.says, text, name)
		}
		fresh, err := g.Artifact().Fresh()
		require.NoError(t, err)
		assert.Equal(t, len(fresh) == 0, strings.Contains(name, "so") || name == "reseeds", name)
	}
}

// What a guest logs while it rehearses is nobody's business; what its initialiser logs is.
func TestRehearsalsAreNotLogged(t *testing.T) {
	var out strings.Builder
	r := newRuntime(t, runtime.Options{Logger: slog.New(slog.NewTextHandler(&out, nil))})
	say := func(at int32) []byte {
		return wasmtest.Code(wasmtest.I32Const(1), wasmtest.I32Const(at), wasmtest.I32Const(5), wasmtest.Call(0))
	}
	answer := wasmtest.Text("x")
	g := load(t, r, wasmtest.Guest(wasmtest.Module{
		Imports:   []wasmtest.Import{{Module: abi.HostModule, Name: "log", Type: wasmtest.SigLog}},
		Data:      []wasmtest.Data{{Offset: 16, Bytes: answer}, {Offset: 64, Bytes: []byte("startaskednever")}},
		Functions: []wasmtest.Function{{Export: abi.InitExport, Code: say(64)}},
	}, wasmtest.Manifest(), wasmtest.Code(say(69), wasmtest.Answer(16, uint32(len(answer))))))
	assert.Equal(t, 1, strings.Count(out.String(), "start"))
	assert.NotContains(t, out.String(), "asked")
	for range 2 {
		_, err := render(t.Context(), g)
		require.NoError(t, err)
	}
	assert.Equal(t, 1, strings.Count(out.String(), "start"))
	assert.Equal(t, 2, strings.Count(out.String(), "asked"))
}

// A caller that gives up while the guest rehearses has loaded nothing.
func TestCallerGivesUpDuringTheRehearsal(t *testing.T) {
	e, r := tallied(t, runtime.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	e.returned = func(function string) {
		if function == abi.RenderV1 {
			cancel()
		}
	}
	_, err := r.Load(ctx, "x", wasmtest.Says("x"), runtime.GuestOptions{})
	assert.Equal(t, runtime.KindCanceled, asError(t, err).Kind)
	assert.Zero(t, e.open.Load())
}

// Rehearsals take no longer than ordinary calls, whatever a host allows.
func TestRehearsalsEnd(t *testing.T) {
	r := newRuntime(t, runtime.Options{Limits: patient})
	for _, file := range [][]byte{spinning(), allocating(endless)} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		g, err := r.Load(ctx, "endless", file, runtime.GuestOptions{})
		cancel()
		require.NoError(t, err)
		assert.True(t, g.Reset().Copied, "the image is that of the start")
	}
}
