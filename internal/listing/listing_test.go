package listing_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/listing"
)

func TestMissing(t *testing.T) {
	assert.Empty(t, listing.Missing(nil, nil))
	assert.Empty(t, listing.Missing([]string{"a", "b"}, []string{"b", "a", "a"}))
	assert.Equal(t, []string{"c", "", "d"}, listing.Missing([]string{"a"}, []string{"c", "a", "", "d", "c", ""}))
}

func TestQuoted(t *testing.T) {
	assert.Empty(t, listing.Quoted(nil))
	assert.Equal(t, `"a", "b\n"`, listing.Quoted([]string{"a", "b\n"}))
	list := make([]string, 1000)
	for i := range list {
		list[i] = string(rune('a' + i%26))
	}
	assert.Equal(t, `"a", "b", "c", "d", "e", "f", "g", "h"`, listing.Quoted(list[:8]))
	assert.Equal(t, `"a", "b", "c", "d", "e", "f", "g", "h" and 992 more`, listing.Quoted(list))
}
