package abi_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

func TestAnswers(t *testing.T) {
	for item, want := range map[string]string{
		"81 00":             "",
		"82 01 61 61":       "6161",
		"82 01 60":          "60",
		"82 01 40":          "40",
		"82 01 80":          "80",
		"98 02 18 01 61 61": "6161", // not the shortest form
	} {
		value, err := abi.DecodeAnswer(unhex(t, item))
		require.NoError(t, err, item)
		assert.Equal(t, unhex(t, want), append([]byte{}, value...), item)
	}
	value, err := abi.DecodeAnswer([]byte{0x81, 0x00})
	require.NoError(t, err)
	assert.Nil(t, value, "nothing is not an empty value")
}

// A guest pays nothing for what its answer makes the host read, so there is a bound to that.
func TestAnswersHaveFewItems(t *testing.T) {
	answer := func(items int) []byte { // [1, [0, 0, ...]]
		n := items - 3
		return append([]byte{0x82, 1, 0x9a, 0, byte(n >> 16), byte(n >> 8), byte(n)}, make([]byte, n)...)
	}
	_, err := abi.DecodeAnswer(answer(131_072))
	require.NoError(t, err)
	_, err = abi.DecodeAnswer(answer(131_073))
	require.ErrorIs(t, err, abi.ErrBadAnswer)
	require.ErrorContains(t, err, "more than 131072 items")
	maps := append([]byte{0x82, 1, 0x9a, 0, 0, 0xff, 0xff}, bytes.Repeat([]byte{0xa1, 0, 0}, 0xffff)...)
	_, err = abi.DecodeAnswer(maps)
	require.ErrorContains(t, err, "more than 131072 items", "keys count")
	require.NoError(t, abi.Check(answer(131_073)), "requests of the host may have more")
}

func TestFailedAnswers(t *testing.T) {
	for item, want := range map[string]abi.Failure{
		"82 02 a2 64 636f6465 61 63 67 6d657373616765 61 6d":                   {Code: "c", Message: "m"},
		"82 02 a2 67 6d657373616765 61 6d 64 636f6465 61 63":                   {Code: "c", Message: "m"}, // any order
		"82 02 a3 64 636f6465 61 63 67 6d657373616765 61 6d 64 6d6f7265 81 f6": {Code: "c", Message: "m"}, // more
		"82 02 a1 67 6d657373616765 61 6d":                                     {Message: "m"},
		"82 02 a2 64 636f6465 f6 67 6d657373616765 61 6d":                      {Message: "m"},
	} {
		value, err := abi.DecodeAnswer(unhex(t, item))
		assert.Nil(t, value)
		var failure *abi.Failure
		require.ErrorAs(t, err, &failure, item)
		assert.Equal(t, want, *failure)
		assert.NotErrorIs(t, err, abi.ErrBadAnswer, "the guest may say that it failed")
	}
	assert.EqualError(t, &abi.Failure{Code: "c", Message: "m"}, "c: m")
	assert.EqualError(t, &abi.Failure{Message: "m"}, "m")
}

func TestBadAnswers(t *testing.T) {
	for item, want := range map[string]string{
		"":                                 "cut off",
		"f6":                               "not a list",
		"a0":                               "not a list",
		"00":                               "not a list",
		"42 01 60":                         "not a list",
		"80":                               "an empty list",
		"81 f6":                            "no number",
		"81 20":                            "no number",
		"81 f9 00 00":                      "no number",
		"81 61 30":                         "no number",
		"82 00 00":                         "2 elements that starts with 0",
		"81 01":                            "1 elements that starts with 1",
		"83 01 60 60":                      "3 elements that starts with 1",
		"81 02":                            "1 elements that starts with 2",
		"82 03 60":                         "starts with 3",
		"82 1b ff ff ff ff ff ff ff ff 60": "starts with 18446744073709551615",
		"82 02 60":                         "not a map",
		"82 02 f6":                         "not a map",
		"82 02 80":                         "not a map",
		"82 02 a1 64 636f6465 01":          "malformed",
		"82 02 a1 64 636f6465 41 63":       "malformed",
	} {
		value, err := abi.DecodeAnswer(unhex(t, item))
		assert.Nil(t, value)
		require.ErrorIs(t, err, abi.ErrBadAnswer, item)
		assert.ErrorContains(t, err, want, item)
	}
}

// Text and byte strings are told apart, and nothing passes for either.
func TestTextAndBytes(t *testing.T) {
	text, err := abi.Text(unhex(t, "63 e2 82 ac"))
	require.NoError(t, err)
	assert.Equal(t, "€", text)
	b, err := abi.Bytes(unhex(t, "43 e2 82 ff"))
	require.NoError(t, err)
	assert.Equal(t, []byte{0xe2, 0x82, 0xff}, b)
	for _, item := range []string{"", "f6", "f7", "00", "f4", "80", "83 01 02 03", "a0", "81 61 61", "61 61 00", "41 61 00"} {
		_, err := abi.Text(unhex(t, item))
		assert.ErrorIs(t, err, abi.ErrBadAnswer, item)
		_, err = abi.Bytes(unhex(t, item))
		assert.ErrorIs(t, err, abi.ErrBadAnswer, item)
	}
	_, err = abi.Text(unhex(t, "41 61"))
	assert.ErrorContains(t, err, "not text")
	_, err = abi.Bytes(unhex(t, "61 61"))
	assert.ErrorContains(t, err, "not a byte string")
	_, err = abi.Text(unhex(t, "62 c3 28"))
	assert.ErrorIs(t, err, abi.ErrBadAnswer)
}

// A text that was checked is the same text in every form of its head.
func TestCheckedText(t *testing.T) {
	for _, head := range []string{"63", "78 03", "79 00 03", "7a 00 00 00 03", "7b 00 00 00 00 00 00 00 03"} {
		value := unhex(t, head+" e2 82 ac")
		require.NoError(t, abi.CheckText(value), head)
		assert.Equal(t, "€", abi.CheckedText(string(value)), head)
	}
	for _, n := range []int{0, 23, 24, 255, 256, 70_000} {
		value, err := abi.Encode(strings.Repeat("x", n))
		require.NoError(t, err)
		require.NoError(t, abi.CheckText(value))
		assert.Len(t, abi.CheckedText(string(value)), n)
	}
	for _, item := range []string{"", "00", "41 61", "62 c3 28", "61 61 00"} {
		_, err := abi.Text(unhex(t, item))
		assert.EqualError(t, abi.CheckText(unhex(t, item)), err.Error())
	}
}

func TestCheck(t *testing.T) {
	assert.NoError(t, abi.Check(unhex(t, "a1 61 61 80")))
	for _, item := range []string{"", "81", "a2 61 61 00 61 61 00", "62 c3 28", "00 00"} {
		var v any
		assert.Error(t, abi.Check(unhex(t, item)), item)
		assert.ErrorContains(t, abi.Decode(unhex(t, item), &v), abi.Check(unhex(t, item)).Error())
	}
}

func TestEncodeAnswer(t *testing.T) {
	large := bytes.Repeat([]byte{'x'}, 1<<20)
	for _, v := range []any{"", "text", []byte{}, large, []string{"a"}} {
		b, err := abi.EncodeAnswer(v, nil)
		require.NoError(t, err)
		value, err := abi.DecodeAnswer(b)
		require.NoError(t, err)
		want, err := abi.Encode(v)
		require.NoError(t, err)
		assert.Equal(t, want, value)
	}
	nothing, err := abi.EncodeAnswer(nil, nil)
	require.NoError(t, err)
	assert.Equal(t, []byte{0x81, 0x00}, nothing)
	failed, err := abi.EncodeAnswer("ignored", &abi.Failure{Code: "c", Message: "m"})
	require.NoError(t, err)
	_, err = abi.DecodeAnswer(failed)
	assert.EqualError(t, err, "c: m")
}
