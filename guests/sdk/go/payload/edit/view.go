package edit

import (
	"strconv"

	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
	"github.com/pintle-wasm/pintle/internal/ecma"
)

// A Step goes from a value to one inside it: to the member Name of an object or, if Element is true, to
// the element Index of a list, counted from 0.
type Step struct {
	Name    string
	Index   int
	Element bool
}

// An Address leads from the top of the payload to a value.
type Address []Step

// Top returns the address of a member of the payload itself.
func Top(name string) Address { return Address{{Name: name}} }

// Member returns the address of a member of the object at a. It does not change a.
func (a Address) Member(name string) Address {
	return append(a[:len(a):len(a)], Step{Name: name})
}

// Element returns the address of an element of the list at a. It does not change a.
func (a Address) Element(index int) Address {
	return append(a[:len(a):len(a)], Step{Index: index, Element: true})
}

// String writes an address for people: ["turns",0,"role"].
func (a Address) String() string {
	b := []byte{'['}
	for i, step := range a {
		if i > 0 {
			b = append(b, ',')
		}
		if step.Element {
			b = strconv.AppendInt(b, int64(step.Index), 10)
		} else {
			b = ecma.AppendString(b, step.Name)
		}
	}
	return string(append(b, ']'))
}

// An Entry is one value that a selector found.
type Entry struct {
	At    Address
	Value Value
}

// A Kind is the kind of a value. The zero Kind is that of a value that is not there.
type Kind uint8

// The kinds of values.
const (
	Absent Kind = iota
	Null
	Bool
	Number
	String
	List
	Object
)

// A Value is a value of the payload as far as its selector shows it. The zero Value is absent.
type Value struct {
	Kind   Kind
	Bool   bool
	Number float64
	// Text is a string, with U+FFFD for what is not Unicode. If Clipped is true the string is longer than
	// the selector's clip: then Text is its beginning, Tail its end, and Bytes how long it is as UTF-8.
	Text    string
	Clipped bool
	Tail    string
	Bytes   int
	Len     int // how many elements a list has
	// Members are those members of an object that the selector wants and the object has. Objects and lists
	// among them come without what is inside.
	Members []Member
}

// A Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Member returns a member of an object, an absent Value if the view does not show it.
func (v Value) Member(name string) Value {
	for _, m := range v.Members {
		if m.Name == name {
			return m.Value
		}
	}
	return Value{}
}

func addressOf(v cbor.Value) Address {
	steps := v.List()
	a := make(Address, len(steps))
	for i, step := range steps {
		if n, ok := step.Number(); ok {
			a[i] = Step{Index: int(n), Element: true}
		} else {
			a[i].Name, _ = step.Text()
		}
	}
	return a
}

func (a Address) append(b []byte) []byte {
	b = cbor.AppendList(b, len(a))
	for _, step := range a {
		if step.Element {
			b = cbor.AppendNumber(b, uint64(step.Index))
		} else {
			b = cbor.AppendText(b, step.Name)
		}
	}
	return b
}

func valueOf(v cbor.Value) Value {
	if text, ok := v.Text(); ok {
		return Value{Kind: String, Text: text}
	}
	if n, ok := v.Number(); ok {
		return Value{Kind: Number, Number: n}
	}
	if b, ok := v.Bool(); ok {
		return Value{Kind: Bool, Bool: b}
	}
	if v.Null() {
		return Value{Kind: Null}
	}
	if n, ok := v.Get("list").Number(); ok {
		return Value{Kind: List, Len: int(n)}
	}
	if head, ok := v.Get("head").Text(); ok {
		clipped := Value{Kind: String, Text: head, Clipped: true}
		clipped.Tail, _ = v.Get("tail").Text()
		n, _ := v.Get("bytes").Number()
		clipped.Bytes = int(n)
		return clipped
	}
	object := v.Get("object")
	if !object.Present() {
		return Value{}
	}
	out := Value{Kind: Object}
	object.Entries(func(name string, value cbor.Value) {
		out.Members = append(out.Members, Member{name, valueOf(value)})
	})
	return out
}
