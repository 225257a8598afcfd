package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	assert.Equal(t, `asked: {"role":"user","content":[{"type":"text","text":"Which quay is free?"}]}
read:  {"path":"quays.md:raw:3"}
asked: {"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"text","value":"3: quay A is free"}}]}
said:  Quay A is free.
completed after 2 steps
`, out.String())
}
