package quickjs

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/cborout"
)

// The forms of what call and settled answer, by their first character.
const (
	formNothing = '0'
	formText    = '1' // the text follows
	formError   = '2' // {"code","message"}
	formEdits   = '3' // an answer of provider-payload-adapters/v2
	formRewrite = '4' // edits of the payload
	formWaits   = '.' // a promise that is not settled yet
	markMore    = '+' // in front of any of them: the program has something to say beside it
)

// jsonCost is what reading a byte of JSON costs the host, in units of fuel.
const jsonCost = 10

// A reply is what a call answers and what is known of the question.
type reply struct {
	op      string
	payload []byte
	limit   int

	more  bool // it has notes
	waits bool // for a promise
}

// readReply makes the answer of what one of the program's functions answered.
func (v *VM) readReply(function string, result uint32, r *reply) error {
	return v.readText(function, result, r.limit+2, func(text []byte) error {
		if len(text) > 0 && text[0] == markMore {
			r.more = true
			text = text[1:]
		}
		if len(text) == 0 {
			return &Fault{BadAnswer, fmt.Sprintf("%s.%s answered an empty string", objectGlobal, function)}
		}
		return v.form(r, text[0], text[1:])
	})
}

func (v *VM) form(r *reply, form byte, rest []byte) error {
	out := kept(v.answer)[:0]
	var err error
	switch form {
	case formText:
		out = cborout.AppendUTF8(append(out, answered...), toUTF8(rest))
	case formError, formEdits, formRewrite:
		if err := v.machine.Charge(jsonCost * len(rest)); err != nil {
			return err
		}
		out, err = r.fromJSON(out, form, toUTF8(rest))
	case formNothing, formWaits:
		if len(rest) > 0 {
			return unknownForm(form, rest)
		}
		r.waits = form == formWaits
		out = append(out, nothing...)
	default:
		return unknownForm(form, rest)
	}
	if err != nil {
		return err
	}
	if len(out) > r.limit+answerHead {
		return &Fault{TooLarge, fmt.Sprintf("the answer has %d bytes, at most %d are allowed", len(out), r.limit)}
	}
	v.answer = out
	return nil
}

// The beginnings of answers in CBOR: [0] and [1, …].
var (
	nothing  = cborout.AppendUint(cborout.AppendList(nil, 1), 0)
	answered = cborout.AppendUint(cborout.AppendList(nil, 2), 1)
)

// answerHead is what an answer has on top of the contents of its value.
const answerHead = 2 + 5

func unknownForm(form byte, rest []byte) error {
	shown := append([]byte{form}, rest[:min(len(rest), 20)]...)
	return &Fault{BadAnswer, fmt.Sprintf("the program's answer begins with %q, which has no meaning", toUTF8(shown))}
}

func (r *reply) fromJSON(out []byte, form byte, text []byte) ([]byte, error) {
	switch form {
	case formError:
		var f abi.Failure
		if err := unmarshal(text, &f); err != nil {
			return nil, err
		}
		return encode(abi.EncodeAnswer(nil, &f))
	case formEdits:
		var edits editsAnswer
		if err := unmarshal(text, &edits); err != nil {
			return nil, err
		}
		return encode(abi.EncodeAnswer(edits.answer(), nil))
	}
	var list []edit
	if err := unmarshal(text, &list); err != nil {
		return nil, err
	}
	return r.rewrite(out, list)
}

func unmarshal(text []byte, into any) error {
	if err := json.Unmarshal(text, into); err != nil {
		return &Fault{BadAnswer, "the JSON of the program's answer cannot be read: " + unreadable(err)}
	}
	return nil
}

// unreadable says what is wrong with JSON, without types of Go.
func unreadable(err error) string {
	wrong := (*json.UnmarshalTypeError)(nil)
	switch {
	case !errors.As(err, &wrong):
		return err.Error()
	case wrong.Field == "":
		return "it has another type (" + wrong.Value + ")"
	}
	return fmt.Sprintf("%q has another type (%s)", wrong.Field, wrong.Value)
}

func encode(answer []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, &Fault{BadAnswer, err.Error()}
	}
	return answer, nil
}
