package guestbuild

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/abi"
)

// A TOMLError says what is wrong in a pintle.toml.
type TOMLError struct {
	File   string // empty: it is not from a folder
	Faults []Fault
}

// A Fault is one thing that is wrong in a file.
type Fault struct {
	Line, Column int // in characters, from 1; 0: it is about no place
	Text         string
}

// Error has a line for each fault: "pintle.toml:2:1: unknown key verson".
func (e *TOMLError) Error() string {
	lines := make([]string, len(e.Faults))
	for i, f := range e.Faults {
		switch {
		case f.Line > 0 && e.File != "":
			lines[i] = fmt.Sprintf("%s:%d:%d: %s", e.File, f.Line, f.Column, f.Text)
		case f.Line > 0:
			lines[i] = fmt.Sprintf("line %d, column %d: %s", f.Line, f.Column, f.Text)
		case e.File != "":
			lines[i] = e.File + ": " + f.Text
		default:
			lines[i] = f.Text
		}
	}
	return strings.Join(lines, "\n")
}

// in says which file an error about its text is about.
func in(path string, err error) error {
	if wrong := (*TOMLError)(nil); errors.As(err, &wrong) {
		wrong.File = path
		return wrong
	}
	return fmt.Errorf("%s: %w", path, err)
}

// faultAt is a fault at an offset of a text.
func faultAt(text []byte, offset int, reason string) Fault {
	before := text[:min(offset, len(text))]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return Fault{Line: bytes.Count(before, []byte("\n")) + 1, Column: utf8.RuneCount(line) + 1, Text: reason}
}

// below makes an error about a field one about what is in another field.
func below(field string, err error) error {
	within := &abi.ManifestError{}
	if !errors.As(err, &within) {
		return &abi.ManifestError{Field: field, Reason: err.Error()}
	}
	if within.Field != "" && within.Field[0] != '[' {
		field += "."
	}
	return &abi.ManifestError{Field: field + within.Field, Reason: within.Reason}
}

var indices = regexp.MustCompile(`\[\d+\]`)

// located says where in pintle.toml the field stands that a manifest's error is about. A field that is not
// there is missing from the table that is nearest.
func (f *file) located(err error) error {
	if wrong := (*abi.ManifestError)(nil); errors.As(err, &wrong) {
		text := wrong.Reason
		name := indices.ReplaceAllString(wrong.Field, "")
		offset, exact := f.places[wrong.Field]
		if rest, empty := strings.CutPrefix(text, "is empty"); empty && !exact {
			text = "is missing" + rest
		}
		if name != "" {
			text = name + ": " + text
		}
		found := exact
		for at := wrong.Field; !found && at != ""; {
			at = at[:max(strings.LastIndexAny(at, ".["), 0)]
			offset, found = f.places[at]
		}
		fault := Fault{Text: text}
		if found {
			fault = faultAt(f.text, offset, text)
		}
		err = &TOMLError{Faults: []Fault{fault}}
	}
	if f.path != "" {
		err = in(f.path, err)
	}
	return err
}

var offerIndex = regexp.MustCompile(`^(contributions|adapters)\[(\d+)\]`)

// ofCode makes an error about an offer in a manifest that code registered one about the table of that offer in
// pintle.toml; without a table there it names the offer.
func (f *file) ofCode(m *abi.Manifest, err error) error {
	wrong := (*abi.ManifestError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	found := offerIndex.FindStringSubmatch(wrong.Field)
	if found == nil {
		return err
	}
	i, _ := strconv.Atoi(found[2]) // digits
	var id string
	table := -1
	if found[1] == "contributions" {
		id = m.Contributions[i].ID
		for j, c := range f.Contributions {
			if c.ID == id {
				table = j
			}
		}
	} else {
		id = m.Adapters[i].ID
		for j, a := range f.Adapters {
			if a.ID == id {
				table = j
			}
		}
	}
	rest := strings.TrimPrefix(wrong.Field, found[0])
	if table >= 0 {
		return &abi.ManifestError{Field: fmt.Sprintf("%s[%d]%s", found[1], table, rest), Reason: wrong.Reason}
	}
	text := fmt.Sprintf("the code's %s %q: ", strings.TrimSuffix(found[1], "s"), id)
	if rest != "" {
		text += rest[1:] + ": "
	}
	return &abi.ManifestError{Reason: text + wrong.Reason}
}
