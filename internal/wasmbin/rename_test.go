package wasmbin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// withNames is a module with a name section of these contents.
func withNames(contents string) []byte {
	section := "\x04name" + contents
	file := append(wasmtest.Says("x"), 0, byte(len(section)))
	return append(file, section...)
}

func renamed(t *testing.T, file []byte, rename func(string) string) []byte {
	t.Helper()
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	out := m.RenameFunctions(rename)
	_, err = wasmbin.Parse(out, wasmbin.DefaultLimits())
	require.NoError(t, err)
	return out
}

func TestRenameFunctions(t *testing.T) {
	const module, locals, globals = "\x00\x03\x02mo", "\x02\x06\x01\x00\x01\x00\x01l", "\x07\x04\x01\x00\x01g"
	before := withNames(module + "\x01\x09\x02\x00\x02ab\x01\x02cd" + locals + globals)
	long := strings.Repeat("y", 90)
	after := withNames(module + "\x01\x60\x02\x00\x59" + long[1:] + "\x01\x02cd" + locals + globals)
	assert.Equal(t, after, renamed(t, before, func(name string) string {
		if name == "ab" {
			return long[1:]
		}
		return name
	}))
	same := func(name string) string { return name }
	assert.Equal(t, before, renamed(t, before, same))
	plain := wasmtest.Says("x")
	assert.Equal(t, plain, renamed(t, plain, strings.ToUpper))
}

func TestRenameLeavesWhatIsNotWellFormed(t *testing.T) {
	for _, contents := range []string{
		"\x01\x09\x02\x00\x02ab\x01\x02c",            // cut off
		"\x01\x05\x02\x00\x02ab",                     // a name too few
		"\x01\x06\x01\x00\x02ab\x00",                 // a byte too many
		"\x01\x05\x01\x00\x02\xff\xfe",               // not UTF-8
		"\x01\x0a\xff\xff\xff\xff\x0f\x00\x02ab\x00", // more names than functions
		"\x01",
	} {
		file := withNames(contents)
		assert.Equal(t, file, renamed(t, file, strings.ToUpper), "%q", contents)
	}
}

func FuzzRenameFunctions(f *testing.F) {
	f.Add("\x01\x09\x02\x00\x02ab\x01\x02cd")
	f.Add("\x00\x03\x02mo\x01\x05\x01\x00\x02ab\x07\x04\x01\x00\x01g")
	f.Fuzz(func(t *testing.T, contents string) {
		if len(contents) > 100 {
			return
		}
		file := withNames(contents)
		once := renamed(t, file, strings.ToUpper)
		assert.Equal(t, once, renamed(t, once, func(name string) string { return name }))
	})
}
