package abi_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	require.NoError(t, err, s)
	return b
}

// What every decoder refuses, at the top and inside a value that the reader has no field for.
func TestDecodeRefuses(t *testing.T) {
	tests := map[string]struct{ item, want string }{
		"empty head":              {"", "cut off"},
		"head cut off":            {"19 01", "cut off"},
		"text cut off":            {"62 61", "cut off"},
		"text of 2^64-1 bytes":    {"7b ff ff ff ff ff ff ff ff 61", "cut off"},
		"bytes of 2^63 bytes":     {"5b 80 00 00 00 00 00 00 00", "cut off"},
		"list cut off":            {"82 00", "cut off"},
		"map cut off":             {"a1 61 61", "cut off"},
		"list of 2^64-1":          {"9b ff ff ff ff ff ff ff ff", "at most 131072"},
		"list of 131073":          {"9a 00 02 00 01", "at most 131072"},
		"map of 131073":           {"ba 00 02 00 01", "at most 131072"},
		"map of 2^63":             {"bb 80 00 00 00 00 00 00 00", "at most 131072"},
		"reserved length":         {"1c", "starts no item"},
		"indefinite text":         {"7f 61 61 ff", "indefinite"},
		"indefinite bytes":        {"5f 41 61 ff", "indefinite"},
		"indefinite list":         {"9f ff", "indefinite"},
		"indefinite map":          {"bf ff", "indefinite"},
		"break alone":             {"ff", "indefinite"},
		"tag":                     {"c0 60", "tags"},
		"big number":              {"c2 49 01 00 00 00 00 00 00 00 00", "tags"},
		"self-described":          {"d9 d9 f7 00", "tags"},
		"text that is not UTF-8":  {"62 c3 28", "not UTF-8"},
		"lone surrogate":          {"63 ed a0 80", "not UTF-8"},
		"overlong UTF-8":          {"62 c0 80", "not UTF-8"},
		"key that is not UTF-8":   {"a1 62 c3 28 00", "not UTF-8"},
		"undefined":               {"f7", "no value of JSON"},
		"simple value":            {"e0", "no value of JSON"},
		"simple value in a byte":  {"f8 20", "no value of JSON"},
		"a key twice":             {"a2 61 61 00 61 61 01", "used twice"},
		"a key twice, other head": {"a2 61 61 00 78 01 61 01", "used twice"},
		"a number twice":          {"a2 00 00 18 00 00", "used twice"},
		"a list as key":           {"a1 80 00", "neither a text nor"},
		"bytes as key":            {"a1 41 61 00", "neither a text nor"},
		"a negative key":          {"a1 20 00", "neither a text nor"},
		"null as key":             {"a1 f6 00", "neither a text nor"},
		"nesting bomb":            {strings.Repeat("81", 100_000) + "00", "nested"},
		"nested maps":             {strings.Repeat("a1 61 61", 33) + "00", "nested"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			item := unhex(t, test.item)
			var v any
			require.ErrorContains(t, abi.Decode(item, &v), test.want)
			assert.Nil(t, v)
			_, err := abi.DecodeAnswer(append([]byte{0x82, 0x01}, item...))
			require.ErrorIs(t, err, abi.ErrBadAnswer)
			assert.ErrorContains(t, err, test.want)
			var known struct {
				A *int `cbor:"a"`
			}
			unread := append(unhex(t, "a2 61 61 01 61 62"), item...)
			assert.ErrorContains(t, abi.Decode(unread, &known), test.want, "in a part that nobody reads")
		})
	}
}

func TestDecodeRefusesWhatFollows(t *testing.T) {
	var v any
	assert.ErrorContains(t, abi.Decode([]byte{0x00, 0x00}, &v), "1 bytes follow")
	_, err := abi.DecodeAnswer([]byte{0x81, 0x00, 0x81, 0x00})
	assert.ErrorContains(t, err, "2 bytes follow")
}

func TestNestingLimit(t *testing.T) {
	var v any
	deep := bytes.Repeat([]byte{0x81}, 32)
	require.NoError(t, abi.Decode(append(deep, 0x00), &v))
	require.ErrorContains(t, abi.Decode(append(bytes.Repeat([]byte{0x81}, 32), 0x80), &v), "nested")
	// What a host could not read it does not write either.
	list := any(0)
	for range 32 {
		list = []any{list}
	}
	_, err := abi.Encode(list)
	require.NoError(t, err)
	_, err = abi.Encode([]any{list})
	require.ErrorContains(t, err, "nested")
}

func TestCountLimits(t *testing.T) {
	b, err := abi.Encode(make([]int, 131_072))
	require.NoError(t, err)
	var v []int
	require.NoError(t, abi.Decode(b, &v))
	_, err = abi.Encode(make([]int, 131_073))
	require.ErrorContains(t, err, "at most 131072")
	m := map[uint64]bool{}
	for i := range uint64(131_073) {
		m[i] = true
	}
	_, err = abi.Encode(m)
	require.ErrorContains(t, err, "at most 131072")
}

// Guests need not write the shortest form, and JSON's values all have one.
func TestDecodeAccepts(t *testing.T) {
	for item, want := range map[string]any{
		"1b 00 00 00 00 00 00 00 07": uint64(7),
		"38 00":                      int64(-1),
		"7a 00 00 00 01 61":          "a",
		"f9 3e 00":                   1.5,
		"fa 3f c0 00 00":             1.5,
		"fb 3f f8 00 00 00 00 00 00": 1.5,
		"f4":                         false,
		"f5":                         true,
		"f6":                         nil,
		"9a 00 00 00 01 f6":          []any{nil},
		"ba 00 00 00 01 61 61 80":    map[any]any{"a": []any{}},
		"58 01 ff":                   []byte{0xff},
	} {
		var v any
		require.NoError(t, abi.Decode(unhex(t, item), &v), item)
		assert.Equal(t, want, v, item)
	}
	var v any
	require.NoError(t, abi.Decode(unhex(t, "f9 7e 00"), &v))
	assert.True(t, math.IsNaN(v.(float64)))
}

func TestEncodeIsDeterministic(t *testing.T) {
	m := map[string]any{}
	for _, k := range []string{"bb", "a", "c", "aa", "ccc", strings.Repeat("x", 24)} {
		m[k] = 1.5
	}
	first, err := abi.Encode(m)
	require.NoError(t, err)
	assert.Equal(t, unhex(t, "a6 6161 f93e00 6163 f93e00 626161 f93e00 626262 f93e00 63636363 f93e00 7818 "+strings.Repeat("78", 24)+" f93e00"), first)
	for range 20 {
		again, err := abi.Encode(m)
		require.NoError(t, err)
		assert.Equal(t, first, again)
	}
}

// A lone surrogate, three bytes of WTF-8, becomes one U+FFFD, and nothing else does.
func TestEncodeText(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                    "plain",
		"pair 🌍":                   "pair 🌍",
		"high \xed\xa0\x80":        "high \uFFFD",
		"\xed\xbf\xbf low":         "\uFFFD low",
		"\xed\xa0\x80\xed\xb0\x80": "\uFFFD\uFFFD",
		"\uD7FF \uE000 \uFFFD":     "\uD7FF \uE000 \uFFFD",
	} {
		b, err := abi.Encode(map[string]any{"k" + in: []any{in}})
		require.NoError(t, err, in)
		var v map[string][]string
		require.NoError(t, abi.Decode(b, &v))
		assert.Equal(t, map[string][]string{"k" + want: {want}}, v)
	}
	for _, in := range []string{"\xff", "\xc3(", "\xed\xa0", "\xed\xa0\x80\xff", "\xf0\x9f\x8c"} {
		_, err := abi.Encode(in)
		assert.ErrorContains(t, err, "neither UTF-8 nor WTF-8", "%q", in)
	}
	// Byte strings are nobody's text.
	b, err := abi.Encode([]byte("\xed\xa0\x80\xff"))
	require.NoError(t, err)
	assert.Equal(t, "44eda080ff", hex.EncodeToString(b))
}

func TestEncodeRepairedKeys(t *testing.T) {
	b, err := abi.Encode(map[string]int{"\xed\xa0\x80": 1, "\xee\x80\x80": 2})
	require.NoError(t, err)
	assert.Equal(t, unhex(t, "a2 63ee8080 02 63efbfbd 01"), b, "keys stay in order")
	_, err = abi.Encode(map[string]int{"\xed\xa0\x80": 1, "\xed\xa0\x81": 2})
	assert.ErrorContains(t, err, "used twice")
}

func TestEncodeRefuses(t *testing.T) {
	_, err := abi.Encode(make(chan int))
	assert.ErrorContains(t, err, "encode message")
}
