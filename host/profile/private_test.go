package profile

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBadPrivateTable(t *testing.T) {
	for _, table := range []string{"", "[", `{"tools":[]}`, `[{"tools":[{"name":7}]}]`} {
		assert.Panics(t, func() { readPrivate([]byte(table)) }, table)
	}
}

func TestPrivateToolsAreTheCallers(t *testing.T) {
	PrivateTools()[0].Name = "changed"
	assert.NotEqual(t, "changed", PrivateTools()[0].Name)
	assert.NotContains(t, Withheld(""), "changed")
}
