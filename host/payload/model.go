package payload

import (
	"net/http"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// modelOf is the model that a request names, "" if it names none: in the body, or as Google's APIs do in the
// path, …/models/ID:METHOD.
func modelOf(req *http.Request, body []byte) string {
	if model, ok := jsonvalue.TextOf(jsonvalue.Pick(body, "model")[0]); ok && model != "" {
		return model
	}
	if req.URL == nil {
		return ""
	}
	at := strings.LastIndex(req.URL.Path, "/models/")
	if at < 0 {
		return ""
	}
	model, _, ok := strings.Cut(req.URL.Path[at+len("/models/"):], ":")
	if !ok || strings.Contains(model, "/") {
		return ""
	}
	return model
}
