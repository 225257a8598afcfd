package openai

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	sdk "github.com/openai/openai-go/v3"

	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/stream"
)

// failure is the part for what the SDK returns. The text of its own error says no more than the status.
func failure(err error) *stream.Part {
	var refused *sdk.Error
	if !errors.As(err, &refused) {
		return parts.Failure(err.Error(), nil)
	}
	text := strings.TrimSpace(fmt.Sprintf("%d %s", refused.StatusCode, http.StatusText(refused.StatusCode)))
	if refused.Message != "" {
		text += ": " + refused.Message
	}
	return parts.Failure(coded(text, refused.Code), refused.Response)
}

// coded is a text with the provider's code, by which the kind of a failure is told if there is no status.
func coded(text, code string) string {
	if code == "" {
		return text
	}
	return text + " (" + code + ")"
}
