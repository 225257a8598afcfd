package conformance

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A list of diagnostics binds as one: what is expected in its place and is no list does not pass for an
// empty one.
func TestDiagnosticsBindAsAList(t *testing.T) {
	op := replayState()["read-side"]
	cases, err := load(filepath.Join("..", "..", "testdata", "vectors", "replay", "read-side.json"))
	require.NoError(t, err)
	tried := 0
	for _, v := range cases.items {
		c := testCase{input: v.Get("input"), expect: v.Get("expect"), reference: v.Get("mode").present()}
		if len(c.expect.Get("diagnostics").items) > 0 {
			continue
		}
		tried++
		require.Nil(t, runCase(context.Background(), op, &c), v.Get("name").text)
		other, err := build(fields{})
		require.NoError(t, err)
		c.expect = c.expect.with("diagnostics", other)
		assert.NotNil(t, runCase(context.Background(), op, &c), v.Get("name").text)
	}
	assert.Positive(t, tried)
}
