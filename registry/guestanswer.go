package registry

import (
	"errors"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// ErrNotText is wrapped by the error of a contribution whose answer is something other than a text.
var ErrNotText = errors.New("the answer is not a text")

// checkText is the check of answers that have to be texts.
func checkText(value []byte) error {
	if err := abi.CheckText(value); err != nil {
		return notText{err}
	}
	return nil
}

type notText struct{ error }

func (e notText) Unwrap() []error { return []error{ErrNotText, e.error} }

func textAnswer(g *runtime.Guest, op string, value []byte) (string, error) {
	s, err := abi.Text(value)
	if err != nil {
		return "", &runtime.Error{Kind: runtime.KindBadAnswer, Guest: g.Name(), Func: op, Reason: err.Error(), Err: errors.Join(ErrNotText, err)}
	}
	return s, nil
}

func bytesAnswer(g *runtime.Guest, op string, value []byte) ([]byte, error) {
	b, err := abi.Bytes(value)
	if err != nil {
		return nil, &runtime.Error{Kind: runtime.KindBadAnswer, Guest: g.Name(), Func: op, Reason: err.Error(), Err: err}
	}
	return b, nil
}
