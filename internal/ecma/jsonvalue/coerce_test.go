package jsonvalue_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

func TestCoerce(t *testing.T) {
	deep := jsonspan.MaxDepth - 1
	for raw, want := range map[string]string{
		`null`: "null", `true`: "true", `false`: "false", `"a\ud83d"`: "a\xed\xa0\xbd", `""`: "",
		`1.50`: "1.5", `-0`: "0", `1e21`: "1e+21", `1e400`: "Infinity",
		`{"a":1}`: "[object Object]",
		`[]`:      "", `[null]`: "", `[null,null]`: ",", `[[],[]]`: ",",
		`[1,"b",null,[2,[3,null]],{},true]`: "1,b,,2,3,,[object Object],true",

		strings.Repeat("[", deep) + strings.Repeat("]", deep):         "",
		strings.Repeat("[1,", deep) + "2" + strings.Repeat("]", deep): strings.Repeat("1,", deep) + "2",
	} {
		doc, err := jsonspan.Scan([]byte(raw), 0)
		require.NoError(t, err, raw)
		assert.Equal(t, want, jsonvalue.Coerce(doc.Root()), "%.40s", raw)
	}
	assert.Equal(t, "undefined", jsonvalue.Coerce(jsonspan.Node{}))
}
