package envelope

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestZonesAreReadOnce(t *testing.T) {
	var z zones
	first := z.load("Europe/Berlin")
	require.NotNil(t, first, "the tests need the time zone database")
	assert.Same(t, first, z.load("Europe/Berlin"))
	assert.Nil(t, z.load("Nowhere/Atall"))
	assert.Equal(t, "UTC", z.load("UTC").String())
	for i := range 10 * maxZones {
		z.load(fmt.Sprint("Nowhere/", i))
		assert.LessOrEqual(t, len(z.known), maxZones)
	}
	assert.Equal(t, "Europe/Berlin", z.load("Europe/Berlin").String())
}
