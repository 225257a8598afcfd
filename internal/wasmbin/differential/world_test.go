package differential_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmgen"
)

// A world is a set of instances that may import from each other, and their host. Calls of host
// functions are written down.
type world struct {
	engine engine
	slice  int64 // fuel that a tick gives
	most   int   // ticks of one call until the host gives up; 0: any number
	log    []string

	rewritten []*instance
	granted   int64
	ticks     int
	deepest   int64 // how much more fuel was used than there was, at most
	grew      bool  // memory was asked for, whose price can be of any size
}

// An instance is a module as it is or, in a world of its own, rewritten.
type instance struct {
	world     *world
	module    module
	functions map[string]wasmbin.FuncType
	hasMemory bool
	globals   []wasmbin.SavedGlobal // of a rewritten module
}

func newWorld(e engine, slice int64) (*world, error) {
	w := &world{engine: e, slice: slice}
	err := e.host(wasmbin.MeterModule, []hostFunction{
		{wasmbin.TickImport, []byte{0x7f}, nil, w.tick},
		{wasmbin.GrowImport, []byte{0x7f}, []byte{0x7f}, func(_ module, stack []uint64) error {
			w.grew, stack[0] = true, 1
			return nil
		}},
	})
	if err != nil {
		return nil, err
	}
	var list []hostFunction
	for _, h := range wasmgen.Hosts() {
		list = append(list, hostFunction{h.Name, h.Params, h.Results, w.recorder(h)})
	}
	return w, e.host("host", list)
}

// recorder is a host function that writes down what it is called with and answers numbers made of it.
func (w *world) recorder(h wasmgen.Host) func(module, []uint64) error {
	return func(_ module, stack []uint64) error {
		line := fmt.Sprint(h.Name, clean(stack[:len(h.Params)], h.Params))
		w.write(line)
		for i := range h.Results {
			stack[i] = uint64(uint32(len(line)*(i+1)*2654435761+len(w.log))) >> 2 // no NaN
		}
		return nil
	}
}

func (w *world) write(line string) {
	if len(w.log) < 10_000 {
		w.log = append(w.log, line)
	}
}

func (w *world) tick(caller module, stack []uint64) error {
	if uint32(stack[0]) == wasmbin.TickStack {
		return errStack
	}
	if w.ticks++; w.most > 0 && w.ticks > w.most {
		return errEnough
	}
	fuel, ok := caller.global(wasmbin.FuelExport)
	left := int64(fuel)
	if !ok || left >= 0 {
		return fmt.Errorf("a tick with %d of fuel", left)
	}
	w.deepest = max(w.deepest, -left)
	given := (-left + w.slice - 1) / w.slice * w.slice // as many slices as it takes
	w.granted += given
	caller.setGlobal(wasmbin.FuelExport, uint64(left+given))
	return nil
}

// used returns the fuel that all instances have used.
func (w *world) used() int64 {
	used := w.granted
	for _, in := range w.rewritten {
		left, _ := in.module.global(wasmbin.FuelExport)
		used -= int64(left)
	}
	return used
}

// instantiate adds a module. Its start function runs here.
func (w *world) instantiate(bin []byte, name string, rewritten *wasmbin.Instrumented) (*instance, error) {
	if rewritten != nil {
		bin = rewritten.Bytes
	}
	m, err := w.engine.instantiate(bin, name)
	if m == nil {
		return nil, err
	}
	in := &instance{world: w, module: m, functions: map[string]wasmbin.FuncType{}}
	parsed, parseErr := wasmbin.Parse(bin, limits())
	if parseErr != nil {
		return nil, parseErr
	}
	for _, e := range parsed.Exports {
		if e.Kind == wasmbin.FuncKind {
			in.functions[e.Name] = e.Type
		}
	}
	imports := slices.ContainsFunc(parsed.Imports, func(i wasmbin.Import) bool { return i.Kind == wasmbin.MemoryKind })
	in.hasMemory = imports || len(parsed.Memories) > 0
	if rewritten == nil || err != nil {
		return in, err
	}
	in.globals = rewritten.Globals
	w.rewritten = append(w.rewritten, in)
	if rewritten.Start {
		_, err = in.call(wasmbin.StartExport)
	}
	return in, err
}

// call runs an exported function with its arguments in words.
func (in *instance) call(name string, args ...uint64) ([]uint64, error) {
	t, ok := in.functions[name]
	if !ok {
		return nil, fmt.Errorf("no function is exported as %q", name)
	}
	w := in.world
	w.ticks = 0
	for _, other := range w.rewritten {
		other.module.setGlobal(wasmbin.DepthExport, 0)
	}
	results, err := in.module.call(name, args)
	for _, other := range w.rewritten {
		left, _ := other.module.global(wasmbin.FuelExport)
		w.deepest = max(w.deepest, -int64(left))
	}
	if err != nil {
		return nil, err
	}
	return clean(results, binaryTypes(t.Results)), nil
}

func binaryTypes(ts []wasmbin.ValueType) []byte {
	out := make([]byte, len(ts))
	for i, t := range ts {
		out[i] = byte(t)
	}
	return out
}

func hasVector(t wasmbin.FuncType) bool {
	return slices.Contains(t.Params, wasmbin.V128) || slices.Contains(t.Results, wasmbin.V128)
}

// trap says in the same words how runs of both worlds ended.
func trap(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, errStack):
		return errStack.Error()
	}
	return err.Error()
}

// compared is how much of a large memory is compared each time; the rest is looked at once in a while.
const compared = 1 << 20

// differences returns what is not the same in an instance and its rewritten twin, "" if nothing.
func differences(a, b *instance, whole bool) string {
	if a.hasMemory != b.hasMemory {
		return "only one has a memory"
	}
	if a.hasMemory {
		va, vb := a.module.memory(), b.module.memory()
		if vb == nil {
			vb = va // this engine does not show it
		}
		if len(va) != len(vb) {
			return fmt.Sprintf("memory of %d and of %d bytes", len(va), len(vb))
		}
		n := len(va)
		if !whole {
			n = min(n, compared)
		}
		if !bytes.Equal(va[:n], vb[:n]) {
			at := 0
			for va[at] == vb[at] {
				at++
			}
			return fmt.Sprintf("memory at %d: %d and %d", at, va[at], vb[at])
		}
	}
	for _, g := range b.globals {
		want := a.module.(*wazeroModule).indexed(g.Index)
		got, err := b.saved(g)
		if err != nil {
			return err.Error()
		}
		if want != got {
			return fmt.Sprintf("global %d: %#x and %#x", g.Index, want, got)
		}
	}
	return ""
}

// saved returns the value of a global, its lower half if it is a vector, through what the rewriter
// exports for it.
func (in *instance) saved(g wasmbin.SavedGlobal) (uint64, error) {
	if g.Type == wasmbin.V128 {
		low, err := in.module.call(g.GetLow, nil)
		if err != nil {
			return 0, fmt.Errorf("global %d cannot be read: %w", g.Index, err)
		}
		return low[0], nil
	}
	v, ok := in.module.global(g.Export)
	if !ok {
		return 0, fmt.Errorf("global %d is not exported as %q", g.Index, g.Export)
	}
	return v, nil
}
