package quickjs

import (
	"encoding/binary"
	"fmt"
)

// A Machine is an instance of the engine's module, as the driver sees it. What Read returns is valid until
// the next Call.
type Machine interface {
	// Call runs an exported function. It does not keep the arguments. An error means that the instance
	// must not run again.
	Call(export string, args ...uint64) (uint64, error)
	Read(offset, count uint32) ([]byte, bool)
	Write(offset uint32, data []byte) bool
	// Charge pays for work of the host that the program causes; 1 is about the copying of a byte.
	Charge(units int) error
	// Stop returns why the program was interrupted since the last call of Stop, nil if it was not. After
	// it, nothing is interrupted until the next request: there is a little time for last words.
	Stop() error
	// Watch says which VM drives the instance from now on. Host functions may call its Hurry and Rejected
	// while the program runs.
	Watch(v *VM)
}

// State is what the host holds of an instance from call to call. It belongs to what the memory holds: who
// copies the memory into another instance copies the state with it. Values are handles.
type State struct {
	object                      uint32 // __pintle
	call, settled, more, reseed uint32 // its functions
	undefined                   uint32
	ops                         [len(operations)]uint32 // names of operations, as strings
	scratch                     uint32                  // address of scratchBytes
	buffer                      uint32                  // address of bufferBytes
	context                     uint32                  // address of the engine's context
	counter                     uint32                  // address of the number of polls that are left
	running                     uint32                  // address of the address of the innermost function that runs
}

// Sizes of what the host keeps in the memory of an instance.
const (
	bufferBytes  = 8 << 10 // for texts on their way in; longer ones get memory of their own
	maxArgs      = 4
	scratchBytes = 4*maxArgs + 4 // arguments of a call, and a length
)

// A VM drives one instance. It is not safe for concurrent use.
type VM struct {
	machine Machine
	state   State

	args   [maxArgs]uint64 // kept, as are the buffers, so that a call allocates little
	text   []byte
	answer []byte

	rejections []rejection
	handles    []uint32 // of what was rejected, to be freed
	failed     string   // see Failed
}

// Resume drives an instance whose memory is that of another one, which had that state.
func Resume(m Machine, s State) *VM {
	v := &VM{machine: m, state: s}
	m.Watch(v)
	return v
}

// State returns what Resume needs.
func (v *VM) State() State { return v.state }

// Restore follows the memory of the instance being put back to what it was at that state.
func (v *VM) Restore(s State) {
	v.state, v.rejections, v.handles = s, v.rejections[:0], v.handles[:0]
}

// Hurry lets the engine ask at its next call or round of a loop whether to stop, and not after some thousand.
func (v *VM) Hurry() {
	if v.state.counter != 0 {
		v.machine.Write(v.state.counter, []byte{1, 0, 0, 0})
	}
}

// Idle tells whether the engine asks between two functions of the program, as it does when it is about to go on
// with an async one. An exception that is thrown there has no stack, and takes the function with it.
func (v *VM) Idle() bool {
	raw, ok := v.machine.Read(v.state.running, 4)
	return v.state.running != 0 && ok && binary.LittleEndian.Uint32(raw) == 0
}

func (v *VM) run(export string, args ...uint64) (uint32, error) {
	n := copy(v.args[:], args)
	result, err := v.machine.Call(export, v.args[:n]...)
	return uint32(result), err
}

// alloc returns memory of the engine.
func (v *VM) alloc(size int) (uint32, error) {
	at, err := v.run("wasm_malloc", uint64(size))
	if err == nil && at == 0 {
		err = &Fault{NoMemory, fmt.Sprintf("the guest has no memory for %d bytes that the host hands over", size)}
	}
	return at, err
}

func (v *VM) release(at uint32) error {
	_, err := v.run("wasm_free", uint64(at))
	return err
}

func (v *VM) write(at uint32, data []byte) error {
	if !v.machine.Write(at, data) {
		return outside(at, len(data))
	}
	return nil
}

func outside(at uint32, n int) error {
	return &Fault{BadAnswer, fmt.Sprintf("%d bytes at %d are outside memory", n, at)}
}

// cString puts a text without NUL into new memory, with a NUL behind it.
func (v *VM) cString(text string) (uint32, error) {
	at, err := v.alloc(len(text) + 1)
	if err == nil {
		err = v.write(at, append([]byte(text), 0))
	}
	return at, err
}

// newString makes a string of the engine from UTF-8.
func (v *VM) newString(text []byte) (handle uint32, err error) {
	at := v.state.buffer
	if len(text) > bufferBytes {
		if at, err = v.alloc(len(text)); err != nil {
			return 0, err
		}
	}
	if err = v.write(at, text); err == nil {
		handle, err = v.run("qjs_new_string", uint64(at), uint64(len(text)))
	}
	if err == nil && at != v.state.buffer {
		err = v.release(at)
	}
	if err != nil {
		return 0, err
	}
	return handle, v.thrown(handle)
}

// handle makes a handle for a value, which belongs to it from then on.
func (v *VM) handle(value uint64) (uint32, error) {
	at, err := v.alloc(8)
	if err == nil {
		err = v.write(at, binary.LittleEndian.AppendUint64(nil, value))
	}
	return at, err
}

func (v *VM) free(handle uint32) error {
	_, err := v.run("qjs_free_value", uint64(handle))
	return err
}

// is asks one of the engine's questions about a value.
func (v *VM) is(question string, handle uint32) (bool, error) {
	yes, err := v.run(question, uint64(handle))
	return yes != 0, err
}

// property reads a property of a value. It may run code of the program.
func (v *VM) property(of uint32, name string) (handle uint32, err error) {
	at, err := v.cString(name)
	if err != nil {
		return 0, err
	}
	if handle, err = v.run("qjs_get_prop_string", uint64(of), uint64(at)); err != nil {
		return 0, err
	}
	if err := v.release(at); err != nil {
		return 0, err
	}
	return handle, v.thrown(handle)
}

// apply calls a function of the program on __pintle. It may have been stopped even if the engine tells of
// no exception.
func (v *VM) apply(function uint32, args ...uint32) (handle uint32, err error) {
	var argv [4 * maxArgs]byte
	for i, a := range args {
		binary.LittleEndian.PutUint32(argv[4*i:], a)
	}
	if err := v.write(v.state.scratch, argv[:4*len(args)]); err != nil {
		return 0, err
	}
	handle, err = v.run("qjs_call", uint64(function), uint64(v.state.object), uint64(len(args)), uint64(v.state.scratch))
	if err != nil {
		return 0, err
	}
	return handle, v.thrown(handle)
}

// read hands the characters of a string to use, in UTF-8 except for halves of surrogate pairs, and frees
// the string. For another value than a string it runs code of the program. A [*Fault] says that there are
// no characters to be had; use may answer one as well.
func (v *VM) read(handle uint32, use func(text []byte) error) error {
	length := v.state.scratch + 4*maxArgs
	at, err := v.run("qjs_get_string_len", uint64(handle), uint64(length))
	if err != nil {
		return err
	}
	if at == 0 {
		if err := v.dropException(); err != nil {
			return err
		}
		if err := v.free(handle); err != nil {
			return err
		}
		return &Fault{NoMemory, "the guest has no memory for what it answers, in UTF-8"}
	}
	raw, ok := v.machine.Read(length, 4)
	if !ok {
		return outside(length, 4)
	}
	n := binary.LittleEndian.Uint32(raw)
	text, ok := v.machine.Read(at, n)
	if !ok {
		return outside(at, int(n))
	}
	if err := use(text); err != nil {
		return err
	}
	if _, err := v.run("qjs_free_cstring", uint64(at)); err != nil {
		return err
	}
	return v.free(handle)
}
