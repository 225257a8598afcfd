package cbor_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
)

// agrees demands that a request is refused if the host refuses it, and else can be read.
func agrees(t require.TestingT, request []byte) {
	v, err := cbor.Parse(request)
	if problem := abi.Check(request); problem != nil {
		require.Error(t, err, "%x: the host says: %v", request, problem)
		return
	}
	require.NoError(t, err, "%x", request)
	visit(v)
}

// visit asks everything of a value and of what is in it.
func visit(v cbor.Value) {
	v.Text()
	v.Bytes()
	v.Number()
	v.Bool()
	v.Null()
	v.Texts()
	for _, item := range v.List() {
		visit(item)
	}
	v.Entries(func(key string, value cbor.Value) {
		v.Get(key)
		visit(value)
	})
}

func TestWhatIsRefused(t *testing.T) {
	nested := func(n int, open, inside string) string { return strings.Repeat(open, n) + inside }
	for _, request := range []string{
		"", "\x18", "\x1c", "\xff", "\xa0\xa0", "\xa1\x61a", "\x62a", "\x9f\xff", "\xbf\xff", "\x7f\xff", "\xc0\x00", "\xd8\x20\x00",
		"\xf7", "\xe0", "\xf3", "\xf8\x18", "\xf8\xff", "\xf9\x00", "\xf4", "\xf5", "\xf6", "\xf9\x3c\x00", "\xfa\x3f\x80\x00\x00", "\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00",
		"\xbb\x80\x00\x00\x00\x00\x00\x00\x00", "\xbb\x80\x00\x00\x00\x00\x00\x00\x01\x00\x00", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "\x5b\xff\xff\xff\xff\xff\xff\xff\xff",
		"\x61\xff", "\x62\xc0\x80", "\x63\xed\xa0\x80", "\x63\xed\x9f\xbf", "\x64\xf4\x90\x80\x80", "\xa1\x61\xff\x00",
		"\xa1\x20\x00", "\xa1\xf9\x00\x00\x00", "\xa1\x41a\x00", "\xa1\xf4\x00", "\xa1\x80\x00", "\xa1\x00\x00",
		"\xa2\x61a\x00\x61a\x00", "\xa2\x61a\x00\x78\x01a\x00", "\xa2\x01\x00\x18\x01\x00", "\xa3\x61b\x00\x61a\x00\x61b\x00", "\xa3\x61b\xa0\x61a\x80\x01\x00", "\xa2\x01\x00\x61\x01\x00",
		nested(31, "\x81", "\x80"), nested(32, "\x81", "\x80"), nested(32, "\xa1\x61a", "\xa0"), nested(32, "\x81", "\x00"), nested(100_000, "\x81", "\x00"),
		"\x9a\x00\x02\x00\x00" + strings.Repeat("\x00", 131_072), "\x9a\x00\x02\x00\x01" + strings.Repeat("\x00", 131_073),
		nested(31, "\x9a\x00\x02\x00\x00", strings.Repeat("\x00", 131_072)), nested(31, "\xba\x00\x02\x00\x00\x61a", strings.Repeat("\x00", 131_072)),
	} {
		agrees(t, []byte(request))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("\xa3\x62id\x61x\x61a\x82\xf9\x3c\x00\xf6\x61b\xa1\x05\x41z"))
	f.Add([]byte("\xa2\x61b\x00\x61a\x81\xa0"))
	f.Fuzz(func(t *testing.T, request []byte) { agrees(t, request) })
}

// Keys come in any order and with heads of any length.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var message strings.Builder
		n := rapid.IntRange(0, 6).Draw(t, "keys")
		message.WriteByte(byte(0xa0 + n))
		for range n {
			message.WriteString(rapid.SampledFrom([]string{"\x61a", "\x78\x01a", "\x61b", "\x62aa", "\x00", "\x18\x00", "\x01", "\x19\x01\x00", "\x60"}).Draw(t, "key"))
			message.WriteString(rapid.SampledFrom([]string{"\x00", "\x61a", "\xa0", "\x81\xf6"}).Draw(t, "value"))
		}
		agrees(t, []byte(message.String()))
	})
}

func TestReading(t *testing.T) {
	v, err := cbor.Parse([]byte("\xa4\x05\x00\x61b\x82\x61x\x01\x61a\xf5\x01\x02"))
	require.NoError(t, err)
	assert.Equal(t, []string{"x"}, v.Get("b").Texts())
	assert.Len(t, v.Get("b").List(), 2)
	truth, ok := v.Get("a").Bool()
	assert.True(t, truth && ok)
	assert.False(t, v.Get("c").Present())
	var keys []string
	v.Entries(func(key string, _ cbor.Value) { keys = append(keys, key) })
	assert.Equal(t, []string{"b", "a"}, keys)
}

// What is not UTF-8 does not cost the answer.
func TestTextsAreCutAnywhere(t *testing.T) {
	value, err := abi.DecodeAnswer(cbor.Text("gr\xc3"))
	require.NoError(t, err)
	text, err := abi.Text(value)
	require.NoError(t, err)
	assert.Equal(t, "gr\uFFFD", text)
	_, err = abi.DecodeAnswer(cbor.Failure("\xff", "caf\xc3: no"))
	assert.Equal(t, &abi.Failure{Code: "\uFFFD", Message: "caf\uFFFD: no"}, err)
}
