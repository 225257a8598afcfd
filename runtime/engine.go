package runtime

import (
	"context"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// An Engine compiles and runs modules that have been checked. Package runtime/wazero has the default
// one.
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
	// Instantiate makes an instance and runs the module's start function, if it has one.
	Instantiate(ctx context.Context, opts InstanceOptions) (Instance, error)
	// Close releases the code after all instances were closed.
	Close(ctx context.Context) error
}

// InstanceOptions say what a new instance may use.
type InstanceOptions struct {
	MemoryBytes uint64     // linear memory never grows beyond this
	State       *HostState // handed to the host functions
}

// An Instance is one running module. It is not safe for concurrent use.
type Instance interface {
	// Call runs an exported function and returns its first result, or 0. It returns when the context
	// ends, as soon as the engine can stop the code. A failed run is a [*Trap]; after one the instance
	// must not be called again.
	Call(ctx context.Context, function string, args ...uint64) (uint64, error)
	// Memory is the exported linear memory.
	Memory() Memory
	// MemoryDenied reports whether the module ever asked for more memory than it may have.
	MemoryDenied() bool
	Close(ctx context.Context) error
}

// Memory is a view of linear memory that is valid until the instance runs again.
type Memory interface {
	Size() uint32
	// Read returns a view, not a copy; false if the range is outside memory.
	Read(offset, count uint32) ([]byte, bool)
	Write(offset uint32, data []byte) bool
}

// A HostFunc is a function that modules import. Call takes its arguments from stack and leaves its
// result in stack[0]; an error ends the run with a trap that wraps it.
type HostFunc struct {
	Module, Name string
	Type         wasmbin.FuncType
	Call         func(ctx context.Context, state *HostState, mem Memory, stack []uint64) error
}

// A Trap is a run that did not return.
type Trap struct {
	Reason string   // in the engine's words, for example "unreachable"
	Trace  []string // function names and signatures, innermost first
	Err    error    // the host function's or the context's error, if that was the cause
}

func (t *Trap) Error() string { return t.Reason }

func (t *Trap) Unwrap() error { return t.Err }
