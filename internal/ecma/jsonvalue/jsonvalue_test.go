package jsonvalue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func TestWhole(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "-0.0": 0, "7": 7, "123456789012345": 123456789012345, "9007199254740991": MaxSafe, "-9007199254740991": -MaxSafe,
		"1e3": 1000, "1.50e1": 15, "1e-400": 0, "0000": 0,
	} {
		got, ok := WholeOf([]byte(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "0.5", "9007199254740992", "9007199254740993", "-9007199254740992", "1e16", "1e999", "-1e999", `"1"`, "null", "true", "[1]", "{}"} {
		_, ok := WholeOf([]byte(text))
		assert.False(t, ok, text)
	}
}

func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{"0": 0, "9": 9, "-2": -2, "1.5e1": 15, "1e999": math.Inf(1), "-1e999": math.Inf(-1)} {
		got, ok := NumberOf([]byte(text))
		assert.True(t, ok, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", `"1"`, "null", "[1]"} {
		_, ok := NumberOf([]byte(text))
		assert.False(t, ok, text)
	}
}

func TestMembers(t *testing.T) {
	doc, err := jsonspan.Scan([]byte(`{"a":"first","n":12,"a":"\ud83e"}`), 1)
	require.NoError(t, err)
	half := "\xed\xa0\xbe"
	assert.Equal(t, half, String(Member(doc.Root(), "a")), "the last one counts, and the half is kept")
	n, ok := Whole(Member(doc.Root(), "n"))
	assert.True(t, ok)
	assert.EqualValues(t, 12, n)
	_, ok = Text(Member(doc.Root(), "n"))
	assert.False(t, ok)
	assert.Empty(t, String(Member(doc.Root(), "none")))
	assert.Equal(t, jsonspan.Absent, Member(Member(doc.Root(), "a"), "b").Kind())
}

func TestWithout(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":1,"b":[2],"a":3}`: `{"b":[2]}`, `{"\u0061":1}`: `{}`, `{"b":1}`: `{"b":1}`, `[1]`: `[1]`, `{`: `{`,
	} {
		assert.Equal(t, want, string(Without([]byte(in), "a")), in)
	}
}

func TestObject(t *testing.T) {
	empty := Begin([]byte("x"))
	assert.Equal(t, "x{}", string(empty.End()))
	o := Begin(nil)
	o.Text("a<", "\"\n<")
	o.Whole("b", -7)
	o.Bool("c", true)
	o.Raw("d", []byte("[1]"))
	o.Key("e")
	inner := Begin(o.Out)
	inner.Text("f", "")
	o.Out = inner.End()
	assert.Equal(t, `{"a<":"\"\n<","b":-7,"c":true,"d":[1],"e":{"f":""}}`, string(o.End()))
}
