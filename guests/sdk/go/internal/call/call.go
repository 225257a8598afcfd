// Package call is the guest's end of transport pintle/1: the request buffer, the answer, and what
// happens when a handler panics. The packages of the interfaces export their operations through it.
package call

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"
)

// Handle answers one request. The error becomes an answer too: it is the guest's own, not a trap.
func Handle(request []byte, handler func(cbor.Value) ([]byte, error)) []byte {
	v, err := cbor.Parse(request)
	if err != nil {
		return cbor.Failure("bad-request", err.Error())
	}
	answer, err := handler(v)
	if err != nil {
		return cbor.Failure("", err.Error())
	}
	return answer
}

// Names lists what is registered, for the author who mistyped an id.
func Names[H any](handlers map[string]H) string {
	if len(handlers) == 0 {
		return "nothing"
	}
	names := make([]string, 0, len(handlers))
	for name := range handlers {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// Describe puts a recovered value into words. It knows the types that programs panic with; printing
// any type needs package fmt, which would add a megabyte to every guest.
func Describe(recovered any) string {
	switch v := recovered.(type) {
	case error:
		return v.Error()
	case string:
		return v
	case interface{ String() string }:
		return v.String()
	case int:
		return strconv.Itoa(v)
	}
	return "a value that is neither an error nor a text"
}
