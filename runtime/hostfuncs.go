package runtime

import (
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// Functions of the module pintle/1.
const (
	importLog    = "log"
	importPanic  = "panic"
	importConfig = "config"
)

const offeredModules = abi.HostModule + " (log, panic, config, kv_get, kv_set, kv_delete) and a subset of " + wasi.Module

// Bounds of what a guest hands to host functions. The work of a host function is paid for by no
// instruction of the guest, so it must not grow with numbers that the guest makes up.
const (
	maxReasonBytes = 4 << 10
	maxKeyBytes    = 256
)

var (
	errGuestPanic = errors.New("the guest panicked")
	errOutside    = errors.New("a range outside memory was handed to the host")
)

// hostFuncs returns every function that a guest may import.
func hostFuncs() []HostFunc {
	const i32 = wasmbin.I32
	funcs := []HostFunc{
		{Module: abi.HostModule, Name: importLog, Call: logCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32}}},
		{Module: abi.HostModule, Name: importPanic, Call: panicCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32}}},
		{Module: abi.HostModule, Name: importConfig, Call: configCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32, i32}, Results: []wasmbin.ValueType{i32}}},
	}
	funcs = append(funcs, kvFuncs()...)
	for _, f := range wasi.Functions() {
		funcs = append(funcs, HostFunc{Module: wasi.Module, Name: f.Name, Type: f.Type,
			Call: func(state *HostState, mem Memory, stack []uint64) error {
				return f.Call(state.system, mem, stack)
			}})
	}
	for i, f := range funcs {
		funcs[i] = metered(f)
	}
	return funcs
}

// imported returns the host functions that a guest imports once it is rewritten.
func imported(a *Artifact) []HostFunc {
	used := map[[2]string]bool{}
	for _, im := range a.module.Imports {
		used[[2]string{im.Module, im.Name}] = true
	}
	var funcs []HostFunc
	offered := hostFuncs()
	if a.script != nil {
		for _, f := range engineFuncs() {
			offered = append(offered, metered(f))
		}
	}
	for _, f := range offered {
		if used[[2]string{f.Module, f.Name}] {
			funcs = append(funcs, f)
		}
	}
	return append(funcs, meterFuncs()...)
}

// log(level, ptr, len): levels 0 debug, 1 info, 2 warn, 3 error; any other counts as info.
func logCall(s *HostState, mem Memory, stack []uint64) error {
	// What is beyond the quota is not even read.
	n := uint32(min(uint64(uint32(stack[2])), uint64(s.logs.room())))
	text, ok := mem.Read(uint32(stack[1]), n)
	if !ok {
		return errOutside
	}
	if err := s.charge(int(n)); err != nil {
		return err
	}
	s.logs.add(guestLevel(uint32(stack[0])), string(text))
	s.logs.drop(int64(uint32(stack[2]) - n))
	return nil
}

// panic(ptr, len) never returns to the guest.
func panicCall(s *HostState, mem Memory, stack []uint64) error {
	n := min(uint32(stack[1]), maxReasonBytes)
	text, ok := mem.Read(uint32(stack[0]), n)
	if !ok {
		return errOutside
	}
	s.reason = strings.ToValidUTF8(string(text), "\uFFFD")
	return errGuestPanic
}

// config(key ptr, key len, buffer ptr, buffer len) -> length of the value, or -1 if there is none. The
// value is written if the buffer is large enough for it.
func configCall(s *HostState, mem Memory, stack []uint64) error {
	const none = uint64(^uint32(0))
	keyLen := uint32(stack[1])
	if keyLen > maxKeyBytes {
		stack[0] = none
		return nil
	}
	key, ok := mem.Read(uint32(stack[0]), keyLen)
	if !ok {
		return errOutside
	}
	value, ok := s.config[string(key)]
	if !ok {
		stack[0] = none
		return nil
	}
	if err := s.charge(len(value)); err != nil {
		return err
	}
	if uint64(len(value)) <= uint64(uint32(stack[3])) && !mem.Write(uint32(stack[2]), []byte(value)) {
		return errOutside
	}
	stack[0] = uint64(len(value))
	return nil
}
