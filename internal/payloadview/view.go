package payloadview

import (
	"errors"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/cborout"
)

// What a document can have that keeps it from being looked at.
var (
	ErrNotJSON   = errors.New("the payload is not one JSON document in UTF-8")
	ErrDuplicate = errors.New("the payload has a member twice where the adapter looks")
	ErrTooLarge  = errors.New("the adapter would see too much of the payload")
)

// A Fault says why a document was not looked at. It wraps one of the errors above.
type Fault struct {
	Err    error
	Detail string
}

func (f *Fault) Error() string { return f.Err.Error() + ": " + f.Detail }

// Unwrap returns Err.
func (f *Fault) Unwrap() error { return f.Err }

// A View is what a program found in a document.
type View struct {
	data    []byte
	program *Program
	places  []place // the first is the document's value; parents stand before what is in them
	encoded []byte
}

// place is a value whose whereabouts are remembered.
type place struct {
	parent   int // -1: none
	step     adaptersv2.Step
	lead     int // of the item: behind the bracket or comma in front of it
	from, to int
	trail    int   // of the item: the bracket or comma behind it
	elements int   // of a list; -1: not counted
	node     *node // if it is fixed
}

func (s *scanner) view() *View {
	out := cborout.AppendList(make([]byte, 0, s.out.size+3), s.out.count)
	for _, entries := range s.out.entries {
		out = append(out, entries...)
	}
	return &View{data: s.data, program: s.program, places: s.places, encoded: out}
}

// CBOR returns the entries of the view as a request has them: a list in deterministic encoding.
func (v *View) CBOR() []byte { return v.encoded }
