package abi

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// Limits of every message in either direction. Payloads are byte strings, so their size is bounded by
// the answer limit of a call and not by these.
const (
	maxNesting  = 32
	maxElements = 131_072
	maxPairs    = 131_072
)

// The modes are immutable once made; they are the only package state.
var encoder, decoder = modes()

func modes() (cbor.EncMode, cbor.DecMode) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	dec, err := cbor.DecOptions{
		DupMapKey:         cbor.DupMapKeyEnforcedAPF,
		IndefLength:       cbor.IndefLengthForbidden,
		TagsMd:            cbor.TagsForbidden,
		MaxNestedLevels:   maxNesting,
		MaxArrayElements:  maxElements,
		MaxMapPairs:       maxPairs,
		UTF8:              cbor.UTF8RejectInvalid,
		ExtraReturnErrors: cbor.ExtraDecErrorNone, // unknown keys are ignored, by contract
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return enc, dec
}

// Encode writes v as deterministic CBOR (RFC 8949 section 4.2.1).
func Encode(v any) ([]byte, error) {
	b, err := encoder.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return b, nil
}

// Decode reads exactly one CBOR item into v. It refuses what ABI.md refuses: indefinite lengths, tags,
// duplicate keys, text that is not UTF-8, nesting beyond 32, bytes after the item. Keys of a map that
// v has no field for are ignored.
func Decode(data []byte, v any) error {
	if err := decoder.Unmarshal(data, v); err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	return nil
}

// deterministic reports whether data is the deterministic encoding of what it says.
func deterministic(data []byte) bool {
	var v any
	if decoder.Unmarshal(data, &v) != nil {
		return false
	}
	again, err := encoder.Marshal(v)
	return err == nil && bytes.Equal(data, again)
}

// A Failure is an error that a guest answered of its own accord.
type Failure struct {
	Code    string `cbor:"code"`
	Message string `cbor:"message"`
}

func (f *Failure) Error() string {
	if f.Code == "" {
		return f.Message
	}
	return f.Code + ": " + f.Message
}

// Tags of an answer.
const (
	answerNothing = 0
	answerValue   = 1
	answerFailure = 2
)

// ErrBadAnswer is wrapped by every error of DecodeAnswer that is not a [*Failure].
var ErrBadAnswer = errors.New("bad answer")

// DecodeAnswer reads the answer of an operation: nothing (nil), a value (its CBOR), or an error. The
// error is a [*Failure] if the guest answered one, else it wraps [ErrBadAnswer].
func DecodeAnswer(data []byte) ([]byte, error) {
	var parts []cbor.RawMessage
	if err := decoder.Unmarshal(data, &parts); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadAnswer, err)
	}
	if len(parts) == 0 {
		return nil, fmt.Errorf("%w: an empty list", ErrBadAnswer)
	}
	var tag uint64
	if err := decoder.Unmarshal(parts[0], &tag); err != nil {
		return nil, fmt.Errorf("%w: its first element is not a number: %w", ErrBadAnswer, err)
	}
	want := map[uint64]int{answerNothing: 1, answerValue: 2, answerFailure: 2}
	if n, known := want[tag]; !known || n != len(parts) {
		return nil, fmt.Errorf("%w: a list of %d elements that starts with %d", ErrBadAnswer, len(parts), tag)
	}
	switch tag {
	case answerNothing:
		return nil, nil
	case answerValue:
		return parts[1], nil
	}
	var f Failure
	if err := decoder.Unmarshal(parts[1], &f); err != nil {
		return nil, fmt.Errorf("%w: its error is malformed: %w", ErrBadAnswer, err)
	}
	return nil, &f
}

// EncodeAnswer writes an answer: nothing if v is nil and failure is nil, else one of the two. Hosts
// need it for native twins of guests and for tests.
func EncodeAnswer(v any, failure *Failure) ([]byte, error) {
	switch {
	case failure != nil:
		return Encode([]any{answerFailure, failure})
	case v != nil:
		return Encode([]any{answerValue, v})
	}
	return Encode([]any{answerNothing})
}

// Text reads the value of an answer that is text.
func Text(value []byte) (string, error) {
	var s string
	if err := decoder.Unmarshal(value, &s); err != nil {
		return "", fmt.Errorf("%w: not text: %w", ErrBadAnswer, err)
	}
	return s, nil
}

// Bytes reads the value of an answer that is a byte string.
func Bytes(value []byte) ([]byte, error) {
	var b []byte
	if err := decoder.Unmarshal(value, &b); err != nil {
		return nil, fmt.Errorf("%w: not a byte string: %w", ErrBadAnswer, err)
	}
	return b, nil
}
