package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Only what was released can be fetched for sure.
func TestReleasedVersions(t *testing.T) {
	for _, v := range []string{"v0.1.0", "v1.20.3", "v1.0.0-rc.1", "v0.9.0-beta"} {
		assert.True(t, released.MatchString(v), v)
	}
	for _, v := range []string{"", "(devel)", "v0.1.0+dirty", "v0.0.0-20261130184446-0123456789ab", "v1.0.1-0.20261130184446-0123456789ab", "v1"} {
		assert.False(t, released.MatchString(v), v)
	}
	assert.Equal(t, noVersion, sdkVersion(), "a test is a development build")
	assert.Len(t, goModCommands(), 2)
	assert.Contains(t, goModCommands()[0], "go mod edit -replace github.com/pintle-wasm/pintle=")
}

func TestRequiresSDK(t *testing.T) {
	for text, want := range map[string]bool{
		"module github.com/pintle-wasm/pintle\n":                              true,
		"module x\nrequire github.com/pintle-wasm/pintle v1.0.0\n":            true,
		"module x\nrequire (\n\tgithub.com/pintle-wasm/pintle v1.0.0\n)\n":    true,
		"module x\nrequire github.com/pintle-wasm/pintlet v1.0.0\n":           false,
		"module x // github.com/pintle-wasm/pintle\n":                         false,
		"module x\nreplace github.com/pintle-wasm/pintle => ../pintle\n":      false,
		"module x\nexclude github.com/pintle-wasm/pintle v1.0.0\n\nrequire (": false,
	} {
		assert.Equal(t, want, requiresSDK(text), text)
	}
}

func TestShellWord(t *testing.T) {
	for word, want := range map[string]string{
		"a/b-c.wasm": "a/b-c.wasm", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "-o": "'./-o'", "é": "'é'",
	} {
		assert.Equal(t, want, shellWord(word), word)
	}
}
