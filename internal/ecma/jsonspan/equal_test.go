package jsonspan

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, " { \"a\" : 1.0 ,\n\"\\u0062\":[ true , null ] } ", true},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false},
		{`[1]`, `[1,1]`, false},
		{`[]`, `{}`, false},
		{`[]`, `[[]]`, false},
		{`[1`, `[1]`, false},
		{`"\u003c\/é"`, `"</\u00e9"`, true},
		{`"\ud83d\ude00"`, `"😀"`, true},
		{`"\ud800"`, `"\uD800"`, true},
		{`"\ud800"`, `"\ud801"`, false},
		{`"\ud800"`, "\"\ufffd\"", false},
		{"\"\xff\"", "\"\ufffd\"", false},
		{"\"\xff\"", "\"\xfe\"", false},
		{`"a"`, `"ab"`, false},
		{`"\u0061b"`, `"a"`, false},
		{`"1"`, `1`, false},
		{`true`, `false`, false},
		{`null`, `0`, false},
		{`1`, `1e0`, true},
		{`10`, `1E+01`, true},
		{`0.05`, `5e-2`, true},
		{`1.50`, `15e-1`, true},
		{`100`, `1e2`, true},
		{`100.0`, `1.00e2`, true},
		{`0`, `-0.0e5`, true},
		{`-1`, `1`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`123e4`, `123e5`, false},
		{`1.5`, `15`, false},
		{`12`, `1`, false},
		{`1e9999999999`, `1e9999999999`, true},
		{`1e9999999999`, `10e9999999998`, false}, // too large to be worth the arithmetic: by spelling
	} {
		assert.Equal(t, c.want, Equal([]byte(c.a), []byte(c.b)), "%s %s", c.a, c.b)
		assert.Equal(t, c.want, Equal([]byte(c.b), []byte(c.a)), "%s %s", c.b, c.a)
	}
}

func FuzzEqual(f *testing.F) {
	f.Add([]byte(`{"a":[1.5,"\ud800"]}`), []byte(`{"a":[15e-1,"\ud800"]}`))
	f.Add([]byte(`1e`), []byte(`1e`))
	f.Add([]byte(`-`), []byte(`-0`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if Equal(a, b) != Equal(b, a) && Valid(a) && Valid(b) {
			t.Fatalf("not symmetric: %q %q", a, b)
		}
	})
}
