package auth

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// percent escapes every byte but letters, digits and those in keep.
func percent(keep, format string) func(string) string {
	return func(text string) string {
		var b strings.Builder
		for _, c := range []byte(text) {
			if c < 0x80 && (inWord([]byte{c}, 0) || strings.IndexByte(keep, c) >= 0) {
				b.WriteByte(c)
			} else {
				fmt.Fprintf(&b, format, c)
			}
		}
		return b.String()
	}
}

func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// escapes are the ways in which texts are written inside of others, a character at a time.
var escapes = map[string]func(string) string{
	"encodeURIComponent": percent("-_.!~*'()", "%%%02X"),
	"encodeURI":          percent("-_.!~*'();/?:@&=+$,#", "%%%02X"),
	"lower-case hex":     percent("-_.~", "%%%02x"),
	"PathEscape":         url.PathEscape,
	"JSON.stringify":     func(text string) string { return inside(string(wtf8.AppendQuote(nil, text))) },
	"encoding/json": func(text string) string {
		quoted, _ := json.Marshal(text)
		return inside(string(quoted))
	},
	"ASCII JSON": func(text string) string {
		var b strings.Builder
		for _, unit := range utf16.Encode([]rune(text)) {
			if unit < 0x80 && unit != '"' && unit != '\\' && unit >= ' ' {
				b.WriteByte(byte(unit))
			} else {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
		return b.String()
	},
	"slashes": func(text string) string {
		return strings.ReplaceAll(inside(string(wtf8.AppendQuote(nil, text))), "/", `\/`)
	},
	"%q":  func(text string) string { return inside(strconv.Quote(text)) },
	"%+q": func(text string) string { return inside(strconv.QuoteToASCII(text)) },
	"single": func(text string) string { // as Node shows texts in single quotation marks
		return strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\x1b", `\x1B`).Replace(text)
	},
}

func names(m map[string]func(string) string) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Whatever a secret is written in, three deep, it goes, and nothing else does.
func TestRedactorUndoesEscapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		around := rapid.StringMatching("[|zé€😀\"'\\\\/%\n\x1b]{0,6}")
		secret := rapid.StringMatching("[a-yA-Y0-9!&+=<>#?:;@$*()~%\\\\\"'/ äЖ\u2028😎]{8,20}").Filter(func(s string) bool { return strings.TrimSpace(s) != "" }).Draw(t, "secret")
		before, after := around.Draw(t, "before")+"|", "|"+around.Draw(t, "after")
		want := []string{before, secret, after}
		for _, name := range rapid.SliceOfN(rapid.SampledFrom(names(escapes)), 0, 3).Draw(t, "escapes") {
			for i := range want {
				want[i] = escapes[name](want[i])
			}
		}
		var r Redactor
		r.Add(NewSecret(secret))
		assert.Equal(t, want[0]+Redacted+want[2], r.Text(strings.Join(want, "")))
	})
}

func TestRedactorForms(t *testing.T) {
	raw := base64.RawStdEncoding.EncodeToString([]byte(hidden))
	var r Redactor
	r.Add(NewSecret("pa ss+word/1"), NewSecret("caf\xe9-secret"), NewSecret("half-\xed\xa0\x80-pair"), NewSecret("abck"), NewSecret(hidden))
	for in, want := range map[string]string{
		"a=" + url.QueryEscape("pa ss+word/1") + "&b": "a=[redacted]&b",
		"a=pa+ss%2bword%2F1&b":                        "a=[redacted]&b",
		"caf\uFFFD-secret":                            "[redacted]",
		"half-\uFFFD-pair":                            "[redacted]",
		`half-\ud800-pair`:                            "[redacted]",
		`half-\uD800\u0041pair`:                       `half-\uD800\u0041pair`,
		`line\nabck\tx`:                               `line\n[redacted]\tx`, // a short one, but not in a word
		`%20abck%20`:                                  `%20[redacted]%20`,
		`line\\nabck`:                                 `line\\n[redacted]`,
		`%2`:                                          `%2`,
		`%zz abck \`:                                  `%zz [redacted] \`,
		`\u00`:                                        `\u00`,
		`\U0000`:                                      `\U0000`,
		`\Uffffffff \U00000073k-hidden-0123456789`: `\Uffffffff [redacted]`,
		`\x6`:                      `\x6`,
		`\q abck`:                  `\q [redacted]`,
		`\\x73k-hidden-0123456789`: `[redacted]`,
		"Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+hidden)) + " to":      "Basic dXNl[redacted]== to",
		"Basic " + base64.StdEncoding.EncodeToString([]byte("me:"+hidden)):                "Basic bWU6[redacted]=",
		"token " + base64.RawURLEncoding.EncodeToString([]byte("???>>>"+hidden+"\"")):     "token Pz8_Pj4-[redacted]",
		"u%3A" + url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(hidden+"??>"))): "u%3A[redacted]Pz4%3D",
		base64.StdEncoding.EncodeToString([]byte(`{"key":"sk-\u0068idden-0123456789"}`)):  "eyJrZXki[redacted]In0=",
		"short abck0 YWJjaw==":              "short abck0 YWJjaw==",
		"authorization=Basic+" + raw:        "authorization=Basic+[redacted]",
		"a=Basic%2B" + raw + "%3D&b":        "a=Basic%2B[redacted]%3D&b",
		"id_" + raw:                         "id_[redacted]",
		"key-" + raw + "=":                  "key-[redacted]=",
		"https://api.example/v1/" + raw:     "https://api.example/v1/[redacted]",
		"https://api.example/v1/a/" + raw:   "https://api.example/v1/a/[redacted]",
		"https://api.example/v1/ab/" + raw:  "https://api.example/v1/ab/[redacted]",
		"https://api.example/v1/abc/" + raw: "https://api.example/v1/abc/[redacted]",
		"https://api.example/" + raw + "?x": "https://api.example/[redacted]?x",
		"/" + base64.RawURLEncoding.EncodeToString([]byte("authorization=Basic+"+raw)): "/YXV0aG9yaXphdGlvbj1CYXNp[redacted]",
	} {
		assert.Equal(t, want, r.Text(in), in)
	}
}

// Each byte of a view stands for bytes of the source, in order and without gaps, and what a piece stands
// for is replaced as a whole.
func TestViews(t *testing.T) {
	decoded := func(digits string) string {
		text, err := base64.RawStdEncoding.DecodeString(digits)
		require.NoError(t, err)
		return string(text)
	}
	for i, undo := range undo {
		for in, want := range map[string][6]string{
			"":                 {},
			"plain":            {"plain", "plain", "plain", "plain", "plain", "plain"},
			`a\n\u00e9%C3%A9`:  {"a\né%C3%A9", `a\n\u00e9é`, `a\n\u00e9%C3%A9`, `a\n\u00e9%C3%A9`, `a\n\u00e9%C3%A9`, `a\n\u00e9%C3%A9`},
			`\ud83d\ude00\`:    {"😀\\", `\ud83d\ude00\`, `\ud83d\ude00\`, `\ud83d\ude00\`, `\ud83d\ude00\`, `\ud83d\ude00\`},
			"YWJjZGVmZ2hpag x": {"YWJjZGVmZ2hpag x", "YWJjZGVmZ2hpag x", "abcdefghij x", "YWJjZGVmZ2hpag x", "YWJjZGVmZ2hpag x", "YWJjZGVmZ2hpag x"},
			"YWJjZGVmZ2hpa":    {"YWJjZGVmZ2hpa", "YWJjZGVmZ2hpa", "abcdefghia", "YWJjZGVmZ2hpa", "YWJjZGVmZ2hpa", "YWJjZGVmZ2hpa"},
			"1/YWJjZGVmZ2hpag": {
				"1/YWJjZGVmZ2hpag", "1/YWJjZGVmZ2hpag", decoded("1/YWJjZGVmZ2hpag"), "1" + decoded("/YWJjZGVmZ2hpag"),
				"1/abcdefghij", "1/Y" + decoded("WJjZGVmZ2hpa") + "g",
			},
		} {
			var v view
			for range 2 { // it can be used again
				require.Equal(t, want[i] != in, v.of([]byte(in), undo))
			}
			got := string(v.text)
			require.Equal(t, want[i], got)
			at := 0
			for b := range len(got) {
				span := v.origin(jsonspan.Span{From: b, To: b + 1})
				assert.LessOrEqual(t, span.From, at)
				assert.Greater(t, span.To, span.From)
				assert.GreaterOrEqual(t, span.To, at)
				at = span.To
			}
			assert.Equal(t, len(in), at)
			assert.Equal(t, jsonspan.Span{From: 0, To: len(in)}, v.origin(jsonspan.Span{From: 0, To: len(got)}))
		}
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("sk-hidden-0123456789", `{"a":"sk-\u0068idden-0123456789 \\u0041"}`)
	f.Add("a b+c/d e", "a+b%2Bc%2Fd%20e")
	f.Add("0123456789", "MDEyMzQ1Njc4OQ== 0123456789")
	f.Fuzz(func(t *testing.T, secret, text string) {
		var r Redactor
		r.Add(NewSecret(secret))
		out := r.Text(text)
		if strings.Contains(text, secret) && len(secret) >= shortSecret && !ecma.IsBlank(secret) {
			assert.Contains(t, out, Redacted)
		}
		if jsonspan.Valid([]byte(text)) {
			assert.True(t, jsonspan.Valid(r.JSON(json.RawMessage(text))))
		}
	})
}
