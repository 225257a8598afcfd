package host_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Go program puts an envelope into the requests of any SDK: it captures the turn and hands the SDK an
// http.Client with the session's transport.
func Example() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	adapters, err := stock.Adapters() // a sandboxed guest, like any other
	if err != nil {
		log.Fatal(err)
	}
	if _, err := h.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{}); err != nil {
		log.Fatal(err)
	}
	if _, err := h.Registry.Register(registry.Contribution{ID: "style", Render: registry.Text("Answer briefly.")}); err != nil {
		log.Fatal(err)
	}

	session, base := h.Session("s1"), "You are a coding agent."
	if _, err := session.Capture(ctx, envelope.Request{Provider: "openai", API: "openai-responses", CWD: "/srv", SystemPrompt: &base}); err != nil {
		log.Fatal(err)
	}
	client := &http.Client{Transport: session.Transport("openai", "openai-responses", nil)}

	provider := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(strings.Contains(string(body), "Answer briefly."))
	}))
	defer provider.Close()
	body := `{"model":"m","instructions":"You are a coding agent.","input":[]}`
	if _, err := client.Post(provider.URL, "application/json", strings.NewReader(body)); err != nil {
		log.Fatal(err)
	}
	// Output: true
}

func ExampleSession_Capture() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	deploy := registry.Contribution{ID: "deploy", ActiveTools: []string{"deploy"}, Render: registry.Text("Test quay first.")}
	if _, err := h.Registry.Register(deploy); err != nil {
		log.Fatal(err)
	}
	e, err := h.Session("s1").Capture(ctx, envelope.Request{CWD: "/srv"})
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range e.Report.Contributions {
		fmt.Println(o.ID, o.Included, o.Reason, o.Tools)
	}
	// Output: deploy false tool-inactive [deploy]
}

func ExampleSession_Adapt() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	adapters, err := stock.Adapters()
	if err != nil {
		log.Fatal(err)
	}
	if _, err := h.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{}); err != nil {
		log.Fatal(err)
	}
	s, base := h.Session("s1"), "Built by the host."
	turn := envelope.Request{Provider: "anthropic", SystemPrompt: &base,
		Options: registry.PromptOptions{CustomPrompt: "You are Harbour."}}
	if _, err := s.Capture(ctx, turn); err != nil {
		log.Fatal(err)
	}
	result, err := s.Adapt(ctx, "anthropic", "anthropic-messages", "", []byte(`{"system":"Built by the host.","max_tokens":1.0}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Contains(string(result.Body.Bytes()), "You are Harbour."), strings.HasSuffix(string(result.Body.Bytes()), `"max_tokens":1.0}`))
	// Output: true true
}

func ExampleHost_LoadFile() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	guest, err := h.LoadFile(ctx, "../testdata/guests/c/c.wasm", runtime.GuestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(guest.Runtime().Name())
	// Output: testdata/c@1.0.0
}

func ExampleHost_Reload() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	build, err := os.ReadFile("../testdata/guests/c/c.wasm")
	if err != nil {
		log.Fatal(err)
	}
	guest, err := h.Load(ctx, "c.wasm", build, runtime.GuestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	// Later, with another build: turns that run end with the old one.
	if err := h.Reload(ctx, guest, "c.wasm", build, runtime.GuestOptions{}); err != nil {
		log.Fatal(err)
	}
	if err := guest.Remove(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(h.Registry.Snapshot().Contributions))
	// Output: 0
}

func ExampleHost_Folder() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	folder := h.Folder("../testdata/guests/c", nil)
	changes, err := folder.Sync(ctx) // again to follow changes
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(changes.Added, changes.Failed)
	// Output: [c.wasm] map[]
}

func ExampleSession_End() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	s := h.Session("s1")
	if _, err := s.Capture(ctx, envelope.Request{CWD: "/srv"}); err != nil {
		log.Fatal(err)
	}
	s.End(ctx)
	_, known := h.Envelope.PayloadState(s.ID())
	fmt.Println(known)
	// Output: false
}
