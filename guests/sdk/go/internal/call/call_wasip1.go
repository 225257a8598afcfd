package call

import (
	"unsafe"

	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
)

// What the host holds pointers to stays reachable here: the buffer that it writes requests to, and the
// answer until the next call.
var (
	request []byte
	answer  []byte
)

//go:wasmexport pintle_abi_1
func transport() {}

//go:wasmexport pintle_alloc
func alloc(size uint32) uint32 {
	request = make([]byte, max(size, 1))
	return address(request)
}

func address(b []byte) uint32 { return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))) }

// Serve runs one operation on the request of n bytes that the host wrote to the buffer and returns
// where the answer is.
func Serve(n uint32, handler func(cbor.Value) ([]byte, error)) uint64 {
	defer func() {
		if r := recover(); r != nil {
			reason := Describe(r)
			hostPanic(unsafe.Pointer(unsafe.StringData(reason)), uint32(len(reason)))
		}
	}()
	answer = Handle(request[:n], handler)
	return uint64(address(answer))<<32 | uint64(len(answer))
}

// hostPanic tells the host why, and does not return.
//
//go:wasmimport pintle/1 panic
func hostPanic(text unsafe.Pointer, n uint32)
