package quickjs

import "encoding/binary"

// A rejection is a promise that was rejected while nobody handled it, and the reason. The engine hands over a
// handle of each; they are the host's from then on, and keep both values alive until it frees them.
type rejection struct {
	promise uint64 // the value, by which it is known again
	reason  uint32 // a handle
	handled bool   // somebody does, later
}

// Bounds of what is kept of one call. Handles beyond are lost, which costs the guest its own memory.
const (
	maxRejections = 8
	maxHandles    = 16 << 10
)

// Rejected is told by the engine, through its import host_promise_rejection, about a promise that was rejected
// and is not handled, or about one that is handled after all. It runs nothing.
func (v *VM) Rejected(promise, reason uint32, handled bool) {
	p, ok := v.value(promise)
	if !ok {
		return
	}
	if len(v.handles) < maxHandles {
		v.handles = append(v.handles, promise, reason)
	}
	if handled {
		for i := range v.rejections {
			if v.rejections[i].promise == p {
				v.rejections[i].handled = true
			}
		}
		return
	}
	if len(v.rejections) < maxRejections {
		v.rejections = append(v.rejections, rejection{promise: p, reason: reason})
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

// unhandled returns what nobody has handled by now, and lets go of all of it.
func (v *VM) unhandled() (rejected []*Exception, err error) {
	for _, r := range v.rejections {
		if r.handled {
			continue
		}
		d := describer{v: v}
		rejected = append(rejected, &Exception{Reason: withHint(d.reason(r.reason)), Stack: d.stack(r.reason)})
		if d.err != nil {
			return nil, d.err
		}
	}
	v.rejections = v.rejections[:0]
	for len(v.handles) > 0 {
		last := len(v.handles) - 1
		handle := v.handles[last]
		v.handles = v.handles[:last]
		if err := v.free(handle); err != nil {
			return nil, err
		}
	}
	return rejected, v.stopped()
}
