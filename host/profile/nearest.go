package profile

import (
	"fmt"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/spelling"
)

// instead says what a word could have been.
func instead(word string, known []string) string {
	text := shortened(strconv.AppendQuote(nil, word))
	if near := spelling.Nearest(word, known); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return text + fmt.Sprintf(", use one of %q", known)
}
