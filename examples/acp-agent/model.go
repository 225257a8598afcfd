package main

import (
	"fmt"
	"io"
	"net/http"

	anthropicsdk "github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	openaisdk "github.com/openai/openai-go/v3"
	openaioption "github.com/openai/openai-go/v3/option"

	"github.com/pintle-wasm/pintle/examples/sdk/anthropic"
	"github.com/pintle-wasm/pintle/examples/sdk/openai"
)

// model registers what answers for the route. The clients of the SDKs find the keys in the environment, and
// other servers too (OPENAI_BASE_URL, ANTHROPIC_BASE_URL).
func (a *agent) model(stderr io.Writer) error {
	if a.script != nil {
		a.tools = a.script.tools()
		return a.router.Register(a.script.model(stderr), a.route.Provider)
	}
	switch a.route.Provider {
	case "openai":
		a.api = openai.ResponsesAPI
		client := openaisdk.NewClient(openaioption.WithHTTPClient(a.client()))
		return a.router.Register(openai.Responses(client, openai.Options{}), a.route.Provider)
	case "anthropic":
		a.api = anthropic.API
		client := anthropicsdk.NewClient(anthropicoption.WithHTTPClient(a.client()))
		return a.router.Register(anthropic.Messages(client, anthropic.Options{}), a.route.Provider)
	}
	return fmt.Errorf("unknown provider %q: openai and anthropic are known", a.route.Provider)
}

// client is an HTTP client that puts the developer messages of the session at hand into requests.
func (a *agent) client() *http.Client {
	return &http.Client{Transport: a.host.Transport(a.route.Provider, a.api, nil)}
}
