// Bridge is a small agent whose model is behind the AI SDK: a tool, a turn of two steps, a session that
// is kept. The model here is a script on loopback, which answers with recorded parts; a real one is a
// process with the AI SDK that answers a POST of call options with the parts of doStream.
//
//	go run ./examples/bridge
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

//go:embed answer.ndjson
var first string

//go:embed done.ndjson
var second string

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, out io.Writer) error {
	script := []string{first, second}
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Prompt []json.RawMessage }
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(script) == 0 {
			http.Error(w, "no answer", http.StatusInternalServerError)
			return
		}
		fmt.Fprintf(out, "asked: %s\n", asked.Prompt[len(asked.Prompt)-1])
		_, _ = io.WriteString(w, script[0])
		script = script[1:]
	}))
	defer model.Close()

	omp, err := profile.Named("omp")
	if err != nil {
		return err
	}
	router := &turn.Router{}
	if err := router.Register(provider(model.URL, omp, "acme-bridge"), "acme"); err != nil {
		return err
	}
	s, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "quays"}, session.Options{})
	if err != nil {
		return err
	}
	defer s.Close()

	read := turn.Tool{Run: func(_ context.Context, arguments json.RawMessage) ([]message.Block, error) {
		fmt.Fprintf(out, "read:  %s\n", arguments) // in the host's shape
		return []message.Block{{Type: message.Text, Text: "3: quay A is free"}}, nil
	}}
	read.Name, read.Description = "read", "Reads a file."
	read.Parameters = json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)

	loop := turn.Loop{
		Session: s, Router: router, Route: message.Route{Provider: "acme", Model: "harbour-2"},
		System: "You are Harbour. Use `read` for lists.", Tools: []turn.Tool{read},
	}
	outcome, err := loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: "Which quay is free?"}})
	if err != nil {
		return err
	}
	if outcome.Failure != nil {
		return outcome.Failure
	}
	messages := s.Messages()
	last := messages[len(messages)-1].Content
	fmt.Fprintf(out, "said:  %s\n", last[len(last)-1].Text)
	fmt.Fprintf(out, "%s after %d steps\n", outcome.Kind, outcome.Steps)
	return nil
}
