package host_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A program that wants nothing but the way back links no Wasm engine.
func TestResponseSideLinksNoEngine(t *testing.T) {
	for _, name := range []string{
		"assembler", "auth", "bridge", "doctor", "history", "message", "model", "payload", "profile", "replay",
		"session", "stream", "turn",
	} {
		deps, err := exec.Command("go", "list", "-deps", "./"+name).Output()
		require.NoError(t, err)
		for _, engine := range []string{"wazero", "pintle/runtime/wazero", "pintle/cmd", "pintle/guests"} {
			assert.NotContains(t, strings.ReplaceAll(string(deps), "\n", " "), engine, name)
		}
	}
}
