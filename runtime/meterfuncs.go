package runtime

import "github.com/pintle-wasm/pintle/internal/wasmbin"

// callFuel is what each call of a host function costs on top of what the function takes for itself: the
// way into the host and back.
const callFuel = 100

// metered makes a function pay for being called.
func metered(f HostFunc) HostFunc {
	call := f.Call
	f.Call = func(s *HostState, mem Memory, stack []uint64) error {
		if err := s.charge(callFuel); err != nil {
			return err
		}
		return call(s, mem, stack)
	}
	return f
}

// meterFuncs returns the functions that rewriting adds to the imports of every module.
func meterFuncs() []HostFunc {
	const i32 = wasmbin.I32
	return []HostFunc{
		{Module: wasmbin.MeterModule, Name: wasmbin.TickImport, Call: tickCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32}}},
		{Module: wasmbin.MeterModule, Name: wasmbin.GrowImport, Call: growCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32}, Results: []wasmbin.ValueType{i32}}},
	}
}

func tickCall(s *HostState, _ Memory, stack []uint64) error {
	err := s.meter.tick(uint32(stack[0]))
	if err == nil {
		s.hurry()
	}
	return err
}

// grow(pages) -> 1 if memory may grow by as many pages, 0 if not.
func growCall(s *HostState, mem Memory, stack []uint64) error {
	pages := uint32(stack[0])
	if err := s.charge(callFuel); err != nil {
		return err
	}
	stack[0] = 0
	if s.grow(uint64(mem.Size()), pages) {
		stack[0] = 1
		s.hurry()
	}
	return nil
}
