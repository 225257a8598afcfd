package registry

import (
	"errors"

	"github.com/pintle-wasm/pintle/abi"
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

// checkBytes is the check of answers that have to be byte strings.
func checkBytes(value []byte) error {
	_, err := abi.Bytes(value)
	return err
}
