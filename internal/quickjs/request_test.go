package quickjs

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
)

func message(t require.TestingT, v any) []byte {
	b, err := abi.Encode(v)
	require.NoError(t, err)
	return b
}

func TestRequest(t *testing.T) {
	for want, v := range map[string]any{
		`{}`: map[string]any{},
		`{"a":"\"\\\u0000\u001f/é€🧾\u007f"}`:                     map[string]any{"a": "\"\\\x00\x1f/é€🧾\x7f"},
		`{"n":[0,-1,18446744073709551615,-9223372036854775808]}`: map[string]any{"n": []any{0, -1, uint64(math.MaxUint64), math.MinInt64}},
		`{"n":[1.5,-0,1e+100,0.1,null,null,null]}`: map[string]any{"n": []any{1.5, math.Copysign(0, -1), 1e100, 0.1,
			math.NaN(), math.Inf(1), math.Inf(-1)}},
		`{"n":[65504,5.960464477539063e-08,1.0009765625,3.4028234663852886e+38]}`: map[string]any{"n": []any{65504.0, math.Ldexp(1, -24),
			1 + math.Ldexp(1, -10), float64(math.MaxFloat32)}},
		`{"m":{"0":false,"a":true,"bb":null}}`: map[string]any{"m": map[any]any{"a": true, "bb": nil, 0: false}},
		`{"payload":"text"}`:                   map[string]any{"payload": "text"},
		`{"a":{"payload":1}}`:                  map[string]any{"a": map[string]any{"payload": 1}},
	} {
		got, payload, err := appendRequest([]byte("before"), message(t, v))
		require.NoError(t, err, want)
		assert.Equal(t, "before"+strings.ReplaceAll(want, `\u007f`, "\x7f"), string(got))
		assert.Nil(t, payload)
	}
}

func TestRequestWithPayload(t *testing.T) {
	for _, body := range []string{"", `{"a":1.0}`} {
		for _, rest := range []map[string]any{{}, {"a": 1}, {"zzzzzzzzzz": 1}, {"a": 1, "zzzzzzzzzz": 2}} {
			want, err := json.Marshal(rest)
			require.NoError(t, err)
			rest["payload"] = []byte(body)
			got, payload, err := appendRequest(nil, message(t, rest))
			require.NoError(t, err)
			assert.Equal(t, string(want), string(got))
			assert.NotNil(t, payload)
			assert.Equal(t, body, string(payload))
		}
	}
}

func TestRequestRefuses(t *testing.T) {
	deep := append([]byte{0xa1, 0x61, 'a'}, append(make([]byte, 0, 64), []byte(strings.Repeat("\x81", 32)+"\x00")...)...)
	for in, want := range map[string]string{
		"":                  "it is cut off",
		"\x80":              "it is not a map",
		"\xa1":              "it is cut off",
		"\xa0\x00":          "something follows the map",
		"\xa1\x61a":         "it is cut off",
		"\xa1\x61a\x62x":    "it is cut off",
		"\xa1\x61a\x61\xff": "a text is not UTF-8",
		"\xa1\x61\xff\x00":  "a text is not UTF-8",
		"\xa1\x41a\x00":     "a key is neither a text nor an unsigned number",
		"\xa1\x61a\x41a":    "it has an item that messages do not have",
		"\xa1\x61a\xc0\x00": "it has an item that messages do not have",
		"\xa1\x61a\xf7":     "it has an item that messages do not have",
		"\xbf\xff":          "it has an item that messages do not have",
		"\xa1\x61a\x9f\xff": "it has an item that messages do not have",
		"\xa1\x67payload\x5b\xff\xff\xff\xff\xff\xff\xff\xff": "it is cut off",
		"\xa1\x61a\x9b\xff\xff\xff\xff\xff\xff\xff\xff":       "it is cut off",
		string(deep): "more than 32 lists and maps are nested",
	} {
		got, _, err := appendRequest([]byte("x"), []byte(in))
		var fault *Fault
		require.ErrorAs(t, err, &fault, "%x", in)
		assert.Equal(t, BadRequest, fault.Of)
		assert.Contains(t, fault.Reason, want, "%x", in)
		assert.Equal(t, "x", string(got))
	}
}

// value makes anything that a message may hold and JSON can say.
func value(depth int) *rapid.Generator[any] {
	text := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.SampledFrom([]rune("a\"\\/\x00\x1f\u2028é🧾"))))
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), text.AsAny(), rapid.Int64().AsAny(), rapid.Uint64().AsAny(),
		rapid.Float64().AsAny(), rapid.Float64Range(-1e6, 1e6).AsAny(), rapid.Float32().AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := value(depth - 1)
	return rapid.OneOf(append(scalars, rapid.SliceOfN(inner, 0, 5).AsAny(), rapid.MapOfN(text, inner, 0, 5).AsAny())...)
}

// The JSON of a request says what its CBOR says.
func TestRequestIsTheSameInJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := message(t, map[string]any{"v": value(3).Draw(t, "v")})
		got, _, err := appendRequest(nil, in)
		require.NoError(t, err)
		var want map[string]any
		require.NoError(t, abi.Decode(in, &want))
		text, err := json.Marshal(texts(want))
		require.NoError(t, err)
		assert.JSONEq(t, string(text), string(got))
	})
}

// texts makes of a decoded message what encoding/json can write.
func texts(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = texts(inner)
		}
	case map[any]any:
		out := map[string]any{}
		for key, inner := range v {
			out[key.(string)] = texts(inner)
		}
		return out
	case []any:
		for i, inner := range v {
			v[i] = texts(inner)
		}
	}
	return v
}

func FuzzRequest(f *testing.F) {
	f.Add(message(f, map[string]any{"id": "x", "payload": []byte("{}"), "view": []any{map[string]any{"at": []any{"a", 1}}}}))
	f.Add([]byte("\xa1\x61a\xf9\x7c\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		got, _, err := appendRequest(nil, in)
		if err == nil && !json.Valid(got) {
			t.Fatalf("%s", got)
		}
		if valid := abi.Check(in) == nil; valid && err != nil && in[0]>>5 == majorMap && !hasBytes(in) {
			t.Fatalf("%x: %v", in, err)
		}
	})
}

// hasBytes tells whether byte strings may be in a message: outside of a payload they are refused.
func hasBytes(in []byte) bool {
	for _, b := range in {
		if b>>5 == majorBytes {
			return true
		}
	}
	return false
}

func BenchmarkRequest(b *testing.B) {
	for _, n := range []int{10, 100} {
		b.Run("tools", func(b *testing.B) {
			tools := make([]string, n)
			for i := range tools {
				tools[i] = "a tool with a name"
			}
			in := message(b, map[string]any{"id": "acme/style", "features": 0, "activeTools": tools, "prompt": strings.Repeat("fix it. ", n)})
			b.SetBytes(int64(len(in)))
			var out []byte
			for b.Loop() {
				out, _, _ = appendRequest(out[:0], in)
			}
		})
	}
}
