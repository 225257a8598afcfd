package runtime

import (
	"context"
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

const offeredModules = abi.HostModule + " (log, panic, config) and a subset of " + wasi.Module

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
	for _, f := range wasi.Functions() {
		funcs = append(funcs, HostFunc{Module: wasi.Module, Name: f.Name, Type: f.Type,
			Call: func(ctx context.Context, state *HostState, mem Memory, stack []uint64) error {
				return f.Call(ctx, state.system, mem, stack)
			}})
	}
	return funcs
}

// imported returns the host functions that a module imports, in the order of hostFuncs.
func imported(m *wasmbin.Module) []HostFunc {
	used := map[[2]string]bool{}
	for _, im := range m.Imports {
		used[[2]string{im.Module, im.Name}] = true
	}
	var funcs []HostFunc
	for _, f := range hostFuncs() {
		if used[[2]string{f.Module, f.Name}] {
			funcs = append(funcs, f)
		}
	}
	return funcs
}

// A HostState is what the host holds for one instance. It is made and used by this package; engines
// only carry it.
type HostState struct {
	system *wasi.System
	logs   *logBuffer
	config map[string]string // declared keys only
	reason string            // given to panic
}

func newHostState(seed [32]byte, config map[string]string, logBytes int) *HostState {
	s := &HostState{logs: &logBuffer{limit: logBytes}, config: config}
	s.system = wasi.NewSystem(seed, func(fd int, text []byte) { s.logs.stream(fd, text) })
	return s
}

// log(level, ptr, len): levels 0 debug, 1 info, 2 warn, 3 error; any other counts as info.
func logCall(_ context.Context, s *HostState, mem Memory, stack []uint64) error {
	// What is beyond the quota is not even read.
	n := uint32(min(uint64(uint32(stack[2])), uint64(s.logs.room())))
	text, ok := mem.Read(uint32(stack[1]), n)
	if !ok {
		return errOutside
	}
	s.logs.add(guestLevel(uint32(stack[0])), string(text))
	s.logs.drop(int64(uint32(stack[2]) - n))
	return nil
}

// panic(ptr, len) never returns to the guest.
func panicCall(_ context.Context, s *HostState, mem Memory, stack []uint64) error {
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
func configCall(_ context.Context, s *HostState, mem Memory, stack []uint64) error {
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
	if uint64(len(value)) <= uint64(uint32(stack[3])) && !mem.Write(uint32(stack[2]), []byte(value)) {
		return errOutside
	}
	stack[0] = uint64(len(value))
	return nil
}
