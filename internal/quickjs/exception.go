package quickjs

import "strings"

// An Exception is what the program threw, or how it was stopped.
type Exception struct {
	Reason string  // what it threw, as text, with causes
	Stack  []Frame // innermost first; empty if what it threw is no error
	Err    error   // why it was interrupted; nil if it was not
}

func (e *Exception) Error() string { return e.Reason }

func (e *Exception) Unwrap() error { return e.Err }

// Null is the reason of an exception that is null: the program's own, or what the engine throws when there is
// no memory for an error.
const Null = "it threw null"

// Bounds of what is read of an exception.
const (
	maxReason = 4 << 10
	maxStack  = 64 << 10
	maxCauses = 4
)

// thrown returns the exception if a handle stands for one.
func (v *VM) thrown(handle uint32) error {
	yes, err := v.is("qjs_is_exception", handle)
	if err != nil || !yes {
		if err == nil {
			err = v.stopped()
		}
		return err
	}
	return v.pending()
}

// pending returns the exception that the engine holds.
func (v *VM) pending() error {
	why := v.machine.Stop()
	x, err := v.run("qjs_get_exception")
	if err != nil {
		return err
	}
	e := &Exception{Err: why}
	d := describer{v: v}
	e.Stack = d.stack(x)
	if why != nil {
		e.Reason = why.Error()
		return e
	}
	if e.Reason = withHint(d.reason(x)); e.Reason == "null" {
		e.Reason = Null
	}
	if d.err == nil {
		_ = v.free(x)
	}
	return e
}

// A describer asks a value for what it is. Doing so runs code of the program, which may do what it likes:
// the first error of the machine ends it, and what has not been learnt by then stays unknown.
type describer struct {
	v   *VM
	err error
}

// reason returns an exception as text, with its causes.
func (d *describer) reason(x uint32) string {
	var parts []string
	var causes []uint32
	for len(parts) <= maxCauses && d.err == nil {
		text := d.text(x)
		if text == "AggregateError" {
			text += d.together(x)
		}
		parts = append(parts, text)
		if !d.is("qjs_is_error", x) {
			break
		}
		if x = d.property(x, "cause"); x == 0 {
			break
		}
		causes = append(causes, x)
		if !d.is("qjs_is_error", x) && !d.is("qjs_is_string", x) {
			break
		}
	}
	for _, cause := range causes {
		d.free(cause)
	}
	reason := strings.Join(parts, ": caused by: ")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return reason
}

// together returns the errors of one that stands for several and says nothing itself, as that of Promise.any.
func (d *describer) together(x uint32) (text string) {
	all := d.property(x, "errors")
	if all == 0 {
		return ""
	}
	if d.is("qjs_is_object", all) {
		text = ": " + d.text(all)
	}
	d.free(all)
	return text
}

// stack returns the frames of an error.
func (d *describer) stack(x uint32) (frames []Frame) {
	if !d.is("qjs_is_object", x) {
		return nil
	}
	text := d.property(x, "stack")
	if text == 0 {
		return nil
	}
	if !d.is("qjs_is_string", text) {
		d.free(text)
		return nil
	}
	d.note(d.v.read(text, func(got []byte) error {
		frames = ParseStack(string(got[:min(len(got), maxStack)]))
		return nil
	}))
	return frames
}

// text returns a value as String(x) does, and an object that has no text of its own as JSON.
func (d *describer) text(x uint32) string {
	const nameless = "it threw a value that is no error and has no text"
	if d.err != nil {
		return nameless
	}
	// read frees what it reads, which is still needed.
	again, err := d.v.run("qjs_dup_value", uint64(x))
	if err != nil {
		d.err = err
		return nameless
	}
	text := nameless
	err = d.v.read(again, func(got []byte) error {
		text = string(toUTF8(got[:min(len(got), maxReason)]))
		return nil
	})
	d.note(err)
	if text == "[object Object]" {
		if json := d.json(x); json != "" && json != "{}" {
			return json
		}
	}
	return text
}

// json returns a value as JSON.stringify writes it; empty if it cannot or there is nothing to write.
func (d *describer) json(x uint32) (text string) {
	value, ok := d.v.value(x)
	nothing, ok2 := d.v.value(d.v.state.undefined)
	if d.err != nil || !ok || !ok2 {
		return ""
	}
	d.v.args = [maxArgs]uint64{uint64(d.v.state.context), value, nothing, nothing}
	result, err := d.v.machine.Call("JS_JSONStringify", d.v.args[:]...)
	if err != nil {
		d.err = err
		return ""
	}
	var handle uint32
	if handle, d.err = d.v.handle(result); d.err != nil {
		return ""
	}
	if d.is("qjs_is_exception", handle) && d.err == nil {
		d.err = d.v.dropException()
	}
	if !d.is("qjs_is_string", handle) {
		d.free(handle)
		return ""
	}
	d.note(d.v.read(handle, func(got []byte) error {
		text = string(toUTF8(got[:min(len(got), maxReason)]))
		return nil
	}))
	return text
}

// property returns a property; 0 if reading it threw.
func (d *describer) property(x uint32, name string) uint32 {
	if d.err != nil {
		return 0
	}
	at, err := d.v.cString(name)
	if err != nil {
		d.err = err
		return 0
	}
	handle, err := d.v.run("qjs_get_prop_string", uint64(x), uint64(at))
	if err == nil {
		err = d.v.release(at)
	}
	if d.err = err; err != nil {
		return 0
	}
	if d.is("qjs_is_exception", handle) {
		d.err = d.v.dropException()
		d.free(handle)
		return 0
	}
	return handle
}

func (d *describer) free(x uint32) {
	if d.err == nil {
		d.err = d.v.free(x)
	}
}

func (d *describer) is(question string, x uint32) bool {
	if d.err != nil {
		return false
	}
	yes, err := d.v.is(question, x)
	d.err = err
	return yes
}

// note keeps an error unless it only says that there is nothing to be read.
func (d *describer) note(err error) {
	if _, unreadable := err.(*Fault); !unreadable && err != nil {
		d.err = err
	}
}
