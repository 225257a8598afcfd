package hostile

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func brokenGenerators() map[string]generator {
	return map[string]generator{
		"truncated":       truncated,
		"cut-at-sections": cutAtSections,
		"bit-flips":       bitFlips,
		"changed-bytes":   changedBytes,
	}
}

// whole is a guest that has something in every kind of section.
func whole(m *abi.Manifest) []byte {
	return attacking(wasmtest.Module{
		Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "log", Type: wasmtest.SigLog}},
		Globals: 2, Typed: []wasmbin.ValueType{wasmbin.I64, wasmbin.F64},
		Functions: []wasmtest.Function{{Export: abi.InitExport, Type: wasmtest.SigNone, Code: wasmtest.Code(wasmtest.I32Const(7), wasmtest.GlobalSet(0))}},
		Data:      []wasmtest.Data{{Offset: 64, Bytes: []byte("a line")}},
		Trailing:  []wasmtest.Custom{{Name: "name", Bytes: []byte{1, 7, 1, 1, 4, 'i', 'n', 'i', 't'}}},
	}, m,
		wasmtest.I32Const(1), wasmtest.I32Const(64), wasmtest.I32Const(6), wasmtest.Call(0),
		wasmtest.Loop(wasmtest.GlobalGet(0), wasmtest.I32Const(1), wasmtest.I32Sub, wasmtest.GlobalSet(0), wasmtest.GlobalGet(0), wasmtest.If(wasmtest.Branch(1))))
}

// truncated is the guest cut off behind each of its bytes, except where that leaves whole sections.
func truncated(m *abi.Manifest) ([]variant, error) {
	file := whole(m)
	ends := map[int]bool{}
	end := 0
	for _, s := range sections(file) {
		end += len(s)
		ends[end] = true
	}
	var out []variant
	for n := range len(file) {
		if !ends[n] {
			out = append(out, variant{fmt.Sprintf("%d bytes", n), file[:n]})
		}
	}
	return out, nil
}

// cutAtSections is the guest with fewer and fewer sections.
func cutAtSections(m *abi.Manifest) ([]variant, error) {
	s := sections(whole(m))
	var out []variant
	for n := range s {
		out = append(out, variant{fmt.Sprintf("%d sections", n), slices.Concat(s[:n+1]...)})
	}
	return out, nil
}

// changes is how many files are changed in each way.
const changes = 400

func bitFlips(m *abi.Manifest) ([]variant, error) {
	file := whole(m)
	var out []variant
	for seed := range uint64(changes) {
		r := rand.New(rand.NewPCG(seed, 1))
		changed := bytes.Clone(file)
		for range 1 + r.IntN(4) {
			at := afterManifest(r, changed)
			changed[at] ^= 1 << r.IntN(8)
		}
		out = append(out, variant{fmt.Sprintf("flips %d", seed), changed})
	}
	return out, nil
}

// changedBytes has bytes replaced, taken out and put in.
func changedBytes(m *abi.Manifest) ([]variant, error) {
	file := whole(m)
	var out []variant
	for seed := range uint64(changes) {
		r := rand.New(rand.NewPCG(seed, 2))
		changed := bytes.Clone(file)
		for range 1 + r.IntN(3) {
			at := afterManifest(r, changed)
			switch b := byte(r.Uint32()); r.IntN(3) {
			case 0:
				changed[at] = b
			case 1:
				changed = append(changed[:at], changed[at+1:]...)
			default:
				changed = append(changed[:at], append([]byte{b}, changed[at:]...)...)
			}
		}
		out = append(out, variant{fmt.Sprintf("changes %d", seed), changed})
	}
	return out, nil
}

// afterManifest chooses a byte, mostly one behind the manifest: what is changed in there is nearly always
// refused for the same reason.
func afterManifest(r *rand.Rand, file []byte) int {
	start := bytes.Index(file, []byte("\x01\x0c")) // rough: the type section
	if start < 0 || r.IntN(8) == 0 {
		start = 0
	}
	return start + r.IntN(len(file)-start)
}
