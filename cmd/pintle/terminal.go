package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/pintle-wasm/pintle/internal/guestcheck"
)

// A printer writes for people. It colours only on a terminal.
type printer struct {
	w     io.Writer
	color bool
	err   error // the first one; what follows it is not written
}

func newPrinter(w io.Writer) *printer { return &printer{w: w, color: isTerminal(w)} }

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// isPerson reports whether somebody may answer a question.
func isPerson(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // a character device as well
	return err != nil || !os.SameFile(info, null)
}

// Colours of the human output.
const (
	bold  = "1"
	dim   = "2"
	red   = "31"
	green = "32"
	cyan  = "36"
)

func (p *printer) paint(code, s string) string {
	if !p.color || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

func (p *printer) head(title string) { p.printf("\n%s\n", p.paint(bold, title)) }

// printable makes text from guests and files safe to show: what could move the cursor, hide text or
// turn the direction of writing is written as an escape.
func printable(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) || invisible(r):
			fmt.Fprintf(&b, `\u{%x}`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// invisible is true for format characters: bidirectional controls, zero-width spaces, tags. Some
// scripts and emoji cannot do without joiners, and the number signs of Arabic are visible.
func invisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) && !unicode.In(r, unicode.Join_Control, unicode.Prepended_Concatenation_Mark)
}

// oneLine is printable on a single line of at most n characters.
func oneLine(s string, n int) string {
	s = strings.Join(strings.Fields(printable(s)), " ")
	if runes := []rune(s); len(runes) > n {
		return string(runes[:n-1]) + "…"
	}
	return s
}

// indent puts spaces in front of every line that is not empty.
func indent(s, by string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(printable(s), "\n")) {
		if line != "\n" {
			b.WriteString(by)
		}
		b.WriteString(line)
	}
	return b.String()
}

func bytesText(n int) string { return guestcheck.Bytes(uint64(n)) }

func durationText(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case d >= 10*time.Millisecond:
		return fmt.Sprintf("%.0f ms", float64(d)/1e6)
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/1e6)
	}
	return fmt.Sprintf("%.0f µs", float64(d)/1e3)
}

// slow tells a person on a terminal what takes long, after a while. The returned function ends it.
func slow(w io.Writer, what string) func() {
	if !isTerminal(w) {
		return func() {}
	}
	t := time.AfterFunc(700*time.Millisecond, func() { fmt.Fprintf(w, "pintle: %s…\n", what) })
	return func() { t.Stop() }
}
