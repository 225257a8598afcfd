package payload_test

import (
	"net/http"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/registry"
)

func ExampleTransport() {
	service := &envelope.Service{Registry: &registry.Registry{}}
	client := &http.Client{Transport: &payload.Transport{
		Service: service,
		Target: func(r *http.Request) (payload.Target, bool) {
			return payload.Target{SessionID: "s1", Provider: "openai", API: "openai-responses"}, r.URL.Host == "api.openai.com"
		},
	}}
	_ = client // hand it to the SDK; call service.BeforeTurn before each turn
}
