package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

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
