package wasmbin_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func TestStackPointer(t *testing.T) {
	const name = "\x0f__stack_pointer"
	for contents, want := range map[string]int{
		"\x07\x12\x01\x00" + name:                      0,
		"\x07\x15\x02\x00\x01g\x01" + name:             1,
		"\x01\x04\x01\x00\x01f\x07\x12\x01\x01" + name: 1,
		"":                                         -1,
		"\x01\x12\x01\x00" + name:                  -1, // of a function
		"\x07\x04\x01\x00\x01g":                    -1,
		"\x07\x12\x01\x02" + name:                  -1, // there are two globals
		"\x07\x12\x02\x00" + name:                  0,
		"\x07\x12\x03\x00" + name:                  -1, // more names than globals
		"\x07\x12\x01\x00" + name[:9]:              -1, // cut off
		"\x07\x05\x01\x00" + name[:9]:              -1,
		"\x07\x03\x02\x00\x01":                     -1,
		"\x07":                                     -1,
		"\x05\xff\xff\x07\x12\x01\x00" + name:      -1,
		"\x07\x08\x01\xff\xff\xff\xff\xff\xff\x01": -1,
	} {
		file := wasmtest.Module{Globals: 2, Custom: []wasmtest.Custom{{Name: "other", Bytes: []byte("x")}},
			Trailing: []wasmtest.Custom{{Name: "name", Bytes: []byte(contents)}}}
		m, err := wasmbin.Parse(file.Encode(), wasmbin.DefaultLimits())
		require.NoError(t, err, "%q", contents)
		assert.Equal(t, want, m.StackPointer(), "%q", contents)
	}
	m, err := wasmbin.Parse((&wasmtest.Module{}).Encode(), wasmbin.DefaultLimits())
	require.NoError(t, err)
	assert.Equal(t, -1, m.StackPointer())
}
