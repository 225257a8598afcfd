package quickjs

import "encoding/binary"

// A rejection is a promise that was rejected while nobody handled it, and the reason. Both are values as the
// engine has them in memory: the handles by which it tells are its own.
type rejection struct {
	promise, reason uint64
	handled         bool // somebody does, later
}

// maxRejections bounds what is kept of one call.
const maxRejections = 8

// Rejected is told by the engine, through its import host_promise_rejection, about a promise that was rejected
// and is not handled, or about one that is handled after all. It runs nothing.
func (v *VM) Rejected(promise, reason uint32, handled bool) {
	p, ok := v.value(promise)
	if !ok {
		return
	}
	if handled {
		for i := range v.rejections {
			if v.rejections[i].promise == p {
				v.rejections[i].handled = true
			}
		}
		return
	}
	if why, ok := v.value(reason); ok && len(v.rejections) < maxRejections && v.hold(why) {
		v.rejections = append(v.rejections, rejection{promise: p, reason: why})
	}
}

// value reads the value behind a handle.
func (v *VM) value(handle uint32) (uint64, bool) {
	raw, ok := v.machine.Read(handle, 8)
	if !ok {
		return 0, false
	}
	return binary.LittleEndian.Uint64(raw), true
}

// hold keeps a value alive as qjs_dup_value does, for which a program that runs leaves no room: what is
// counted has a negative tag and begins with its count.
func (v *VM) hold(value uint64) bool {
	if int32(value>>32) >= 0 {
		return true
	}
	at := uint32(value)
	raw, ok := v.machine.Read(at, 4)
	if !ok {
		return false
	}
	count := binary.LittleEndian.AppendUint32(nil, binary.LittleEndian.Uint32(raw)+1)
	return v.machine.Write(at, count)
}

// unhandled returns what nobody has handled by now, and lets go of all of it.
func (v *VM) unhandled() (rejected []*Exception, err error) {
	for _, r := range v.rejections {
		handle, err := v.handle(r.reason)
		if err != nil {
			return nil, err
		}
		if !r.handled {
			d := describer{v: v}
			rejected = append(rejected, &Exception{Reason: withHint(d.reason(handle)), Stack: d.stack(handle)})
			if d.err != nil {
				return nil, d.err
			}
		}
		if err := v.free(handle); err != nil {
			return nil, err
		}
	}
	v.rejections = v.rejections[:0]
	return rejected, v.stopped()
}

// handle makes a handle for a value, which belongs to it from then on.
func (v *VM) handle(value uint64) (uint32, error) {
	at, err := v.alloc(8)
	if err == nil {
		err = v.write(at, binary.LittleEndian.AppendUint64(nil, value))
	}
	return at, err
}
