// Ask puts one question to a model, by one of three APIs, and prints the answer as it comes.
//
//	go run ./ask -api anthropic-messages -model claude-opus-5 When is high water in Brest?
//
// Keys and addresses are those of the SDKs: OPENAI_API_KEY, ANTHROPIC_API_KEY, OPENAI_BASE_URL and so on.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"os/signal"
	"strings"

	claude "github.com/anthropics/anthropic-sdk-go"
	claudeoption "github.com/anthropics/anthropic-sdk-go/option"
	gpt "github.com/openai/openai-go/v3"
	gptoption "github.com/openai/openai-go/v3/option"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/examples/sdk/anthropic"
	"github.com/pintle-wasm/pintle/examples/sdk/openai"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

func main() {
	api := flag.String("api", openai.ResponsesAPI, "openai-responses, openai-completions or anthropic-messages")
	model := flag.String("model", "gpt-5.5", "the model's id")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("give a question, for example: ask When is high water in Brest?")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := ask(ctx, os.Stdout, *api, *model, strings.Join(flag.Args(), " ")); err != nil {
		log.Fatal(err)
	}
}

func ask(ctx context.Context, out io.Writer, api, model, question string) error {
	h := host.Open(host.Options{})
	defer h.Close(context.WithoutCancel(ctx))
	adapters, err := stock.Adapters()
	if err != nil {
		return err
	}
	if _, err := h.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{}); err != nil {
		return err
	}
	brief := registry.Contribution{ID: "brief", Render: registry.Text("Answer in one sentence.")}
	if _, err := h.Registry.Register(brief); err != nil {
		return err
	}
	name, provider, err := providerOf(h, api)
	if err != nil {
		return err
	}
	router := &turn.Router{}
	if err := router.Register(provider, name); err != nil {
		return err
	}
	kept, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "ask"}, session.Options{})
	if err != nil {
		return err
	}
	defer kept.Close()
	loop := &turn.Loop{
		Session: kept, Router: router, Route: message.Route{Provider: name, Model: model},
		System:  "You are a helpful pilot.",
		OnChunk: func(c *message.Chunk) { fmt.Fprint(out, c.Text) },
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	done, err := h.Session("ask").Turn(ctx, loop, envelope.Request{Prompt: &question, CWD: cwd})
	if err != nil {
		return err
	}
	if done.Failure != nil {
		return done.Failure
	}
	_, err = fmt.Fprintf(out, "\n%s, %d tokens\n", done.Kind, done.Usage.Output)
	return err
}

// providerOf makes the provider of an API, whose client has the host's transport, and names it.
func providerOf(h *host.Host, api string) (name string, p turn.Provider, err error) {
	switch api {
	case openai.ResponsesAPI, openai.ChatAPI:
		client := gpt.NewClient(gptoption.WithHTTPClient(&http.Client{Transport: h.Transport("openai", api, nil)}))
		if api == openai.ChatAPI {
			return "openai", openai.Chat(client, openai.Options{}), nil
		}
		return "openai", openai.Responses(client, openai.Options{}), nil
	case anthropic.API:
		client := claude.NewClient(claudeoption.WithHTTPClient(&http.Client{Transport: h.Transport("anthropic", api, nil)}))
		return "anthropic", anthropic.Messages(client, anthropic.Options{}), nil
	}
	return "", nil, fmt.Errorf("unknown api %q: use openai-responses, openai-completions or anthropic-messages", api)
}
