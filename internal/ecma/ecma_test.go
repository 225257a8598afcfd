package ecma

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestIsSpaceIsExactlyTheSet(t *testing.T) {
	want := map[rune]bool{
		0x20: true, 0xa0: true, 0x1680: true, 0x2028: true, 0x2029: true,
		0x202f: true, 0x205f: true, 0x3000: true, 0xfeff: true,
	}
	for r := rune(0x09); r <= 0x0d; r++ {
		want[r] = true
	}
	for r := rune(0x2000); r <= 0x200a; r++ {
		want[r] = true
	}
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if IsSpace(r) != want[r] {
			t.Fatalf("IsSpace(%U) = %v", r, !want[r])
		}
	}
}

func TestTrim(t *testing.T) {
	for in, want := range map[string]string{
		"":                               "",
		" \t\n\v\f\r":                    "",
		"\u00a0\ufeff a b \u3000":        "a b",
		"\u0085a\u0085":                  "\u0085a\u0085",
		"\u180ea\u200b":                  "\u180ea\u200b",
		"\u2060":                         "\u2060",
		"\u2028x\r\ny\u2029":             "x\r\ny",
		"\xa0a\xa0":                      "\xa0a\xa0",
		"a":                              "a",
		"\u1680\u2000\u200a\u202f\u205f": "",
	} {
		assert.Equal(t, want, Trim(in), "%q", in)
		assert.Equal(t, want == "", IsBlank(in), "%q", in)
	}
}

func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"":                     `""`,
		`a"b\c/d`:              `"a\"b\\c/d"`,
		"\b\t\n\f\r":           `"\b\t\n\f\r"`,
		"\x00\x0b\x1f\x7f":     "\"\\u0000\\u000b\\u001f\x7f\"",
		"<a href='x'>&</a>":    `"<a href='x'>&</a>"`,
		"\u2028\u2029é😀":       "\"\u2028\u2029é😀\"",
		"\xffa\xc3":            "\"\ufffda\ufffd\"",
		"\xed\xa0\x80":         "\"\ufffd\ufffd\ufffd\"",
		"kept: \ufffd":         "\"kept: \ufffd\"",
		strings.Repeat("x", 9): `"xxxxxxxxx"`,
	} {
		assert.Equal(t, want, string(AppendString(nil, in)), "%q", in)
	}
	assert.Equal(t, `a"b"`, string(AppendString([]byte("a"), "b")))
	assert.Equal(t, `a\n`, string(AppendEscaped([]byte("a"), "\n")))
}

func TestAppendStringReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		var back string
		require.NoError(t, json.Unmarshal(AppendString(nil, s), &back))
		assert.Equal(t, strings.ToValidUTF8(s, "\ufffd"), back)
	})
}
