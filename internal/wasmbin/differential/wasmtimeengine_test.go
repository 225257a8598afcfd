//go:build wasmtime && cgo

package differential_test

import (
	"errors"
	"fmt"
	"math"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// wasmtimeEngine takes everything but v128, for which the bindings have no values, and sees only what
// modules export.
type wasmtimeEngine struct {
	store  *wasmtime.Store
	shared map[string]map[string]wasmtime.AsExtern // what modules import, by module and name
	failed error                                   // of a host function, in the call that runs
}

func newWasmtime() *wasmtimeEngine {
	config := wasmtime.NewConfig()
	config.SetMaxWasmStack(2 << 20)
	return &wasmtimeEngine{
		store:  wasmtime.NewStore(wasmtime.NewEngineWithConfig(config)),
		shared: map[string]map[string]wasmtime.AsExtern{},
	}
}

func (e *wasmtimeEngine) close() {
	e.store.Close()
	e.store.Engine.Close()
}

func (e *wasmtimeEngine) vectors() bool { return false }

var wasmtimeKinds = map[byte]wasmtime.ValKind{
	0x7f: wasmtime.KindI32, 0x7e: wasmtime.KindI64, 0x7d: wasmtime.KindF32, 0x7c: wasmtime.KindF64,
	0x70: wasmtime.KindFuncref, 0x6f: wasmtime.KindExternref,
}

func wasmtimeTypes(of []byte) []*wasmtime.ValType {
	out := make([]*wasmtime.ValType, len(of))
	for i, t := range of {
		out[i] = wasmtime.NewValType(wasmtimeKinds[t])
	}
	return out
}

func (e *wasmtimeEngine) host(module string, functions []hostFunction) error {
	e.shared[module] = map[string]wasmtime.AsExtern{}
	for _, f := range functions {
		t := wasmtime.NewFuncType(wasmtimeTypes(f.params), wasmtimeTypes(f.results))
		call := func(c *wasmtime.Caller, vals []wasmtime.Val) ([]wasmtime.Val, *wasmtime.Trap) {
			stack := make([]uint64, max(len(vals), len(f.results)))
			for i, v := range vals {
				stack[i] = wasmtimeBits(v)
			}
			if err := f.call(wasmtimeCaller{e, c}, stack); err != nil {
				e.failed = err
				return nil, wasmtime.NewTrap(err.Error())
			}
			results := make([]wasmtime.Val, len(f.results))
			for i, t := range f.results {
				results[i] = wasmtimeValue(t, stack[i])
			}
			return results, nil
		}
		e.shared[module][f.name] = wasmtime.NewFunc(e.store, t, call)
	}
	return nil
}

func (e *wasmtimeEngine) instantiate(bin []byte, name string) (module, error) {
	parsed, err := wasmbin.Parse(bin, limits())
	if err != nil {
		return nil, err
	}
	compiled, err := wasmtime.NewModule(e.store.Engine, bin)
	if err != nil {
		return nil, err
	}
	defer compiled.Close()
	var imports []wasmtime.AsExtern
	for _, im := range parsed.Imports {
		extern := e.shared[im.Module][im.Name]
		if extern == nil {
			return nil, fmt.Errorf("import %s.%s is not there", im.Module, im.Name)
		}
		imports = append(imports, extern)
	}
	in, err := wasmtime.NewInstance(e.store, compiled, imports)
	if err != nil {
		return nil, e.reason(err)
	}
	m := &wasmtimeModule{engine: e, instance: in, types: map[string]wasmbin.FuncType{}}
	exports := map[string]wasmtime.AsExtern{}
	for _, x := range parsed.Exports {
		extern := in.GetExport(e.store, x.Name)
		exports[x.Name] = extern
		switch x.Kind {
		case wasmbin.FuncKind:
			m.types[x.Name] = x.Type
		case wasmbin.MemoryKind:
			m.shown = extern.Memory()
		}
	}
	if name != "" {
		e.shared[name] = exports
	}
	return m, nil
}

type wasmtimeModule struct {
	engine   *wasmtimeEngine
	instance *wasmtime.Instance
	types    map[string]wasmbin.FuncType
	shown    *wasmtime.Memory
}

func (m *wasmtimeModule) call(name string, args []uint64) ([]uint64, error) {
	t := m.types[name]
	params, results := binaryTypes(t.Params), binaryTypes(t.Results)
	vals := make([]any, len(args))
	for i, word := range args {
		vals[i] = wasmtimeValue(params[i], word)
	}
	m.engine.failed = nil
	result, err := m.instance.GetFunc(m.engine.store, name).Call(m.engine.store, vals...)
	switch r := result.(type) {
	case nil:
		if err != nil || len(results) == 0 {
			return nil, m.engine.reason(err)
		}
		return []uint64{0}, nil
	case []wasmtime.Val:
		var out []uint64
		for _, v := range r {
			out = append(out, wasmtimeBits(v))
		}
		return out, nil
	case *wasmtime.Func:
		return []uint64{wasmtimeBits(wasmtime.ValFuncref(r))}, nil
	}
	return []uint64{wasmtimeBits(wasmtime.ValExternref(result))}, nil
}

func (m *wasmtimeModule) global(name string) (uint64, bool) {
	return wasmtimeGlobal(m.instance.GetExport(m.engine.store, name), m.engine.store)
}

func wasmtimeGlobal(extern *wasmtime.Extern, store wasmtime.Storelike) (uint64, bool) {
	if extern == nil || extern.Global() == nil {
		return 0, false
	}
	return wasmtimeBits(extern.Global().Get(store)), true
}

func (m *wasmtimeModule) setGlobal(name string, v uint64) {
	wasmtimeSet(m.instance.GetExport(m.engine.store, name), m.engine.store, v)
}

// wasmtimeSet sets a global of the host's or a countdown: an i32 or i64.
func wasmtimeSet(extern *wasmtime.Extern, store wasmtime.Storelike, v uint64) {
	val := wasmtime.ValI64(int64(v))
	if extern.Global().Type(store).Content().Kind() == wasmtime.KindI32 {
		val = wasmtime.ValI32(int32(v))
	}
	if err := extern.Global().Set(store, val); err != nil {
		panic(err)
	}
}

func (m *wasmtimeModule) memory() []byte {
	if m.shown == nil {
		return nil
	}
	return m.shown.UnsafeData(m.engine.store)
}

// A wasmtimeCaller is the module that calls a host function.
type wasmtimeCaller struct {
	engine *wasmtimeEngine
	caller *wasmtime.Caller
}

func (c wasmtimeCaller) call(string, []uint64) ([]uint64, error) { return nil, errors.ErrUnsupported }

func (c wasmtimeCaller) global(name string) (uint64, bool) {
	return wasmtimeGlobal(c.caller.GetExport(name), c.caller)
}

func (c wasmtimeCaller) setGlobal(name string, v uint64) {
	wasmtimeSet(c.caller.GetExport(name), c.caller, v)
}

func (c wasmtimeCaller) memory() []byte { return nil }

func wasmtimeValue(t byte, word uint64) wasmtime.Val {
	switch t {
	case 0x7f:
		return wasmtime.ValI32(int32(word))
	case 0x7e:
		return wasmtime.ValI64(int64(word))
	case 0x7d:
		return wasmtime.ValF32(math.Float32frombits(uint32(word)))
	case 0x7c:
		return wasmtime.ValF64(math.Float64frombits(word))
	case 0x70:
		return wasmtime.ValFuncref(nil)
	}
	if word == 0 {
		return wasmtime.ValExternref(nil)
	}
	return wasmtime.ValExternref(word)
}

// wasmtimeBits returns a word for a value; of a reference to a function only whether there is one.
func wasmtimeBits(v wasmtime.Val) uint64 {
	switch x := v.Get().(type) {
	case int32:
		return uint64(uint32(x))
	case int64:
		return uint64(x)
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	case uint64:
		return x
	case *wasmtime.Func:
		if x != nil {
			return 1
		}
	}
	return 0
}

// reasons has the words of the first engine.
var wasmtimeReasons = map[wasmtime.TrapCode]string{
	wasmtime.StackOverflow:          "stack overflow",
	wasmtime.MemoryOutOfBounds:      "out of bounds memory access",
	wasmtime.TableOutOfBounds:       "invalid table access",
	wasmtime.IndirectCallToNull:     "invalid table access",
	wasmtime.BadSignature:           "indirect call type mismatch",
	wasmtime.IntegerOverflow:        "integer overflow",
	wasmtime.IntegerDivisionByZero:  "integer divide by zero",
	wasmtime.BadConversionToInteger: "invalid conversion to integer",
	wasmtime.UnreachableCodeReached: "unreachable",
}

func (e *wasmtimeEngine) reason(err error) error {
	if err == nil || e.failed != nil {
		return e.failed
	}
	if trap := (*wasmtime.Trap)(nil); errors.As(err, &trap) {
		if code := trap.Code(); code != nil && wasmtimeReasons[*code] != "" {
			return errors.New(wasmtimeReasons[*code])
		}
	}
	return err
}
