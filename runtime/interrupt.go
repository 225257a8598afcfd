package runtime

import (
	"fmt"
	"time"

	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// What a guest in JavaScript gets on top of its limits for its last words: the engine asks now and then
// whether to stop, throws what the program cannot catch, and so the report has a stack.
const (
	spareFuel = 50_000_000
	spareTime = 250 * time.Millisecond // or a quarter of what the host gives a call, if that is more
	// The reserve of memory is a part of what the guest may have: a quarter, at most maxSpareBytes.
	maxSpareBytes = 4 << 20
	// So often it may go on although it has to stop, to be stopped inside a function that the report can name.
	maxPatience = 100
)

// interrupts is the state of the engine's question whether to stop.
type interrupts struct {
	spareBytes uint64 // of its memory, which the guest may take but not keep
	greedy     bool   // it took some
	stop       error  // why it was told to stop
	calm       bool   // it is having its last words
	patience   int    // how often it was not stopped, since no function ran
	vm         *quickjs.VM
}

// greed is the reason for which a guest is told to stop that takes the last of its memory.
type greed struct{ bytes uint64 }

func (e *greed) Error() string {
	return fmt.Sprintf("it wanted more than its %d KiB of memory", e.bytes>>10)
}

// reserve sets what is kept for last words, which may take so long.
func (s *HostState) reserve(spareTime time.Duration) {
	s.spareBytes = min(s.memoryBytes/4, maxSpareBytes)
	s.meter.spareFuel, s.meter.spareTime = spareFuel, spareTime
}

// interrupted tells whether the guest has to stop.
func (s *HostState) interrupted() bool {
	if s.calm || s.stop != nil {
		return !s.calm
	}
	why := s.meter.overdue()
	if s.greedy {
		why = &greed{s.memoryBytes}
	}
	if why != nil && s.vm.Idle() && s.patience < maxPatience {
		s.patience++
		s.vm.Hurry()
		return false
	}
	s.stop = why
	return why != nil
}

// hurry lets a guest that has to stop ask for it at once.
func (s *HostState) hurry() {
	if s.vm != nil && !s.calm && s.stop == nil && (s.greedy || s.meter.overdue() != nil) {
		s.vm.Hurry()
	}
}

// engineModule is the import module of the JavaScript engine.
const engineModule = "env"

// engineFuncs are what the engine imports beside WASI. It asks whether to stop, and tells of promises that
// nobody handles; the rest would let a program call the host, and does nothing.
func engineFuncs() []HostFunc {
	const i32 = wasmbin.I32
	result := []wasmbin.ValueType{i32}
	nothing := func(_ *HostState, _ Memory, stack []uint64) error {
		if len(stack) > 0 {
			stack[0] = 0
		}
		return nil
	}
	ask := func(s *HostState, _ Memory, stack []uint64) error {
		if stack[0] = 0; s.interrupted() {
			stack[0] = 1
			s.vm.Hurry() // again: there are ways to go on, and none leads far
		}
		return nil
	}
	rejected := func(s *HostState, _ Memory, stack []uint64) error {
		s.vm.Rejected(uint32(stack[0]), uint32(stack[1]), uint32(stack[2]) != 0)
		return nil
	}
	return []HostFunc{
		{Module: engineModule, Name: "host_interrupt", Call: ask, Type: wasmbin.FuncType{Results: result}},
		{Module: engineModule, Name: "host_get_timezone_offset", Call: nothing, // UTC
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32}, Results: result}},
		{Module: engineModule, Name: "host_promise_rejection", Call: rejected,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32}}},
		{Module: engineModule, Name: "host_module_normalize", Call: nothing,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32}, Results: result}},
		{Module: engineModule, Name: "host_module_load", Call: nothing,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32}, Results: result}},
		{Module: engineModule, Name: "host_call", Call: nothing,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32, i32, i32}, Results: result}},
	}
}
