package runtime

import (
	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// Functions of the module pintle/1 for guests that ask for kv.
const (
	importKVGet    = "kv_get"
	importKVSet    = "kv_set"
	importKVDelete = "kv_delete"
)

// Results of the functions of kv.
const (
	kvDone   = 0
	kvNone   = uint64(^uint32(0))     // -1: nothing there, or no room
	kvDenied = uint64(^uint32(0) - 1) // -2: the host did not grant it
)

// kvFuncs are callable by every guest that asks for kv in its manifest; what they do depends on the grant.
func kvFuncs() []HostFunc {
	const i32 = wasmbin.I32
	return []HostFunc{
		{Module: abi.HostModule, Name: importKVGet, Call: kvGetCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32, i32}, Results: []wasmbin.ValueType{i32}}},
		{Module: abi.HostModule, Name: importKVSet, Call: kvSetCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32, i32}, Results: []wasmbin.ValueType{i32}}},
		{Module: abi.HostModule, Name: importKVDelete, Call: kvDeleteCall,
			Type: wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32}, Results: []wasmbin.ValueType{i32}}},
	}
}

// withKV runs f for the key that a guest names, if it may use its kv and the key can exist at all;
// otherwise it answers for f.
func (s *HostState) withKV(mem Memory, stack []uint64, f func(kv *kvCall, key string) (uint64, error)) error {
	if s.kv == nil {
		stack[0] = kvDenied
		return nil
	}
	n := uint32(stack[1])
	if n > maxKeyBytes {
		stack[0] = kvNone
		return nil
	}
	view, ok := mem.Read(uint32(stack[0]), n)
	if !ok {
		return errOutside
	}
	if err := s.charge(int(n)); err != nil {
		return err
	}
	key := string(view)
	if !s.kv.opened {
		if err := s.openKV(); err != nil {
			return err
		}
	}
	if s.kv.failed {
		stack[0] = kvDenied
		return nil
	}
	result, err := f(s.kv, key)
	stack[0] = result
	return err
}

// openKV makes the kv ready for the first function that uses it.
func (s *HostState) openKV() error {
	ctx, cancel := s.waiting()
	defer cancel()
	if err := s.kv.open(ctx); err != nil {
		return err
	}
	return s.charge(s.kv.bytes + kvEntryCost*len(s.kv.entries))
}

// kv_get(key ptr, key len, buffer ptr, buffer len) -> length of the value, -1 if there is none. The value
// is written if the buffer is large enough for it.
func kvGetCall(s *HostState, mem Memory, stack []uint64) error {
	at, room := uint32(stack[2]), uint32(stack[3])
	return s.withKV(mem, stack, func(kv *kvCall, key string) (uint64, error) {
		value, ok := kv.entries[key]
		if !ok {
			return kvNone, nil
		}
		if uint64(len(value)) > uint64(room) {
			return uint64(len(value)), nil
		}
		if err := s.charge(len(value)); err != nil {
			return 0, err
		}
		if !mem.Write(at, value) {
			return 0, errOutside
		}
		return uint64(len(value)), nil
	})
}

// kv_set(key ptr, key len, value ptr, value len) -> 0, or -1 if key or value are too large or there is no
// room.
func kvSetCall(s *HostState, mem Memory, stack []uint64) error {
	at, n := uint32(stack[2]), uint32(stack[3])
	return s.withKV(mem, stack, func(kv *kvCall, key string) (uint64, error) {
		if n > maxKVValueBytes {
			return kvNone, nil
		}
		value, ok := mem.Read(at, n)
		if !ok {
			return 0, errOutside
		}
		if err := s.charge(len(value) + s.changeCost()); err != nil {
			return 0, err
		}
		if !kv.set(key, value) {
			return kvNone, nil
		}
		return kvDone, nil
	})
}

// kv_delete(key ptr, key len) -> 0, or -1 if there is nothing under the key.
func kvDeleteCall(s *HostState, mem Memory, stack []uint64) error {
	return s.withKV(mem, stack, func(kv *kvCall, key string) (uint64, error) {
		if err := s.charge(s.changeCost()); err != nil {
			return 0, err
		}
		if !kv.remove(key) {
			return kvNone, nil
		}
		return kvDone, nil
	})
}

// changeCost is what the first change of a call costs on top: the entries are copied for it.
func (s *HostState) changeCost() int {
	if s.kv.written {
		return 0
	}
	return kvEntryCost * len(s.kv.entries)
}
