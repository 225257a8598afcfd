package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An endless line, which no memory would hold.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestAssembleRefusesAnEndlessLine(t *testing.T) {
	var stdout, stderr bytes.Buffer
	in := &endless{}
	code := run(t.Context(), []string{"assemble"}, io.MultiReader(strings.NewReader("\n"), in), &stdout, &stderr)
	require.Equal(t, exitUsage, code)
	assert.Contains(t, stderr.String(), "standard input:2: longer than 67108864 bytes")
	assert.Less(t, in.read, maxLine+1<<20)
}
