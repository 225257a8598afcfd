package conformance

import (
	"fmt"
	"io"
	"strings"
	"unicode"
)

// WriteText writes a file's result for people: its failing cases, then one line for the file.
func (r FileResult) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, f := range r.Failures {
		f.write(&b)
	}
	switch {
	case r.Error != "":
		fmt.Fprintf(&b, "%s: error: %s\n", printable(r.Path), printable(strings.TrimPrefix(r.Error, r.Path+": ")))
	case r.LeftOut != "":
		fmt.Fprintf(&b, "%s: left out: %s\n", printable(r.Path), r.LeftOut)
	default:
		fmt.Fprintf(&b, "%s: %d passed, %d failed\n", printable(r.Path), r.Passed, r.Failed)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (f Failure) write(b *strings.Builder) {
	fmt.Fprintf(b, "FAIL %s", printable(f.Case))
	if f.Mode != "" {
		fmt.Fprintf(b, " (%s mode)", f.Mode)
	}
	b.WriteByte('\n')
	if f.Why != "" {
		fmt.Fprintf(b, "  why: %s\n", printable(f.Why))
	}
	if f.Error != "" {
		fmt.Fprintf(b, "  error: %s\n", printable(f.Error))
	}
	for _, d := range f.Differences {
		at := d.At
		if at == "" {
			at = "result"
		}
		if d.Note != "" {
			at += " (" + d.Note + ")"
		}
		fmt.Fprintf(b, "  at %s\n    expected %s\n    got      %s\n", printable(at), shown(d.Expected), shown(d.Got))
	}
}

func shown(s string) string {
	if s == "" {
		return "nothing"
	}
	return printable(s)
}

// printable keeps texts of a vector file, or of a guest, from steering a terminal.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return '\uFFFD'
		}
		return r
	}, s)
}
