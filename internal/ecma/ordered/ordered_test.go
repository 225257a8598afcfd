package ordered

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

func TestReserialize(t *testing.T) {
	for in, want := range map[string]string{
		// Scalars, white space, empty containers.
		"null":                         `null`,
		" \t\r\n true\n":               `true`,
		`""`:                           `""`,
		`{ }`:                          `{}`,
		`[ ]`:                          `[]`,
		`[ {}, [], "" ]`:               `[{},[],""]`,
		`{"a" : { "b" : [ 1 , 2 ] } }`: `{"a":{"b":[1,2]}}`,

		// Order: integer keys first, ascending; the others as written.
		`{"b":1,"2":2,"a":3,"1":4}`:                      `{"1":4,"2":2,"b":1,"a":3}`,
		`{"10":1,"9":2,"010":3,"-1":4,"1.0":5,"0":6}`:    `{"0":6,"9":2,"10":1,"010":3,"-1":4,"1.0":5}`,
		`{"z":0,"4294967295":1,"4294967294":2}`:          `{"4294967294":2,"z":0,"4294967295":1}`,
		`{"z":0,"99999999999":1,"4294967296":2,"00":3}`:  `{"z":0,"99999999999":1,"4294967296":2,"00":3}`,
		`{"+1":0," 1":0,"1 ":0,"1e0":0,"\u0031":0,"":0}`: `{"1":0,"+1":0," 1":0,"1 ":0,"1e0":0,"":0}`,
		`[{"b":1,"1":{"y":0,"0":0}},{"2":0}]`:            `[{"1":{"0":0,"y":0},"b":1},{"2":0}]`,

		// A repeated key: the last value at the first place.
		`{"a":1,"b":2,"a":3}`:                      `{"a":3,"b":2}`,
		`{"a":1,"b":2,"\u0061":{"a":0,"a":1}}`:     `{"a":{"a":1},"b":2}`,
		`{"7":1,"x":0,"7":[]}`:                     `{"7":[],"x":0}`,
		`{"__proto__":{"a":1},"constructor":null}`: `{"__proto__":{"a":1},"constructor":null}`,
		`{"__proto__":1,"__proto__":2}`:            `{"__proto__":2}`,

		// Numbers.
		`[1.0,1e0,10E-1,-0,0.0,-0.0e5]`:                         `[1,1,1,0,0,0]`,
		`[123456789012345671,9007199254740993,1.50e3]`:          `[123456789012345660,9007199254740992,1500]`,
		`[1e20,1e21,123456789012345680000,1.5e300]`:             `[100000000000000000000,1e+21,123456789012345680000,1.5e+300]`,
		`[0.000001,0.0000001,1e-7,1.25E-10,5e-324,1e-400]`:      `[0.000001,1e-7,1e-7,1.25e-10,5e-324,0]`,
		`[1e400,-1e400,1.7976931348623157e308]`:                 `[null,null,1.7976931348623157e+308]`,
		`[0.1,0.30000000000000004,4.35,-2.5,100.0,12.500e+2]`:   `[0.1,0.30000000000000004,4.35,-2.5,100,1250]`,
		`{"n":-1.0,"1":1e1}`:                                    `{"1":10,"n":-1}`,
		`[0.1000000000000000055511151231257827021181583404541]`: `[0.1]`,

		// Strings: only what has to be escaped is.
		`"\/\u003c<>&'\u2028\u00e9\u007f"`: "\"/<<>&'\u2028\u00e9\x7f\"",
		`"\b\f\n\r\t\"\\\u0000\u001F"`:     `"\b\f\n\r\t\"\\\u0000\u001f"`,
		`"\u0008\u000b"`:                   `"\b\u000b"`,
		`{"\u0022\n":"\u0041"}`:            `{"\"\n":"A"}`,

		// Halves of surrogate pairs, escaped or as WTF-8.
		`"\ud83e\uddfe"`:               "\"\U0001F9FE\"",
		`"\uD83E"`:                     `"\ud83e"`,
		`"\uddfe\ud83e"`:               `"\uddfe\ud83e"`,
		"\"\xed\xa0\xbe\"":             `"\ud83e"`,
		"\"\xed\xa0\xbe\\uddfe\"":      "\"\U0001F9FE\"",
		"\"\\ud83e\xed\xb7\xbe\"":      "\"\U0001F9FE\"",
		"{\"\xed\xa0\xbe\":\"\\\\\"}":  `{"\ud83e":"\\"}`,
		"{\"\\ud83e\":1,\"\ufffd\":2}": "{\"\\ud83e\":1,\"\ufffd\":2}",
		"\"a\xffb\"":                   "\"a\ufffdb\"",
	} {
		out, err := Reserialize([]byte("->"), []byte(in))
		require.NoError(t, err, in)
		assert.Equal(t, "->"+want, string(out), in)
	}
}

func TestReserializeRefuses(t *testing.T) {
	for _, in := range []string{
		``, ` `, `{`, `{"a":1,}`, `[1,]`, `{'a':1}`, `{a:1}`, `01`, `+1`, `.5`, `1.`, `NaN`, `Infinity`,
		`undefined`, "\"a\nb\"", `"\x41"`, `{} {}`, `{}x`, "\ufeff{}", "\u00a0{}", "{}\v", "\"\\\xed\xa0\xbe\"",
		strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
	} {
		out, err := Reserialize([]byte("->"), []byte(in))
		var syntax *jsonspan.SyntaxError
		assert.True(t, errors.As(err, &syntax), "%.20q: %v", in, err)
		assert.Equal(t, "->", string(out), "%.20q", in)
	}
}

func TestReserializeDeep(t *testing.T) {
	for _, open := range []string{"[", `{"a":`, `{"b":0,"1":`} {
		shut := map[byte]string{'[': "]", '{': "}"}[open[0]]
		in := strings.Repeat(open, 10000) + "1" + strings.Repeat(shut, 10000)
		out, err := Reserialize(nil, []byte(in))
		require.NoError(t, err)
		again, err := Reserialize(nil, out)
		require.NoError(t, err)
		assert.True(t, bytes.Equal(out, again))
		assert.Equal(t, strings.Count(in, open), strings.Count(string(out), open[:1]))
	}
}

// Many keys take the way over a map; the result is that of few.
func TestReserializeManyKeys(t *testing.T) {
	var in, want strings.Builder
	in.WriteString(`{"first":0`)
	for i := 99; i >= 0; i-- {
		fmt.Fprintf(&in, `,"%d":%d,"k%d":%d,"%d":true`, i, i, i%30, i, i)
	}
	in.WriteString(`,"first":1}`)
	want.WriteString(`{`)
	for i := range 100 {
		fmt.Fprintf(&want, `"%d":true,`, i)
	}
	want.WriteString(`"first":1`)
	for i := 99; i >= 0; i-- {
		if i >= 70 {
			fmt.Fprintf(&want, `,"k%d":%d`, i%30, i%30)
		}
	}
	want.WriteString(`}`)
	out, err := Reserialize(nil, []byte(in.String()))
	require.NoError(t, err)
	assert.Equal(t, want.String(), string(out))
}

// value draws a JSON text with keys that repeat and sort.
func value(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")
		case 1:
			text, _ := json.Marshal(rapid.Float64Range(-1e25, 1e25).Draw(t, "number"))
			return string(text)
		case 2:
			return fmt.Sprint(rapid.Int64().Draw(t, "integer"))
		case 3:
			text, _ := json.Marshal(rapid.String().Draw(t, "text"))
			return string(text)
		case 4:
			return "[" + strings.Join(rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list"), ",") + "]"
		}
		keys := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "0", "1", "10", "01", "__proto__", "é"}), 0, 12)
		var members []string
		for _, key := range keys.Draw(t, "keys") {
			members = append(members, `"`+key+`":`+value(depth-1).Draw(t, "value"))
		}
		return "{" + strings.Join(members, ", ") + "}"
	})
}

// The value stays (encoding/json takes the last of equal keys too), and a second pass changes nothing.
func TestReserializeKeepsTheValue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := value(3).Draw(t, "in")
		out, err := Reserialize(nil, []byte(in))
		require.NoError(t, err)
		var want, got any
		require.NoError(t, json.Unmarshal([]byte(in), &want))
		require.NoError(t, json.Unmarshal(out, &got))
		assert.Equal(t, want, got)
		again, err := Reserialize(nil, out)
		require.NoError(t, err)
		assert.Equal(t, string(out), string(again))
	})
}

func FuzzReserialize(f *testing.F) {
	for _, seed := range []string{`{"b":1,"1":[null,{"a":"\ud83e"}],"b":-0}`, "\"\xed\xa0\xbe\"", `[1e400]`, `{`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out, err := Reserialize(nil, in)
		assert.Equal(t, jsonspan.Valid(in), err == nil)
		if err != nil {
			return
		}
		require.True(t, jsonspan.Valid(out), "%q", out)
		again, err := Reserialize(nil, out)
		require.NoError(t, err)
		assert.Equal(t, string(out), string(again))
	})
}

func BenchmarkReserialize(b *testing.B) {
	for _, times := range []int{1, 10} {
		in := []byte("[" + strings.Repeat(`{"path":"/srv/a b.txt","row":7,"1":[1.5,null],"memo":"rent \u00e9"},`, 100*times) + "0]")
		b.Run(fmt.Sprintf("%dx", times), func(b *testing.B) {
			var out []byte
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				out, _ = Reserialize(out[:0], in)
			}
		})
	}
}
