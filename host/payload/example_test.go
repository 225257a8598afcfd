package payload_test

import (
	"context"
	"fmt"
	"io"
	"log"
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

// A host that sends its requests itself applies the envelope to each of them.
func ExampleApply() {
	ctx := context.Background()
	r := &registry.Registry{}
	service := &envelope.Service{Registry: r}
	_, err := r.RegisterAdapter(registry.Adapter{
		Provider: "toy",
		ReadSystemPrompt: func(_ context.Context, req *registry.PayloadRequest) (string, bool, error) {
			return string(req.Payload[1 : len(req.Payload)-1]), true, nil // the toy's payloads are a prompt in quotes
		},
		ReplaceSystemPrompt: func(_ context.Context, _ *registry.PayloadRequest, prompt string) ([]byte, error) {
			return []byte(`"` + prompt + `"`), nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	base := "Built by the host."
	turn := envelope.Request{SessionID: "s1", Provider: "toy", SystemPrompt: &base,
		Options: registry.PromptOptions{CustomPrompt: "You are Harbour."}}
	if _, err := service.Capture(ctx, turn); err != nil {
		log.Fatal(err)
	}
	result, err := payload.Apply(ctx, service, registry.PayloadRequest{
		SessionID: "s1", Provider: "toy", Payload: []byte(`"Built by the host."`),
	}, payload.Options{})
	fmt.Println(string(result.Body.Bytes()), err) // with an error the payload is the request's own and can be sent
	// Output: "You are Harbour." <nil>
}

// The body of an edited payload is in pieces; a request sends them without putting them together.
func ExampleBody() {
	body := payload.BodyOf([]byte(`{"system":`), []byte(`"You are Harbour."`), []byte(`,"turns":[]}`))
	req, err := http.NewRequest(http.MethodPost, "https://provider.invalid/", body.NewReader())
	if err != nil {
		log.Fatal(err)
	}
	req.ContentLength = int64(body.Len())
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(body.NewReader()), nil }
	fmt.Println(req.ContentLength, string(body.Bytes()))
	// Output: 40 {"system":"You are Harbour.","turns":[]}
}
