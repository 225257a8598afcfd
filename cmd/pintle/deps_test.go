package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The command has nothing in it that is for tests.
func TestCommandLinksNoTests(t *testing.T) {
	deps, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	for name := range strings.Lines(string(deps)) {
		name = strings.TrimSpace(name)
		assert.NotEqual(t, "testing", name)
		for _, forTests := range []string{
			"pintle/internal/wasmtest", "pintle/internal/enginetest", "rogpeppe/go-internal", "stretchr/testify", "pgregory.net/rapid",
		} {
			assert.NotContains(t, name, forTests)
		}
	}
}
