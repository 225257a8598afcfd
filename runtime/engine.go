package runtime

import (
	"context"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// An Engine compiles and runs modules that were rewritten by [wasmbin.Module.Instrument]. Package
// runtime/wazero has the default one.
//
// An engine does not look at contexts or time while a guest runs. The module itself calls a host
// function again and again, which ends the run with an error when it has to.
type Engine interface {
	// Name identifies the engine and its version in reports, for example "wazero v1.12.0".
	Name() string
	// Compile translates a module. The host functions are those that it imports, all of them.
	Compile(ctx context.Context, module []byte, host []HostFunc) (Code, error)
	// Close releases the engine after all code was closed. Closing twice is harmless.
	Close(ctx context.Context) error
}

// Code is one compiled module. Its methods are safe for concurrent use.
type Code interface {
	// Instantiate makes an instance. Nothing of the guest runs: the module has no start section. The
	// context ends the making of the instance and nothing else. What does not fit into MemoryBytes is
	// an error. The engine touches the pages of a memory when it makes or grows it, and asks State.Err
	// from time to time while it does: touching them for the first time may cost more than running on them.
	Instantiate(ctx context.Context, opts InstanceOptions) (Instance, error)
	// Close releases the code after all instances were closed.
	Close(ctx context.Context) error
}

// InstanceOptions say what a new instance may use.
type InstanceOptions struct {
	// MemoryBytes is the size beyond which linear memory never grows. It is a back-stop: the module asks
	// a host function before it grows.
	MemoryBytes uint64
	// InitialBytes is the size that linear memory has at least when Instantiate returns; 0: what the
	// module says. An instance that is going to get an image is made as large as the image at once.
	InitialBytes uint64
	State        *HostState // handed to the host functions
}

// An Instance is one running module. It is not safe for concurrent use.
type Instance interface {
	// Function returns an exported function, nil if there is none. The caller looks it up once and keeps
	// it. Its signature was checked before.
	Function(name string) Function
	// Global returns an exported mutable numeric global, nil if there is none.
	Global(name string) Global
	// Memory returns the exported linear memory. The value is good for the life of the instance.
	Memory() Memory
	// Close releases the instance. It is called once, when no function runs.
	Close(ctx context.Context) error
}

// A Function is an exported function of an instance.
type Function interface {
	// Call runs the function with as many of the arguments as it has parameters, 0 for those that are not
	// there, and returns its first result, or 0. It neither keeps the arguments nor allocates, so that a
	// caller with a slice of its own causes no garbage. A failed run is a [*Trap]; after one the instance
	// is only closed.
	Call(args ...uint64) (uint64, error)
}

// A Global is an exported mutable global of an instance. Values are as in the stack of a [HostFunc].
type Global interface {
	Get() uint64
	Set(v uint64)
}

// Memory is the linear memory of an instance. What Read returns is valid until the instance runs again.
type Memory interface {
	Size() uint32
	// Read returns a view, not a copy; false if the range is outside memory.
	Read(offset, count uint32) ([]byte, bool)
	Write(offset uint32, data []byte) bool
}

// A HostFunc is a function that modules import. Call takes its arguments from stack and leaves its
// result in stack[0]; 32-bit numbers are in the lower half, the upper half of an argument is undefined.
// The context of the call of the guest is state.Context. An error ends the run with a trap that wraps it.
type HostFunc struct {
	Module, Name string
	Type         wasmbin.FuncType
	Call         func(state *HostState, mem Memory, stack []uint64) error
}

// A Trap is a run that did not return.
type Trap struct {
	Reason string   // in the engine's words, for example "unreachable"
	Trace  []string // function names and signatures, innermost first
	Err    error    // the host function's error, if that was the cause
}

func (t *Trap) Error() string { return t.Reason }

func (t *Trap) Unwrap() error { return t.Err }
