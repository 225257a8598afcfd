// Howto is a whole program around Pintle and OpenAI's SDK: what guests say gets into the requests, what the
// model answers is kept, and the next run goes on from there.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/examples/sdk/openai"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
	"github.com/pintle-wasm/pintle/runtime"
)

func run(ctx context.Context, prompt string) error {
	h := host.Open(host.Options{}) // one for the process
	defer h.Close(ctx)
	adapters, err := stock.Adapters() // they know where each provider wants the envelope
	if err != nil {
		return err
	}
	if _, err := h.Load(ctx, stock.AdaptersName, adapters, runtime.GuestOptions{}); err != nil {
		return err
	}
	if _, err := h.LoadFile(ctx, "guest.wasm", runtime.GuestOptions{}); err != nil { // yours
		return err
	}

	transport := h.Transport("openai", openai.ResponsesAPI, nil)
	client := sdk.NewClient(option.WithHTTPClient(&http.Client{Transport: transport})) // OPENAI_API_KEY
	router := &turn.Router{}
	if err := router.Register(openai.Responses(client, openai.Options{}), "openai"); err != nil {
		return err
	}

	store := session.NewDir("sessions")
	kept, _, err := session.Open(ctx, store, "ferry", session.Options{})
	if errors.Is(err, session.ErrNotFound) {
		kept, err = session.Create(ctx, store, session.Header{ID: "ferry"}, session.Options{})
	}
	if err != nil {
		return err
	}
	defer kept.Close()
	loop := &turn.Loop{
		Session: kept, Router: router, Route: message.Route{Provider: "openai", Model: "gpt-5.5"},
		System:  "You are a coding agent.",
		OnChunk: func(c *message.Chunk) { fmt.Print(c.Text) },
	}
	done, err := h.Session("ferry").Turn(ctx, loop, envelope.Request{Prompt: &prompt, CWD: "/srv/ferry"})
	if err != nil {
		return err
	}
	if done.Failure != nil { // it is in the log, and the session can go on
		return done.Failure
	}
	fmt.Printf("\nturn %d: %s\n", done.Turn, done.Kind)
	return nil
}

func main() {
	if err := run(context.Background(), strings.Join(os.Args[1:], " ")); err != nil {
		log.Fatal(err)
	}
}
