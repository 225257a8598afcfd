package jsbundle

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// What pintle.toml says reaches the code as it is, whatever is in it, in a script that is all ASCII.
func TestAsksAreQuoted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\"\\\n\u2028é🌊~\x7f")))).Draw(t, "text")
		call, err := Asks{Needs: map[string][]string{text: {text}}, Config: []string{text}}.call()
		require.NoError(t, err)
		assert.False(t, strings.ContainsFunc(call, func(r rune) bool { return r < ' ' || r > '~' }), call)
		var inner string
		quoted, ok := strings.CutPrefix(strings.TrimSuffix(call, ");"), "__pintle.asks(")
		require.True(t, ok)
		require.NoError(t, json.Unmarshal([]byte(quoted), &inner)) // JavaScript reads it alike
		var got Asks
		require.NoError(t, json.Unmarshal([]byte(inner), &got))
		assert.Equal(t, Asks{Needs: map[string][]string{text: {text}}, Config: []string{text}}, got)
	})
	call, err := Asks{}.call()
	require.NoError(t, err)
	assert.Equal(t, `__pintle.asks("{\"needs\":{},\"config\":[],\"kv\":false}");`, call)
}
