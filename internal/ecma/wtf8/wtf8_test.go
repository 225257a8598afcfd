package wtf8

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`:                   "",
		`"a\"\\\/\b\f\n\r\t"`:  "a\"\\/\b\f\n\r\t",
		`"\u00e9\u20AC"`:       "é€",
		`"\ud83d\ude00"`:       "😀",
		`"x\ud83dy"`:           "x\xed\xa0\xbdy",
		`"\ude00\ud83d"`:       "\xed\xb8\x80\xed\xa0\xbd",
		`"\ud83d\ud83d\ude00"`: "\xed\xa0\xbd😀",
		"\"\xff\"":             "\uFFFD",
	} {
		got, err := Unquote([]byte(raw))
		require.NoError(t, err, raw)
		assert.Equal(t, want, got, raw)
	}
	for _, raw := range []string{``, `"`, `"a`, `a"`, `"\"`, `"\x"`, `"\u12"`, `"\u+123"`, "\"\n\"", `"a"b"`} {
		_, err := Unquote([]byte(raw))
		assert.Error(t, err, raw)
	}
}

func TestAppendUnquote(t *testing.T) {
	out, err := AppendUnquote([]byte("x"), []byte(`"a\n\ud83d"`))
	require.NoError(t, err)
	assert.Equal(t, "xa\n\xed\xa0\xbd", string(out))
	out, err = AppendUnquote([]byte("x"), []byte(`"a\n\q"`))
	require.Error(t, err)
	assert.Equal(t, "x", string(out))
}

func TestAppendQuoteKeepsHalves(t *testing.T) {
	for s, want := range map[string]string{
		"<&>\u2028é":    "\"<&>\u2028é\"",
		"\x01\x1f\"\\":  `"\u0001\u001f\"\\"`,
		"a\xed\xa0\xbd": `"a\ud83d"`,
		"a\xffb\xed":    "\"a\uFFFDb\uFFFD\"",
		"😀\x7f":         "\"😀\x7f\"",
	} {
		assert.Equal(t, want, string(AppendQuote(nil, s)))
	}
}

func FuzzUnquote(f *testing.F) {
	f.Add([]byte(`"a\ud83d\ude00\n"`))
	f.Add([]byte(`"\udead"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Unquote(raw)
		var want string
		if wantErr := json.Unmarshal(Repair(raw), &want); len(raw) > 0 && raw[0] == '"' && raw[len(raw)-1] == '"' {
			require.Equal(t, wantErr == nil, err == nil, "%q", raw)
		}
		if err != nil {
			return
		}
		again, err := Unquote(AppendQuote(nil, got))
		require.NoError(t, err)
		require.Equal(t, got, again)
		// encoding/json loses halves, and counts bytes that are not UTF-8 one by one.
		require.Equal(t, want, replaceHalves(got))
	})
}

func replaceHalves(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if _, ok := Half(s[i:]); ok {
			b.WriteString("\uFFFD")
			i += 3
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

func TestMeet(t *testing.T) {
	high, low := AppendHalf(nil, 0xD83D), string(AppendHalf(nil, 0xDEA2))
	assert.Equal(t, "\xed\xa0\xbd", string(high))
	for _, c := range []struct{ before, behind, want string }{
		{string(high), low, "🚢"},
		{"tide " + string(high), low + "!", "🚢"},
		{low, string(high), ""},
		{string(high), string(high), ""},
		{low, low, ""},
		{"", low, ""},
		{"\xa0\xbd", low, ""},
		{string(high), "", ""},
		{string(high), "\xed\xba", ""},
		{string(high) + "a", low, ""},
		{"🚢", low, ""},
	} {
		r, ok := Meet([]byte(c.before), c.behind)
		assert.Equal(t, c.want != "", ok, "%q %q", c.before, c.behind)
		if ok {
			assert.Equal(t, c.want, string(r))
		}
	}
}

func TestToUTF8(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"tide 🚢":                     "tide 🚢",
		"a\xed\xa0\x80b\xed\xb0\x80": "a\uFFFDb\uFFFD", // each half on its own
		"\xff\xed\xa0":               "\uFFFD\uFFFD\uFFFD",
	} {
		assert.Equal(t, want, ToUTF8(in))
	}
}
