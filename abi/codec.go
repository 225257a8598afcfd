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
	maxNesting  = 32      // lists and maps inside one another
	maxElements = 131_072 // of one list
	maxPairs    = 131_072 // of one map
	// maxItems bounds an answer, whose reading costs the guest nothing: with 1 MiB of it a host would be
	// busy for longer than the guest.
	maxItems = 131_072
)

// The modes are immutable once made; they are the only package state.
var encoder, decoder = modes()

func modes() (cbor.EncMode, cbor.DecMode) {
	enc, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		panic(err) // the options are constants
	}
	// The decoder only sees what wellFormed has passed.
	dec, err := cbor.DecOptions{
		MaxNestedLevels:   maxNesting,
		MaxArrayElements:  maxElements,
		MaxMapPairs:       maxPairs,
		FieldNameMatching: cbor.FieldNameMatchingCaseSensitive,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return enc, dec
}

// Encode writes v as deterministic CBOR (RFC 8949 section 4.2.1).
//
// Texts may be WTF-8: a lone surrogate becomes U+FFFD. It is an error if a text is not even that, if v
// is nested deeper than 32 lists and maps or larger than a reader accepts, or if two keys of a map
// become the same.
func Encode(v any) ([]byte, error) {
	b, err := encoder.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	c := checker{data: b, repair: true}
	if err := c.whole(); err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	if c.fixed {
		return sorted(b)
	}
	return b, nil
}

// sorted puts the keys of a message in order again, which a repaired key may have left.
func sorted(b []byte) ([]byte, error) {
	var v any
	if err := decoder.Unmarshal(b, &v); err != nil {
		return nil, fmt.Errorf("encode message: %w", err)
	}
	return encoder.Marshal(v)
}

// Decode reads exactly one CBOR item into v. It refuses what ABI.md refuses, wherever in the item it
// stands: indefinite lengths, tags, duplicate keys, text that is not UTF-8, more than 32 lists and maps
// inside one another, bytes after the item. Keys of a map that v has no field for are ignored, and null
// counts as absent.
func Decode(data []byte, v any) error {
	err := wellFormed(data)
	if err == nil {
		err = readable(decoder.Unmarshal(data, v))
	}
	if err != nil {
		return fmt.Errorf("decode message: %w", err)
	}
	return nil
}

// Check reports what Decode refuses in a message, whatever it is read into.
func Check(data []byte) error { return wellFormed(data) }

// deterministic reports whether data, which was checked, is the deterministic encoding of what it says.
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
var ErrBadAnswer = errors.New("the answer does not follow the ABI")

// DecodeAnswer reads the answer of an operation: nothing (nil), a value (its CBOR, a part of data), or an
// error. An answer has at most 131,072 items, keys and itself included. The error is a [*Failure] if the
// guest answered one, else it wraps [ErrBadAnswer].
func DecodeAnswer(data []byte) ([]byte, error) {
	if err := (&checker{data: data, limit: maxItems}).whole(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrBadAnswer, err)
	}
	c := checker{data: data} // nothing that it reads can be wrong any more
	kind, _, parts, _ := c.head()
	if kind != majorList {
		return nil, fmt.Errorf("%w: not a list", ErrBadAnswer)
	}
	if parts == 0 {
		return nil, fmt.Errorf("%w: an empty list", ErrBadAnswer)
	}
	kind, _, tag, _ := c.head()
	if kind != majorUnsigned {
		return nil, fmt.Errorf("%w: a list that starts with no number", ErrBadAnswer)
	}
	value := data[c.pos:]
	switch {
	case tag == answerNothing && parts == 1:
		return nil, nil
	case tag == answerValue && parts == 2:
		return value, nil
	case tag != answerFailure || parts != 2:
		return nil, fmt.Errorf("%w: a list of %d elements that starts with %d", ErrBadAnswer, parts, tag)
	}
	var f Failure
	if major(value) != majorMap {
		return nil, fmt.Errorf("%w: its error is not a map", ErrBadAnswer)
	}
	if err := decoder.Unmarshal(value, &f); err != nil {
		return nil, fmt.Errorf("%w: its error is malformed: %w", ErrBadAnswer, readable(err))
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
	b, err := textContent(value)
	return string(b), err
}

// CheckText returns the error that Text would.
func CheckText(value []byte) error {
	_, err := textContent(value)
	return err
}

// CheckedText is Text for a value that passed CheckText once: it is not looked at again, and the result is
// a part of it.
func CheckedText(value string) string {
	head := 1
	if info := value[0] & 31; info >= 24 {
		head += 1 << (info - 24)
	}
	return value[head:]
}

func textContent(value []byte) ([]byte, error) {
	b, err := content(value, majorText)
	if err != nil {
		return nil, fmt.Errorf("%w: not text: %w", ErrBadAnswer, err)
	}
	return b, nil
}

// Bytes reads the value of an answer that is a byte string. The result is a part of value.
func Bytes(value []byte) ([]byte, error) {
	b, err := content(value, majorBytes)
	if err != nil {
		return nil, fmt.Errorf("%w: not a byte string: %w", ErrBadAnswer, err)
	}
	return b, nil
}

// content returns the contents of an item that has to be a text or byte string.
func content(item []byte, want byte) ([]byte, error) {
	if err := wellFormed(item); err != nil {
		return nil, err
	}
	c := checker{data: item}
	got, _, n, err := c.head()
	if err != nil || got != want {
		return nil, fmt.Errorf("its major type is %d instead of %d", got, want)
	}
	return c.content(got, n)
}
