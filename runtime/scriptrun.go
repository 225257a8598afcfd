package runtime

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
)

// scriptOverhead is what an engine needs for an instance of a guest in JavaScript, of which it runs more
// functions than of others.
const scriptOverhead = 192 << 10

// A machine is an instance as the driver of the JavaScript engine sees it.
type machine struct{ *instance }

func (m machine) Call(export string, args ...uint64) (uint64, error) { return m.call(export, args...) }

func (m machine) Read(offset, count uint32) ([]byte, bool) { return m.memory.Read(offset, count) }

func (m machine) Write(offset uint32, data []byte) bool { return m.memory.Write(offset, data) }

func (m machine) Charge(units int) error { return m.state.charge(units) }

func (m machine) Stop() error {
	s := m.state
	why := s.stop
	if why != nil {
		s.stop, s.calm = nil, true
	}
	return why
}

func (m machine) Watch(v *quickjs.VM) { m.state.vm = v }

// startScript starts the engine in a new instance and evaluates the program, on the budget of a start.
func (g *Guest) startScript(ctx context.Context, in *instance) error {
	vm, notes, err := quickjs.Start(machine{in}, g.artifact.script.bundle, quickjs.Host{
		Config: g.config, Granted: g.granted.names(), Features: abi.KnownFeatures,
	})
	in.note(notes)
	if err != nil {
		return g.failure(ctx, in, startName, err)
	}
	in.script, in.ran, in.reseed = vm, false, g.random()
	return nil
}

// resumeScript drives an instance to which the memory of an image was copied.
func (in *instance) resumeScript(s quickjs.State) {
	if in.script == nil {
		in.script = quickjs.Resume(machine{in}, s)
	} else {
		in.script.Restore(s)
	}
}

// runScript performs one operation.
func (in *instance) runScript(op string, request, rest []byte, answerBytes int) ([]byte, error) {
	c := quickjs.Call{Op: op, Request: request, AnswerBytes: answerBytes}
	if len(rest) > 0 {
		c.Request = append(append(make([]byte, 0, len(request)+len(rest)), request...), rest...)
	}
	kv, err := in.openKV()
	if err != nil {
		return nil, err
	}
	if kv != nil {
		if c.KV = kv.entries; c.KV == nil {
			c.KV = map[string][]byte{}
		}
	}
	answer, notes, err := in.script.Call(c)
	in.note(notes)
	if err == nil && kv != nil {
		err = kv.change(notes.KV)
	}
	return answer, err
}

// openKV opens the kv for a call that has one; nil if it has none.
func (in *instance) openKV() (*kvCall, error) {
	kv := in.state.kv
	if kv == nil {
		return nil, nil
	}
	if !kv.opened {
		if err := in.state.openKV(); err != nil {
			return nil, err
		}
	}
	if kv.failed {
		return nil, nil
	}
	return kv, nil
}

// change makes the changes that a call answers. What they replace makes room first, so that their order
// does not matter.
func (c *kvCall) change(changes map[string]*string) error {
	for key, value := range changes {
		if old, ok := c.entries[key]; ok && (value == nil || string(old) != *value) {
			c.remove(key)
		}
	}
	for key, value := range changes {
		if value != nil && (len(key) > maxKeyBytes || !c.set(key, []byte(*value))) {
			return &badAnswer{fmt.Sprintf("what it writes to its kv does not fit: a key has at most %d bytes, a value %d, "+
				"and %d entries have %d bytes together", maxKeyBytes, maxKVValueBytes, maxKVEntries, maxKVBytes)}
		}
	}
	return nil
}

// drawAnew makes a guest draw its random numbers anew.
func (in *instance) drawAnew() error {
	in.reseed = false
	if in.script == nil {
		_, err := in.call(reseedExport)
		return err
	}
	var seed [32]byte
	_, _ = rand.Read(seed[:]) // it never fails
	return in.script.Reseed(seed)
}

// scriptFailure says what the errors of the driver are, and whether their trace leads to the function of the
// author's that was called. An error that does not lead there has to name it.
func (g *Guest) scriptFailure(e *Error, err error) (whole bool) {
	var (
		thrown *quickjs.Exception
		fault  *quickjs.Fault
		trap   *Trap
	)
	switch {
	case errors.As(err, &thrown):
		program := g.artifact.script
		e.Trace, whole = program.trace(thrown.Stack)
		e.Reason += thrown.Hint(program.file(), program.bundle.Code)
	case errors.As(err, &fault):
		switch fault.Of {
		case quickjs.TooLarge:
			e.Kind = KindAnswerTooLarge
		case quickjs.NoMemory:
			e.Kind = KindMemory
		case quickjs.NoContract:
			e.Kind = KindContract
		case quickjs.BadRequest:
			e.Kind = KindRefused
		default:
			e.Kind = KindBadAnswer
		}
	case errors.As(err, &trap):
		e.Trace = nil // functions of the engine, which have no names
	}
	return whole
}
