package spelling

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestNearest(t *testing.T) {
	known := []string{"models", "model", "apiKey", "api"}
	for word, want := range map[string]string{
		"modles": "models", "mode": "model", "modelss": "models", "MODELS": "models", "apikey": "apiKey", "api_key": "apiKey",
		"APIKEY": "apiKey", "ap": "api", "a": "api", "": "", "x": "", "provider": "", strings.Repeat("models", 1000): "",
	} {
		assert.Equal(t, want, Nearest(word, known), word)
	}
	assert.Equal(t, "ab", Nearest("aa", []string{"ab", "ac"}), "the first of those that are as near")
	assert.Empty(t, Nearest("x", nil))
}
