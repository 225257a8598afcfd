package parts

import (
	"net/http"

	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// told are the headers of a response that a failure keeps. All others, cookies among them, are nobody's
// business.
var told = []string{"retry-after-ms", "retry-after", "x-request-id", "request-id"}

// Failure is the error part of a call that has failed: what is said about it, and from the response, which
// may be nil, the status, how long the provider asks to wait and the id of the request. Its body is not
// read. The text should have what the provider says: package replay tells by it what kind of failure it is
// where the status does not. The part is an APICallError of the AI SDK.
func Failure(text string, response *http.Response) *stream.Part {
	o := jsonvalue.Begin(nil)
	o.Text("name", "AI_APICallError")
	o.Text("message", text)
	if response != nil {
		o.Whole("statusCode", int64(response.StatusCode))
		o.Key("responseHeaders")
		headers := jsonvalue.Begin(o.Out)
		for _, name := range told {
			if value := response.Header.Get(name); value != "" {
				headers.Text(name, value)
			}
		}
		o.Out = headers.End()
	}
	return &stream.Part{Type: stream.PartError, Error: o.End()}
}
