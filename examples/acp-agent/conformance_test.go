package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/conformance"
)

// The cases of the conformance kit that drive an agent pass against this one.
func TestConformance(t *testing.T) {
	var text strings.Builder
	sum, err := conformance.RunAgent(t.Context(), []string{"../../testdata/vectors/replay"}, []string{binary},
		func(r conformance.FileResult) { assert.NoError(t, r.WriteText(&text)) })
	require.NoError(t, err)
	assert.Zero(t, sum.Failed, text.String())
	assert.Equal(t, 7, sum.Passed, text.String())
}
