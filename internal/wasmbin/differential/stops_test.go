package differential_test

import (
	"bytes"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmbin/proof"
	"github.com/pintle-wasm/pintle/internal/wasmgen"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// A recursion that does its work on the way back passes no entry of a function there. It has to look at
// what is left all the same.
func TestUnwinding(t *testing.T) {
	step := []byte{0x20, 0, 0x20, 1, 0x6c, 0x20, 0, 0x6a, 0x21, 1} // local 1 = local 0 * local 1 + local 0
	deeper := wasmtest.If(wasmtest.LocalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.Call(0), []byte{0x21, 1})
	m := wasmtest.Module{Functions: []wasmtest.Function{{
		Export: "f", Type: wasmtest.SigAlloc, Locals: []wasmbin.ValueType{wasmbin.I32},
		Code: wasmtest.Code(wasmtest.LocalGet(0), deeper, bytes.Repeat(step, 6_000), wasmtest.LocalGet(1)),
	}}}
	bin := m.Encode()
	rewritten, err := rewrite(bin)
	require.NoError(t, err)
	require.NoError(t, proof.Check(rewritten.Bytes))
	w, err := newWorld(firstEngine(t), 10_000)
	require.NoError(t, err)
	in, err := w.instantiate(bin, "", rewritten)
	require.NoError(t, err)
	_, err = in.call("f", 500)
	require.NoError(t, err)
	assert.Greater(t, w.used(), int64(500*2_000), "a recursion that works")
	assert.Less(t, w.deepest, int64(200_000), "units of fuel used beyond what there was")
}

// stops runs what the proof accepts with a host that gives up after a few slices. However the module
// was made, its functions end, without using much more than there was.
func stops(t testing.TB, bin []byte) (proved bool, err error) {
	if proof.Check(bin) != nil {
		return false, nil
	}
	w, err := newWorld(firstEngine(t), 20_000)
	if err != nil {
		return false, err
	}
	w.most = 20
	in, err := w.instantiate(bin, "", &wasmbin.Instrumented{Bytes: bin})
	if err != nil {
		return false, nil // the engine refuses it
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(in.functions)) {
		late := time.AfterFunc(time.Minute, func() { panic("a function that is proved does not end") })
		_, _ = in.call(name, arguments(r, in.functions[name].Params)...) // any trap will do
		late.Stop()
		if over := w.deepest; over > 5_000_000 && !w.grew {
			return true, errors.New("far more fuel is used than there was")
		}
	}
	return true, nil
}

// edited returns the rewritten form of a generated module with a few bytes of its code changed.
func edited(data []byte, edits []byte) []byte {
	rewritten, err := rewrite(wasmgen.Module(data))
	if err != nil {
		return nil
	}
	bin := bytes.Clone(rewritten.Bytes)
	m, err := wasmbin.Parse(bin, limits())
	if err != nil {
		return nil
	}
	for _, s := range m.Sections {
		if s.ID != codeSection {
			continue
		}
		for ; len(edits) >= 4; edits = edits[4:] {
			at := s.Body + (int(edits[0])<<8+int(edits[1]))%(s.End-s.Body)
			switch edits[2] % 3 {
			case 0:
				bin[at] = 0x01
			case 1:
				bin[at] = edits[3]
			case 2:
				from := s.Body + (int(edits[3])<<5+int(edits[2]))%(s.End-s.Body)
				n := min(int(edits[2]>>4), s.End-at, s.End-from)
				copy(bin[at:at+n], bytes.Clone(bin[from:from+n]))
			}
		}
	}
	return bin
}

func TestProvedStops(t *testing.T) {
	proved := 0
	for seed := range uint64(400) {
		edits := randomBytes(seed+1, 16)
		ok, err := stops(t, edited(randomBytes(seed, 2_000), edits))
		require.NoError(t, err, "seed %d", seed)
		if ok {
			proved++
		}
	}
	assert.Greater(t, proved, 100)
}

func FuzzProvedStops(f *testing.F) {
	f.Add([]byte("any bytes make a module"), []byte{0, 100, 0, 0})
	f.Fuzz(func(t *testing.T, data, edits []byte) {
		if len(data) > 5_000 || len(edits) > 40 {
			return
		}
		_, err := stops(t, edited(data, edits))
		require.NoError(t, err)
	})
}
