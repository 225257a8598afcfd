package quickjs

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
)

// stackBytes is how much of its stack the engine uses before it throws "Maximum call stack size exceeded".
// It has 1 MiB, of which the rest is for functions of the engine that do not look. This is enough for 1,000
// calls within each other, or 300 through map and the like, for which an engine of Wasm takes up to 16 MiB.
const stackBytes = 256 << 10

// A Host is what a program can know of its host when it starts.
type Host struct {
	Config   map[string]string `json:"config"`
	Granted  []string          `json:"granted"`
	Features uint64            `json:"features"` // bits that the host has
}

// hostGlobal is the global variable in which a program finds the host's JSON; objectGlobal is the one in
// which the host finds the program's functions.
const (
	hostGlobal   = "__pintleHost"
	objectGlobal = "__pintle"
)

// operations are the names of all operations.
var operations = [...]string{
	abi.RenderV1, abi.ReadSystemPromptV1, abi.ReplaceSystemPromptV1, abi.ReplaceDeveloperMessagesV1, abi.EditV2,
}

// Start starts the engine in a new instance and evaluates a program. The notes are what it said meanwhile,
// also with an error.
//
// An error is a [*Exception], a [*Fault], or one of the machine.
func Start(m Machine, b *abi.Bundle, host Host) (*VM, Notes, error) {
	v := &VM{machine: m}
	m.Watch(v)
	err := v.boot(host)
	if err == nil {
		err = v.evaluate(b)
	}
	if err != nil {
		return nil, v.lastWords(err), err
	}
	rejected, err := v.unhandled()
	if err != nil {
		return nil, Notes{}, err
	}
	notes, err := v.notes()
	notes.Rejected = rejected
	return v, notes, err
}

// boot starts the engine.
func (v *VM) boot(host Host) (err error) {
	if _, err := v.run("_initialize"); err != nil {
		return err
	}
	if failed, err := v.run("qjs_init"); err != nil || failed != 0 {
		return errors.Join(err, &Fault{NoMemory, "the JavaScript engine does not start: it needs more memory"})
	}
	if _, err := v.run("qjs_set_max_stack_size", stackBytes); err != nil {
		return err
	}
	if _, err := v.run("qjs_set_interrupt_handler", 1); err != nil {
		return err
	}
	if _, err := v.run("qjs_set_promise_rejection_handler", 1); err != nil {
		return err
	}
	if err := v.findCounter(); err != nil {
		return err
	}
	if v.state.scratch, err = v.alloc(scratchBytes); err != nil {
		return err
	}
	if v.state.buffer, err = v.alloc(bufferBytes); err != nil {
		return err
	}
	if v.state.undefined, err = v.run("qjs_get_undefined"); err != nil {
		return err
	}
	for i, name := range operations {
		if v.state.ops[i], err = v.newString([]byte(name)); err != nil {
			return err
		}
	}
	if host.Config == nil {
		host.Config = map[string]string{}
	}
	if host.Granted == nil {
		host.Granted = []string{}
	}
	text, err := json.Marshal(host)
	if err != nil {
		return fmt.Errorf("the configuration: %w", err)
	}
	return v.setGlobal(hostGlobal, text)
}

// findCounter finds the counter of Hurry, and what Idle looks at.
func (v *VM) findCounter() error {
	context, err := v.run("qjs_get_context_ptr")
	if err != nil {
		return err
	}
	at := context + counterOffset
	raw, ok := v.machine.Read(at, 4)
	if !ok {
		return outside(at, 4)
	}
	if n := binary.LittleEndian.Uint32(raw); n > mostPolls {
		return fmt.Errorf("the JavaScript engine has no counter at %d", at)
	}
	v.state.context, v.state.counter = context, at
	if raw, ok = v.machine.Read(context+runtimeOffset, 4); !ok {
		return outside(context+runtimeOffset, 4)
	}
	v.state.running = binary.LittleEndian.Uint32(raw) + runningOffset
	return nil
}

func (v *VM) setGlobal(name string, text []byte) error {
	value, err := v.newString(text)
	if err != nil {
		return err
	}
	global, err := v.run("qjs_get_global")
	if err != nil {
		return err
	}
	key, err := v.cString(name)
	if err != nil {
		return err
	}
	if _, err := v.run("qjs_set_prop_string", uint64(global), uint64(key), uint64(value)); err != nil {
		return err
	}
	return errors.Join(v.release(key), v.free(global), v.free(value))
}

// evaluate runs a program and finds its functions.
func (v *VM) evaluate(b *abi.Bundle) error {
	name := b.File
	if name == "" {
		name = abi.BundleFile
	}
	file, err := v.cString(name)
	if err != nil {
		return err
	}
	// The engine wants a NUL behind the code, and its length as well.
	code, err := v.cString(b.Code)
	if err != nil {
		return err
	}
	result, err := v.run("qjs_eval", uint64(code), uint64(len(b.Code)), uint64(file), 0)
	if err != nil {
		return err
	}
	if err := v.thrown(result); err != nil {
		return err
	}
	if err := errors.Join(v.free(result), v.release(code), v.release(file)); err != nil {
		return err
	}
	if err := v.jobs(); err != nil {
		return err
	}
	return v.bind()
}

// bind finds what the host calls. It is done once: what the program does to its globals later changes
// nothing.
func (v *VM) bind() error {
	global, err := v.run("qjs_get_global")
	if err != nil {
		return err
	}
	if v.state.object, err = v.property(global, objectGlobal); err != nil {
		return err
	}
	if err := v.free(global); err != nil {
		return err
	}
	if ok, err := v.is("qjs_is_object", v.state.object); err != nil || !ok {
		return errors.Join(err, &Fault{NoContract, "the bundle leaves no object " + objectGlobal +
			" in its globals; build it with `pintle build`"})
	}
	for _, f := range []struct {
		name   string
		handle *uint32
	}{
		{"more", &v.state.more}, {"call", &v.state.call}, {"settled", &v.state.settled}, {"reseed", &v.state.reseed},
	} {
		if *f.handle, err = v.function(f.name); err != nil {
			return err
		}
	}
	return nil
}

func (v *VM) function(name string) (handle uint32, err error) {
	if handle, err = v.property(v.state.object, name); err != nil {
		return 0, err
	}
	ok, err := v.is("qjs_is_function", handle)
	if err == nil && !ok {
		err = &Fault{NoContract, objectGlobal + "." + name + " is no function; build the bundle with `pintle build`"}
	}
	return handle, err
}

// Registered asks a program what it registers. The answer is JSON, as it is.
func (v *VM) Registered(limit int) (text []byte, err error) {
	function, err := v.function("registered")
	if err != nil {
		return nil, err
	}
	result, err := v.apply(function)
	if err != nil {
		return nil, err
	}
	err = v.readText("registered", result, limit, func(got []byte) error {
		text = append(text, toUTF8(got)...)
		return nil
	})
	return text, err
}
