package v2

import (
	"errors"
	"strconv"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

// An Address leads from the top of a JSON document to a value.
type Address []Step

// A Step goes from a value to one inside it: to a member of an object, or if InList is true to an
// element of a list. In CBOR it is the member's name or the element's index.
type Step struct {
	Member string // not looked at with InList
	Index  uint64 // from 0
	InList bool
}

// Member returns the step to a member of an object.
func Member(name string) Step { return Step{Member: name} }

// Index returns the step to an element of a list.
func Index(i uint64) Step { return Step{Index: i, InList: true} }

// String writes an address for people: ["input",0,"role"].
func (a Address) String() string {
	var b strings.Builder
	b.WriteByte('[')
	for i, s := range a {
		if i > 0 {
			b.WriteByte(',')
		}
		if s.InList {
			b.WriteString(strconv.FormatUint(s.Index, 10))
		} else {
			b.WriteString(strconv.Quote(s.Member))
		}
	}
	b.WriteByte(']')
	return b.String()
}

// MarshalCBOR writes a text or a number.
func (s Step) MarshalCBOR() ([]byte, error) {
	if s.InList {
		return cbor.Marshal(s.Index)
	}
	return cbor.Marshal(s.Member)
}

// UnmarshalCBOR reads a text or a number.
func (s *Step) UnmarshalCBOR(data []byte) error {
	var v any
	if err := cbor.Unmarshal(data, &v); err != nil {
		return err
	}
	switch v := v.(type) {
	case string:
		*s = Member(v)
		return nil
	case uint64:
		*s = Index(v)
		return nil
	}
	return errors.New("a step of an address is a text or a number from 0")
}
