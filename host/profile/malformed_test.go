package profile

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A host's schema may be anything. What is not understood of it stays, and gives no names.
func TestMalformedSchemas(t *testing.T) {
	p, err := Named("pi")
	require.NoError(t, err)
	set := p.Bind([]Tool{
		{Name: "subagent", Parameters: json.RawMessage(`{"properties":{"agent":{"enum":{"type":"scout"}}}}`)},
		{Name: "grep", Parameters: json.RawMessage(`{"properties":{"glob":{}},"required":[null,"glob","include",7]}`)},
	}, Options{})
	assert.Empty(t, set.Roles().Subagent.Agents)
	assert.JSONEq(t, `{"properties":{"include":{}},"required":[null,"include",7]}`, string(set.Catalog()[0].InputSchema))
}
