package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// JSON is data for programs, and a person may look at it on a terminal all the same.
func TestJSONSteersNoTerminal(t *testing.T) {
	text := "a\x1b[2J\u009b31m\x7f\u202eb\u2028\U000e0041 Grüße \u200d <&>"
	var b bytes.Buffer
	require.NoError(t, encodeJSON(&b, map[string]any{"text": text, "raw": json.RawMessage("[\"\u202e\"]")}, ""))
	assert.Equal(t, `{"raw":["\u202e"],"text":"a\u001b[2J\u009b31m\u007f\u202eb\u2028\udb40\udc41 Grüße `+"\u200d"+` <&>"}`+"\n", b.String())
	var back map[string]any
	require.NoError(t, json.Unmarshal(b.Bytes(), &back))
	assert.Equal(t, text, back["text"])
}
