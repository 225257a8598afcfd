package wasmbin

import (
	"bytes"
	"fmt"
	"strings"
)

// A ValueType is the binary code of a WebAssembly value type.
type ValueType byte

// The value types of core 2.0.
const (
	I32       ValueType = 0x7f
	I64       ValueType = 0x7e
	F32       ValueType = 0x7d
	F64       ValueType = 0x7c
	V128      ValueType = 0x7b
	FuncRef   ValueType = 0x70
	ExternRef ValueType = 0x6f
)

func (t ValueType) String() string {
	switch t {
	case I32:
		return "i32"
	case I64:
		return "i64"
	case F32:
		return "f32"
	case F64:
		return "f64"
	case V128:
		return "v128"
	case FuncRef:
		return "funcref"
	case ExternRef:
		return "externref"
	}
	return fmt.Sprintf("type 0x%02x", byte(t))
}

func (t ValueType) reference() bool { return t == FuncRef || t == ExternRef }

// A FuncType is the signature of a function.
type FuncType struct {
	Params, Results []ValueType
}

// String writes the signature as "(i32, i32) -> i64", a missing result as "()".
func (t FuncType) String() string {
	return "(" + join(t.Params) + ") -> " + results(t.Results)
}

// Equal reports whether two signatures are the same.
func (t FuncType) Equal(u FuncType) bool {
	return bytes.Equal(raw(t.Params), raw(u.Params)) && bytes.Equal(raw(t.Results), raw(u.Results))
}

func raw(ts []ValueType) []byte {
	b := make([]byte, len(ts))
	for i, t := range ts {
		b[i] = byte(t)
	}
	return b
}

func join(ts []ValueType) string {
	names := make([]string, len(ts))
	for i, t := range ts {
		names[i] = t.String()
	}
	return strings.Join(names, ", ")
}

func results(ts []ValueType) string {
	if len(ts) == 1 {
		return ts[0].String()
	}
	return "(" + join(ts) + ")"
}

// A Kind says what an import or export is.
type Kind byte

// The kinds of imports and exports.
const (
	FuncKind   Kind = 0
	TableKind  Kind = 1
	MemoryKind Kind = 2
	GlobalKind Kind = 3
)

func (k Kind) String() string {
	if k > GlobalKind {
		return fmt.Sprintf("kind %d", byte(k))
	}
	return [...]string{"function", "table", "memory", "global"}[k]
}

// An Import is one entry of the import section.
type Import struct {
	Module, Name string
	Kind         Kind
	Type         FuncType // functions only

	typeIndex uint32
	table     table
	memory    Memory
	global    global
}

// An Export is one entry of the export section.
type Export struct {
	Name  string
	Kind  Kind
	Index uint32
	Type  FuncType // functions only
}

// A Memory is one entry of the memory section.
type Memory struct {
	Min    uint32 // pages of 64 KiB
	Max    uint32 // pages; meaningful only with HasMax
	HasMax bool
}

type table struct {
	of     ValueType
	bounds Memory // in entries
}

// A Section is one section of the file.
type Section struct {
	ID   byte
	Name string // custom sections only
	// Start and End bound the section with its id and size; Body and End its contents (without the
	// name of a custom section).
	Start, Body, End int
}

// Custom reports whether this is a custom section.
func (s Section) Custom() bool { return s.ID == 0 }

// Title returns the name of a section for people: "code", "data", or the name of a custom section in
// quotes.
func (s Section) Title() string {
	if s.Custom() {
		return fmt.Sprintf("custom %q", s.Name)
	}
	if int(s.ID) < len(sectionNames) {
		return sectionNames[s.ID]
	}
	return fmt.Sprintf("section %d", s.ID)
}

var sectionNames = [...]string{
	"custom", "type", "import", "function", "table", "memory", "global", "export", "start", "element",
	"code", "data", "datacount",
}

// A Module is what the sections of a binary say about it. It refers to the bytes it was parsed from,
// which must not change.
type Module struct {
	Sections  []Section
	Imports   []Import
	Exports   []Export
	Memories  []Memory // defined, without imports
	Functions int      // defined, without imports
	Globals   int      // defined, without imports

	file   []byte
	limits Limits

	// The index spaces, imported ones first.
	types     []FuncType
	funcTypes []uint32 // index of each function's type
	tables    []table
	memories  int // 0 or 1
	globals   []global
	elements  []element
	segments  []dataSegment

	importedFuncs, importedTables, importedGlobals int

	start     int64  // index of the start function, -1: none
	dataCount int64  // -1: no such section
	referred  []bool // functions to which something outside of code refers; nil: none
	bodies    []reader
}

// CustomSection returns the contents of every custom section with the given name, in file order, and
// for each whether it stands before the code section.
func (m *Module) CustomSection(name string) (contents [][]byte, beforeCode []bool) {
	before := true
	for _, s := range m.Sections {
		if s.ID == sectionCode {
			before = false
		}
		if s.Custom() && s.Name == name {
			contents = append(contents, m.file[s.Body:s.End:s.End])
			beforeCode = append(beforeCode, before)
		}
	}
	return contents, beforeCode
}

// Export returns the export with the given name.
func (m *Module) Export(name string) (Export, bool) {
	for _, e := range m.Exports {
		if e.Name == name {
			return e, true
		}
	}
	return Export{}, false
}
