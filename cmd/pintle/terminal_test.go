package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n\ttext":              "plain\n\ttext",
		"naïve 日本 👩‍🔧":               "naïve 日本 👩‍🔧",
		"\x00\a\b\r\x1b[1m\x7f":      `\u{0}\u{7}\u{8}\u{d}\u{1b}[1m\u{7f}`,
		"\u0085\u009b2J":             `\u{85}\u{9b}2J`,
		"\u200e\u200f\u061c":         `\u{200e}\u{200f}\u{61c}`,
		"\u202a\u202e\u2066\u2069":   `\u{202a}\u{202e}\u{2066}\u{2069}`,
		"a\u2028b\u2029c":            `a\u{2028}b\u{2029}c`,
		"zero\u200bwidth\ufeff":      `zero\u{200b}width\u{feff}`,
		"tag\U000e0041\U000e007f":    `tag\u{e0041}\u{e007f}`,
		"half \xed\xa0\x80 and \xff": "half \ufffd\ufffd\ufffd and \ufffd",
	} {
		assert.Equal(t, want, printable(in))
	}
}

func TestPrintableIsSafe(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text")
		out := printable(in)
		for _, r := range out {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Fatalf("%q has %q", out, r)
			}
		}
		require.Equal(t, out, printable(out), "what is safe stays as it is")
		line := oneLine(in, 20)
		require.NotContains(t, line, "\n")
		require.LessOrEqual(t, len([]rune(line)), 20)
	})
}

func TestPrinterKeepsTheFirstError(t *testing.T) {
	full := errors.New("disk full")
	p := newPrinter(&failingWriter{room: 3, err: full})
	p.printf("ab")
	require.NoError(t, p.err)
	p.printf("cd")
	p.printf("e")
	require.ErrorIs(t, p.err, full)
}

type failingWriter struct {
	bytes.Buffer
	room int
	err  error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.Len()+len(p) > w.room {
		return 0, w.err
	}
	return w.Buffer.Write(p)
}

func TestCut(t *testing.T) {
	assert.Equal(t, "short", cut("short", 160))
	assert.Equal(t, strings.Repeat("é", 160)+"… (840 more characters)", cut(strings.Repeat("é", 1000), 160))
}

// Scripts have the null device as their input, and nobody there can be asked.
func TestNobodyIsBehindTheNullDevice(t *testing.T) {
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	assert.False(t, isPerson(null))
	assert.False(t, isPerson(strings.NewReader("y\n")))
}

func TestBytesText(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 B", 10<<10 - 1: "10239 B", 10 << 10: "10.0 KiB", 3 << 19: "1.5 MiB", 100 << 30: "100.0 GiB",
	} {
		assert.Equal(t, want, bytesText(n))
	}
}
