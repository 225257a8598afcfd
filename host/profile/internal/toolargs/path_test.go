package toolargs

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestIsAbsolute(t *testing.T) {
	for _, path := range []string{"/", "/a", "//h/a", `\\h\a`, "c:/", `C:\`, "z:/a", `Z:\a`} {
		assert.True(t, IsAbsolute(path), path)
	}
	for _, path := range []string{"", "a", "./a", `\a`, "c:", "c:a", "1:/", "[:/", "`:/", "{:/", "@:/", "é:/", "cd:/"} {
		assert.False(t, IsAbsolute(path), path)
	}
}
