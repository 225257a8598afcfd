package runtime

import (
	"context"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// An instance is one running copy of a guest with the host's state for it. It runs one call at a time.
type instance struct {
	engine  Instance
	memory  Memory
	state   *HostState
	funcs   []namedFunction // those that were called
	script  *quickjs.VM     // drives a guest in JavaScript
	program *script         // that it runs
	saved   []savedGlobal   // those of the image; nil until it is first put back
	args    []uint64        // of the function that runs, kept so that a call allocates nothing

	ran      bool // since it was started or put back
	restored bool // its whole memory was once that of the image
	reseed   bool // it goes on from random numbers that were drawn before
	broken   bool // it trapped or was stopped; it is never called again

	// The request buffer, owned by the host until the guest is asked for another, and what was written
	// into it last.
	buffer, capacity, written uint32
}

type namedFunction struct {
	name string
	Function
}

// overhead is what an engine needs for an instance beside its memory and what its module shows: stacks and
// bookkeeping.
const overhead = 64 << 10

// bytes is what an instance of the guest takes with a memory of some size.
func (g *Guest) bytes(memory uint64) uint64 {
	n := memory + g.rewritten.InstanceBytes + overhead
	if g.artifact.script != nil {
		n += scriptOverhead
	}
	return n
}

// close releases the instance.
func (in *instance) close() {
	_ = in.engine.Close(context.Background()) // closing code that does not run cannot fail usefully
	in.state.hold(0)
}

// function looks an exported function up, once: engines make a stack for each.
func (in *instance) function(name string) Function {
	for i := range in.funcs {
		if in.funcs[i].name == name {
			return in.funcs[i].Function
		}
	}
	f := in.engine.Function(name)
	if f != nil {
		in.funcs = append(in.funcs, namedFunction{name, f})
	}
	return f
}

// call runs an exported function on the fuel that the meter has.
func (in *instance) call(name string, args ...uint64) (uint64, error) {
	f := in.function(name)
	if f == nil {
		return 0, fmt.Errorf("there is no exported function %s", name)
	}
	in.ran = true
	in.state.meter.depth.Set(0)
	in.args = append(in.args[:0], args...)
	return f.Call(in.args...)
}

// run performs one operation: request in, answer out. The request comes in two parts. The answer is in
// the guest's memory, and valid until the instance runs again or is put back.
func (in *instance) run(op string, request, rest []byte, answerBytes int) ([]byte, error) {
	if in.script != nil {
		return in.runScript(op, request, rest, answerBytes)
	}
	size := len(request) + len(rest)
	if size > int(in.capacity) || in.capacity == 0 {
		if err := in.alloc(size); err != nil {
			return nil, err
		}
	}
	buffer, ok := in.memory.Read(in.buffer, uint32(size))
	if !ok {
		return nil, &badAnswer{fmt.Sprintf("the request buffer at %d with %d bytes is outside memory", in.buffer, size)}
	}
	copy(buffer[copy(buffer, request):], rest)
	in.written = uint32(size)
	packed, err := in.call(op, uint64(in.buffer), uint64(size))
	if err != nil {
		return nil, err
	}
	if packed == 0 {
		return nil, &badAnswer{"it returned 0 where an answer was due"}
	}
	at, n := uint32(packed>>32), uint32(packed)
	if uint64(n) > uint64(answerBytes) {
		return nil, &tooLarge{n, answerBytes}
	}
	answer, ok := in.memory.Read(at, n)
	if !ok {
		return nil, &badAnswer{fmt.Sprintf("its answer at %d with %d bytes is outside memory", at, n)}
	}
	return answer, nil
}

// alloc asks the guest for a request buffer.
func (in *instance) alloc(size int) error {
	at, err := in.call(abi.AllocExport, uint64(size))
	if err != nil {
		return err
	}
	if uint32(at) == 0 {
		return &noMemory{size}
	}
	in.buffer, in.capacity = uint32(at), uint32(size)
	return nil
}

// bind finds what the meter needs.
func (in *instance) bind() error {
	in.memory = in.engine.Memory()
	m := &in.state.meter
	m.fuel, m.depth = in.engine.Global(wasmbin.FuelExport), in.engine.Global(wasmbin.DepthExport)
	if in.memory == nil || m.fuel == nil || m.depth == nil {
		return fmt.Errorf("the engine does not show the memory or the meter of the module")
	}
	m.has(uint64(in.memory.Size()))
	return nil
}
