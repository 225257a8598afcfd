package host_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// One whole turn. The model is a script here; examples/sdk has programs with the SDKs of providers.
func ExampleSession_Turn() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	model := &turn.Scripted{Answers: []turn.Answer{{Chunks: []message.Chunk{
		{Type: message.TextDelta, Text: "Quay A."}, {Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}},
	}}}}
	router := &turn.Router{}
	if err := router.Register(model, "northwind"); err != nil {
		log.Fatal(err)
	}
	kept, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "s1"}, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer kept.Close()
	loop := &turn.Loop{
		Session: kept, Router: router, Route: message.Route{Provider: "northwind", Model: "nw-large"}, System: "You are a coding agent.",
	}
	prompt := "Which quay is free?"
	done, err := h.Session("s1").Turn(ctx, loop, envelope.Request{
		Prompt: &prompt, CWD: "/srv/ferry",
		Options: registry.PromptOptions{
			AppendSystemPrompt: "Be brief.", CustomPrompt: "You are Harbour.",
			ContextFiles: []registry.ContextFile{{Path: "/srv/ferry/AGENTS.md", Content: "Quay A is ours."}},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	asked := model.Requests()[0]
	fmt.Printf("%s: %q\n", done.Kind, asked.System)
	fmt.Println(len(asked.Messages), "messages were sent,", len(kept.Messages()), "are kept")
	// Output:
	// completed: "You are Harbour.\n\nBe brief."
	// 2 messages were sent, 2 are kept
}

// One client serves all sessions: whose envelope a request gets, its context says.
func ExampleHost_Transport() {
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
	provider := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Println(strings.Contains(string(body), "/srv/ferry"), strings.Contains(string(body), "/srv/harbour"))
	}))
	defer provider.Close()

	client := &http.Client{Transport: h.Transport("openai", "openai-responses", nil)}
	base := "You are a coding agent."
	for _, project := range []string{"ferry", "harbour"} {
		s := h.Session(project)
		if _, err := s.Capture(ctx, envelope.Request{Provider: "openai", CWD: "/srv/" + project, SystemPrompt: &base}); err != nil {
			log.Fatal(err)
		}
		body := strings.NewReader(`{"model":"m","instructions":"You are a coding agent.","input":[]}`)
		req, err := http.NewRequestWithContext(s.Context(ctx), http.MethodPost, provider.URL, body) // an SDK's call with this context
		if err != nil {
			log.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			log.Fatal(err)
		}
		resp.Body.Close()
	}
	// Output:
	// true false
	// false true
}
