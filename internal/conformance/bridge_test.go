package conformance

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func value(t *testing.T, text string) Value {
	v, err := ParseValue([]byte(text))
	require.NoError(t, err, text)
	return v
}

// What is free in a value is taken from what is expected, and the rest of it is not built anew at every
// level: with a call whose arguments nest deeply that would take minutes.
func TestOnlyValuesWithSomethingFreeAreRebuilt(t *testing.T) {
	nested := strings.Repeat(`{"a":[`, 2000) + "1" + strings.Repeat("]}", 2000)
	expected := value(t, `{"deep":`+nested+`,"mark":{"text":"<bridge:error-mark>"}}`)
	got := value(t, `{"deep":`+nested+`,"mark":{"text":"It failed."}}`)

	same, other := free(expected.Get("deep"), got.Get("deep"), "deep", false)
	assert.False(t, other)
	assert.Same(t, &got.Get("deep").raw[0], &same.raw[0], "the value itself, not a copy")

	_, bound := bindBridge(nil, expected, got)
	assert.Equal(t, "<bridge:error-mark>", bound.Get("mark").Get("text").text)
	assert.Equal(t, nested, string(bound.Get("deep").raw))
}

func TestWhatTheKitLeavesFree(t *testing.T) {
	for _, c := range []struct{ expected, got, bound string }{
		{`["<bridge>",1]`, `["x",2]`, `["<bridge>",2]`},
		{`["<bridge>"]`, `[""]`, `[""]`},
		{`{"textSignature":"{\"a\":1}"}`, `{"textSignature":"{ \"a\": 1.0 }"}`, `{"textSignature":"{\"a\":1}"}`},
		{`{"cost":{"input":1}}`, `{"cost":{"input":1.0000000000001}}`, `{"cost":{"input":1}}`},
		{`{"cost":{"input":1}}`, `{"cost":{"input":1.1}}`, `{"cost":{"input":1.1}}`},
		{`{"inputSchema":{"properties":{"description":{}}}}`,
			`{"inputSchema":{"description":"d","properties":{"description":{"description":"e"}}}}`,
			`{"inputSchema":{"properties":{"description":{}}}}`},
		{`{"inputSchema":{"description":"d"}}`, `{"inputSchema":{"description":"e"}}`,
			`{"inputSchema":{"description":"e"}}`},
	} {
		_, bound := bindBridge(nil, value(t, c.expected), value(t, c.got))
		assert.JSONEq(t, c.bound, string(bound.raw), c.expected)
	}
}
