package pisession

import (
	"bytes"
	"context"
	"io"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// Version is the newest version of the format that is known.
const Version = 3

// A Header is the line that begins a session.
type Header struct {
	Line, Offset int64
	ID           string
	// Version is 1 if the header does not say, and 0 if what it says is no version.
	Version int64
	// Late says that entries come before it, so that Pi does not take it.
	Late bool
	// Length is that of the line, in bytes.
	Length int64
}

// An Entry is one line of the tree.
type Entry struct {
	Line, Offset, Length int64
	// Place is the entry's index in the list that Pi makes of the file, in which the header has a place.
	Place int
	// ID is "" if the entry has none that is a string, and Parent if it is a root.
	ID, Parent string
	Type       string
	// Role is that of a message's message, CustomType that of a custom entry or message.
	Role, CustomType string
	// Target is the entry that a compaction keeps first, that a label or an edit is about, or that a branch
	// was left at.
	Target string
	// AfterLoss says that a line in front of it, behind the entry before, cannot be read.
	AfterLoss bool
	shape     shape
}

// A Loss is a line that holds no entry that Pi can reach.
type Loss struct {
	Line, Offset int64
	Kind         LossKind
	// ID and Parent are what can still be read of a broken line that was an entry; ID is "" if nothing is.
	ID, Parent string
	// Last says that no line feed ends the line.
	Last bool
}

// LossKind says why a line holds no entry.
type LossKind int

// The kinds of lines that hold no entry.
const (
	NotJSON LossKind = iota
	TooLong
	NullValue
	NoObject
	BadHeader
	SecondHeader
)

// A File is what is known of a session file.
type File struct {
	// Header is nil if there is none, neither at the beginning nor later.
	Header  *Header
	Entries []Entry
	Lines   int64
	// Open says that the last line holds an entry or the header and no line feed ends it.
	Open bool
	// Mark says that the file begins with a byte order mark.
	Mark bool
}

// ByteOrderMark is what some programs put in front of UTF-8. Pi does not take it away.
var ByteOrderMark = []byte("\ufeff")

// Read reads a file through. It tells lost of each line that holds no entry, and line of each other one
// with its text, which lasts until it returns; both may be nil. The error is that of r, of ctx, or of one of these.
func Read(ctx context.Context, r io.Reader, lost func(Loss) error, line func(e *Entry, text []byte) error) (*File, error) {
	s := scanner{file: &File{}, names: map[string]string{}}
	err := lines(r, func(t *textLine) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if t.number == 1 && bytes.HasPrefix(t.text, ByteOrderMark) {
			s.file.Mark = true
			t.text, t.offset, t.length = t.text[len(ByteOrderMark):], t.offset+3, t.length-3
			defer func() { t.offset, t.length = t.offset-3, t.length+3 }()
		}
		s.file.Lines = t.number
		loss, e := s.line(t)
		switch {
		case loss != nil:
			loss.Line, loss.Offset, loss.Last = t.number, t.offset, !t.whole
			s.afterLoss = s.afterLoss || loss.Kind == NotJSON || loss.Kind == TooLong
			if lost != nil {
				return lost(*loss)
			}
		case e != nil && line != nil:
			return line(e, t.text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.file.finish()
	return s.file, nil
}

type scanner struct {
	file      *File
	names     map[string]string // one copy of each type and role
	places    int
	afterLoss bool
}

// line takes one line. It returns neither if the line is blank or the header.
func (s *scanner) line(t *textLine) (*Loss, *Entry) {
	switch {
	case t.long():
		return &Loss{Kind: TooLong}, nil
	case len(bytes.TrimFunc(t.text, ecma.IsSpace)) == 0:
		return nil, nil
	}
	m, kind, err := readMembers(t.text)
	if err != nil {
		loss := &Loss{Kind: NotJSON}
		loss.ID, loss.Parent = remains(t.text)
		return loss, nil
	}
	if kind == jsonspan.Null {
		return &Loss{Kind: NullValue}, nil
	}
	place := s.places
	s.places++
	if kind != jsonspan.Object {
		return &Loss{Kind: NoObject}, nil
	}
	s.file.Open = !t.whole
	id, _ := jsonvalue.TextOf(m.id)
	if jsonvalue.StringOf(m.kind) == "session" {
		switch {
		case id == "":
			return &Loss{Kind: BadHeader}, nil
		case s.file.Header != nil:
			return &Loss{Kind: SecondHeader}, nil
		}
		s.file.Header = &Header{Line: t.number, Offset: t.offset, Length: t.length, ID: id,
			Version: version(m.version), Late: place > 0}
		return nil, nil
	}
	e := Entry{Line: t.number, Offset: t.offset, Length: t.length, Place: place, ID: id,
		Parent: jsonvalue.StringOf(m.parent), Type: s.name(m.kind), CustomType: s.name(m.customType),
		AfterLoss: s.afterLoss}
	s.afterLoss = false
	e.read(&m, s)
	s.file.Entries = append(s.file.Entries, e)
	return nil, &e
}

// name reads a string of which there are few different ones.
func (s *scanner) name(raw []byte) string {
	const most = 1000
	text := jsonvalue.StringOf(raw)
	if known, ok := s.names[text]; ok {
		return known
	}
	if len(s.names) < most {
		s.names[text] = text
	}
	return text
}

// version is what a header says, as Pi takes it: without a version it is 1.
func version(raw []byte) int64 {
	if len(raw) == 0 || string(raw) == "null" {
		return 1
	}
	n, ok := jsonvalue.WholeOf(raw)
	if !ok || n < 1 {
		return 0
	}
	return n
}

// OldVersion tells whether Pi gives all entries new ids, each the child of the one before it.
func (f *File) OldVersion() bool {
	if f.Header != nil {
		return f.Header.Version == 1
	}
	for i := range f.Entries {
		if f.Entries[i].ID != "" {
			return false
		}
	}
	return true
}

// finish links the entries of version 1.
func (f *File) finish() {
	if !f.OldVersion() {
		return
	}
	for i := range f.Entries {
		f.Entries[i].ID, f.Entries[i].Parent = linearID(i), ""
		if i > 0 {
			f.Entries[i].Parent = linearID(i - 1)
		}
	}
	byPlace := map[int]string{}
	for i := range f.Entries {
		byPlace[f.Entries[i].Place] = f.Entries[i].ID
	}
	for i := range f.Entries {
		if e := &f.Entries[i]; e.shape.keptPlace >= 0 && e.Type == Compaction {
			e.Target = byPlace[e.shape.keptPlace]
		}
	}
}

// Text reads the text of an entry again, into buf if there is room.
func (e *Entry) Text(r io.ReaderAt, buf []byte) ([]byte, error) {
	if int64(cap(buf)) < e.Length {
		buf = make([]byte, e.Length)
	}
	buf = buf[:e.Length]
	_, err := io.ReadFull(io.NewSectionReader(r, e.Offset, e.Length), buf)
	return buf, err
}
