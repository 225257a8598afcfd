package quickjs

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
)

// A Call is one operation.
type Call struct {
	Op      string // name of the operation, as in pintle/1
	Request []byte // CBOR
	// KV are the entries that the program may read and change; nil: it may not.
	KV          map[string][]byte
	AnswerBytes int // the most that an answer may have
}

// Call runs one operation. The answer is the CBOR that a guest of pintle/1 would have answered, and valid
// until the VM is used again. The notes are what the program said beside it, also with an error.
//
// An error is an [*Exception], a [*Fault], or one of the machine. After one of them but a fault of the
// host's own, nobody knows what the program left undone.
func (v *VM) Call(c Call) (answer []byte, notes Notes, err error) {
	op := slices.Index(operations[:], c.Op)
	if op < 0 {
		return nil, Notes{}, &Fault{BadRequest, fmt.Sprintf("the operation %q is unknown", c.Op)}
	}
	text, payload, err := appendRequest(v.text[:0], c.Request)
	if err != nil {
		return nil, Notes{}, err
	}
	v.text, v.failed = kept(text), ""
	args := [maxArgs]uint32{v.state.ops[op], 0, v.state.undefined, v.state.undefined}
	for i, text := range [][]byte{1: text, 2: payload, 3: entries(c.KV)} {
		if text == nil {
			continue
		}
		if args[i], err = v.newString(text); err != nil {
			return nil, Notes{}, err
		}
	}
	r := reply{op: c.Op, payload: payload, limit: c.AnswerBytes}
	rejected, err := v.converse(args[:], &r)
	if err != nil {
		v.failed = subject(c.Op, text)
		return nil, v.lastWords(err), err
	}
	if r.more {
		notes, err = v.notes()
	}
	notes.Rejected = rejected
	return v.answer, notes, err
}

// Failed says for people what part of the program failed in the last call: `contribution "acme/style"`. It is
// empty if none did, or nobody knows.
func (v *VM) Failed() string { return v.failed }

// subject names what a request is for.
func subject(op string, request []byte) string {
	var r struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(request, &r); err != nil || r.ID == "" {
		return ""
	}
	what := "adapter"
	if op == abi.RenderV1 {
		what = "contribution"
	}
	return fmt.Sprintf("%s %q", what, short(r.ID))
}

// converse calls the program and reads what it answers, now or when its promise is settled.
func (v *VM) converse(args []uint32, r *reply) (rejected []*Exception, err error) {
	v.rejections = v.rejections[:0]
	result, err := v.apply(v.state.call, args...)
	if err != nil {
		return nil, err
	}
	for _, a := range args[1:] {
		if a == v.state.undefined {
			continue
		}
		if err := v.free(a); err != nil {
			return nil, err
		}
	}
	if err := v.readReply("call", result, r); err != nil {
		return nil, err
	}
	if err := v.jobs(); err != nil {
		return nil, err
	}
	if r.waits {
		if err := v.settle(r); err != nil {
			return nil, err
		}
	}
	return v.unhandled()
}

// settle asks for the answer of a promise.
func (v *VM) settle(r *reply) error {
	r.waits = false
	result, err := v.apply(v.state.settled)
	if err != nil {
		return err
	}
	if err := v.readReply("settled", result, r); err != nil {
		return err
	}
	if r.waits {
		return &Exception{Reason: "the promise that it answered is never settled: a guest has no timers, network or files, " +
			"so nothing can settle it later"}
	}
	return nil
}

// Reseed gives the program a seed for its random numbers.
func (v *VM) Reseed(seed [32]byte) error {
	text, err := v.newString(hex.AppendEncode(nil, seed[:]))
	if err != nil {
		return err
	}
	result, err := v.apply(v.state.reseed, text)
	if err != nil {
		return err
	}
	if err := v.free(result); err != nil {
		return err
	}
	return v.free(text)
}

// maxKept is how much of a buffer is kept for the next call.
const maxKept = 64 << 10

func kept(buffer []byte) []byte {
	if cap(buffer) > maxKept {
		return nil
	}
	return buffer
}
