package abi

import (
	"encoding/json"
	"errors"
	"strings"
)

// A Selector names values of a payload that an adapter of version 2 wants to see (ABI.md, 9.3).
type Selector struct {
	Path  Path     `cbor:"path" json:"path"`
	Where []Filter `cbor:"where,omitempty" json:"where,omitempty"` // all must hold
	// Members are those that are wanted of a selected object. Absent: none.
	Members []string `cbor:"members,omitempty" json:"members,omitempty"`
	// Clip is the longest string, in bytes of UTF-8, that arrives whole: at most MaxClip. Absent: MaxClip.
	Clip *uint64 `cbor:"clip,omitempty" json:"clip,omitempty"`
}

// A Filter looks at one member of an object on a selector's path. It has Equals, or some of Prefix, Suffix
// and Contains.
type Filter struct {
	// Of is how many steps of the path lead to the object. Absent: all of them.
	Of     *uint64 `cbor:"of,omitempty" json:"of,omitempty"`
	Member string  `cbor:"member" json:"member"`
	Equals Scalar  `cbor:"equals,omitzero" json:"equals,omitzero"`
	Prefix *string `cbor:"prefix,omitempty" json:"prefix,omitempty"`
	Suffix *string `cbor:"suffix,omitempty" json:"suffix,omitempty"`
	// Contains is anywhere in the member.
	Contains *string `cbor:"contains,omitempty" json:"contains,omitempty"`
}

// Depth returns how many steps of a path lead to the object that the filter looks at.
func (f *Filter) Depth(path Path) int {
	if f.Of == nil || *f.Of > uint64(len(path)) {
		return len(path)
	}
	return int(*f.Of)
}

// A Path leads from the top of a JSON document to values.
type Path []Step

// A Step of a path is a member of an object, or each element of a list. In CBOR and JSON it is the
// member's name or true.
type Step struct {
	Member string // not looked at with Each
	Each   bool
}

// String writes a path for people: input[].content.
func (p Path) String() string {
	var b strings.Builder
	for i, s := range p {
		switch {
		case s.Each:
			b.WriteString("[]")
		case i > 0:
			b.WriteByte('.')
			fallthrough
		default:
			b.WriteString(s.Member)
		}
	}
	return b.String()
}

// MarshalCBOR writes a text or true.
func (s Step) MarshalCBOR() ([]byte, error) {
	if s.Each {
		return encoder.Marshal(true)
	}
	return encoder.Marshal(s.Member)
}

// UnmarshalCBOR reads a text or true.
func (s *Step) UnmarshalCBOR(data []byte) error {
	v, err := scalarOf(data)
	if err != nil {
		return err
	}
	return s.set(v)
}

// MarshalJSON writes a string or true.
func (s Step) MarshalJSON() ([]byte, error) {
	if s.Each {
		return []byte("true"), nil
	}
	return json.Marshal(s.Member)
}

// UnmarshalJSON reads a string or true.
func (s *Step) UnmarshalJSON(data []byte) error {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return s.set(v)
}

// StepOf returns the step that a text or true stands for.
func StepOf(v any) (Step, error) {
	var s Step
	return s, s.set(v)
}

func (s *Step) set(v any) error {
	switch v := v.(type) {
	case string:
		*s = Step{Member: v}
		return nil
	case bool:
		if v {
			*s = Step{Each: true}
			return nil
		}
	}
	return errors.New("a step of a path is a text or true")
}
