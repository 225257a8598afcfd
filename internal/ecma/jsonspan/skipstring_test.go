package jsonspan

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMasks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var block [64]byte
		copy(block[:], rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom([]byte{'"', '\\', 'n', 't', 0, 0x1f, ' ', 0x7f, 0x80, 0xff, '#', ']', '!', '['}), rapid.Byte()), 64, 64).Draw(t, "block"))
		var quotes, slashes, controls uint64
		for i, c := range block {
			switch {
			case c == '"':
				quotes |= 1 << i
			case c == '\\':
				slashes |= 1 << i
			case c < ' ':
				controls |= 1 << i
			}
		}
		quote, slash, control, usual := masks(&block)
		require.Equal(t, [3]uint64{quotes, slashes, controls}, [3]uint64{quote, slash, control}, "%q", block)
		for i, c := range block {
			require.True(t, usual>>i&1 == 0 || c == 'n' || c == 't', "%q", block)
		}
	})
}

func TestBehindSlashes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few bits and long runs alike.
		slash := rapid.Uint64().Draw(t, "a") | rapid.Uint64().Draw(t, "b")&rapid.Uint64().Draw(t, "c")
		first := rapid.Uint64Range(0, 1).Draw(t, "first")
		var want uint64
		behind := first == 1
		for i := range 64 {
			if behind {
				want |= 1 << i
				behind = false
			} else {
				behind = slash>>i&1 == 1
			}
		}
		escaped, next := behindSlashes(slash, first)
		require.Equal(t, want, escaped, "%064b %d", slash, first)
		require.Equal(t, behind, next == 1)
	})
}

// Every kind of escape, and every fault, at every place of a block.
func TestStringsOfAllLengths(t *testing.T) {
	for _, s := range []string{``, `\n`, `\\`, `\"`, `\/`, `\u00e9`, `\ud83d\ude00`, `\\\\\\\"`, "\x1f", `\x`, `\u12g4`, `\`, "\\\n", `"`, "é", "\xff"} {
		for lead := range 140 {
			for _, tail := range []string{"", `\t`, strings.Repeat("y", 70)} {
				doc := []byte(`"` + strings.Repeat("x", lead) + s + tail + `"`)
				assert.Equal(t, json.Valid(doc), Valid(doc), "%q", doc)
			}
		}
	}
}

// A string that is not one does not end where its fault is, however well that would go on.
func TestFaultsDoNotEndStrings(t *testing.T) {
	for _, lead := range []string{"", "x", strings.Repeat("x", 70)} {
		for _, tail := range []string{"", strings.Repeat(" ", 70)} {
			for _, s := range []string{"\n]", `\]`, `\u]`, `\u12]`, `\u123]`, ``} {
				doc := []byte(`["` + lead + s + tail)
				assert.False(t, Valid(doc), "%q", doc)
			}
			for _, s := range []string{" ", `\uaf09`, `\uAF90`, `a b`} {
				doc := []byte(`["` + lead + s + `"]` + tail)
				assert.True(t, Valid(doc), "%q", doc)
			}
			for _, s := range []string{"`", "g", "G", "@", "/", ":"} {
				doc := []byte(`["` + lead + `\u000` + s + `"]` + tail)
				assert.False(t, Valid(doc), "%q", doc)
			}
		}
	}
}

func TestTextOfAllParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.SampledFrom([]string{`a`, `b c`, `é`, `😀`, `\n`, `\"`, `\\`, `\u00e9`, `\u0041`, `\ud83d\ude00`, `\ud800`, "\xff", "\xc3", strings.Repeat("ß", 200)})
		raw := []byte(`"` + strings.Join(rapid.SliceOf(part).Draw(t, "parts"), "") + `"`)
		text := Text(raw)
		var want string
		require.NoError(t, json.Unmarshal(raw, &want))
		require.Equal(t, want, text)
		require.Equal(t, len(text), TextLen(raw))
		require.Equal(t, "x"+text, string(AppendText([]byte("x"), raw)))
		n := rapid.IntRange(0, len(text)+3).Draw(t, "n")
		at := Offset(raw, n)
		head := Text(append(append([]byte(nil), raw[:at]...), '"'))
		for ; n < len(text) && !utf8.RuneStart(text[n]); n++ {
		}
		require.Equal(t, text[:min(n, len(text))], head)
	})
}

func TestEqualParts(t *testing.T) {
	doc := []byte(`{"a": [1, "x\u0041", null], "b":{}}`)
	for cut := range doc {
		same := Equal(doc, []byte(`{"a":[1.0,`), nil, []byte(` "xA"`), []byte(`,null],"b":`), []byte(`{}}`))
		assert.True(t, same)
		if doc[cut] == ' ' {
			assert.True(t, Equal(doc, doc[:cut], doc[cut:]))
		}
	}
	assert.False(t, Equal(doc, doc[:10]))
	assert.False(t, Equal(doc[:10], doc[:10], []byte(`1`)))
	assert.True(t, Equal(nil))
	assert.False(t, Equal([]byte(`1`)))
}
