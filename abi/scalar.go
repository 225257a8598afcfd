package abi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// A Scalar is a text, a number, true, false or null. The zero Scalar is none of them: it is absent.
type Scalar struct {
	value any
	set   bool
}

// ScalarOf returns the scalar that v stands for: a string, an int, int64, uint64 or finite float64, a
// bool or nil.
func ScalarOf(v any) (Scalar, error) {
	switch n := v.(type) {
	case string, bool, nil, int64, uint64:
		return Scalar{v, true}, nil
	case int:
		return Scalar{int64(n), true}, nil
	case float64:
		if !math.IsNaN(n) && !math.IsInf(n, 0) {
			return Scalar{v, true}, nil
		}
	}
	return Scalar{}, errors.New("a value to compare with is a text, a finite number, true, false or null")
}

// IsZero reports whether the scalar is absent.
func (s Scalar) IsZero() bool { return !s.set }

// Text returns the scalar if it is a text.
func (s Scalar) Text() (text string, ok bool) {
	text, ok = s.value.(string)
	return text, ok
}

// JSON returns the scalar as a JSON value; nil if it is absent.
func (s Scalar) JSON() []byte {
	if !s.set {
		return nil
	}
	switch v := s.value.(type) {
	case int64:
		return strconv.AppendInt(nil, v, 10)
	case uint64:
		return strconv.AppendUint(nil, v, 10)
	}
	b, err := json.Marshal(s.value)
	if err != nil {
		panic(err) // ScalarOf takes nothing else
	}
	return b
}

// MarshalCBOR writes the scalar.
func (s Scalar) MarshalCBOR() ([]byte, error) { return encoder.Marshal(s.value) }

// UnmarshalCBOR reads a scalar.
func (s *Scalar) UnmarshalCBOR(data []byte) error {
	v, err := scalarOf(data)
	if err == nil {
		*s, err = ScalarOf(v)
	}
	return err
}

// MarshalJSON writes the scalar, null if it is absent.
func (s Scalar) MarshalJSON() ([]byte, error) {
	if !s.set {
		return []byte("null"), nil
	}
	return s.JSON(), nil
}

// UnmarshalJSON reads a scalar.
func (s *Scalar) UnmarshalJSON(data []byte) error {
	var v any
	if n, err := strconv.ParseInt(string(data), 10, 64); err == nil {
		v = n
	} else if n, err := strconv.ParseUint(string(data), 10, 64); err == nil {
		v = n
	} else if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	var err error
	*s, err = ScalarOf(v)
	return err
}

// scalarOf decodes an item unless it is a list or map.
func scalarOf(data []byte) (v any, err error) {
	found := ""
	switch major(data) {
	case majorBytes:
		found = "a byte string"
	case majorList:
		found = "a list"
	case majorMap:
		found = "a map"
	}
	if found != "" {
		return nil, fmt.Errorf("%s where a text, a number, true, false or null is due", found)
	}
	err = decoder.Unmarshal(data, &v)
	return v, err
}
