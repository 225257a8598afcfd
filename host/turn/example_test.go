package turn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A whole turn: the model calls a tool and then answers. A real program has a provider of its own in the
// place of the script, and a session.Dir in the place of the memory.
func Example() {
	ctx := context.Background()
	recorded := func(lines string) (a turn.Answer) {
		for c, err := range turn.ParseChunks(strings.NewReader(lines)) {
			if err != nil {
				log.Fatal(err)
			}
			a.Chunks = append(a.Chunks, c)
		}
		return a
	}
	model := &turn.Scripted{Answers: []turn.Answer{
		recorded(`{"type":"block-start","index":0,"blockType":"tool-call"}
{"type":"tool-call-delta","index":0,"id":"c1","name":"tide","argumentsDelta":"{\"port\":"}
{"type":"tool-call-delta","index":0,"id":"c1","argumentsDelta":"\"Brest\"}"}
{"type":"block-end","index":0,"block":{"type":"tool-call","id":"c1","name":"tide","arguments":"{\"port\":\"Brest\"}"}}
{"type":"finish","reason":{"kind":"tool-calls"}}`),
		recorded(`{"type":"block-start","index":0,"blockType":"text"}
{"type":"text-delta","index":0,"text":"High water is "}
{"type":"text-delta","index":0,"text":"at 14:10."}
{"type":"block-end","index":0,"block":{"type":"text","text":"High water is at 14:10."}}
{"type":"usage","usage":{"inputTokens":120,"outputTokens":9}}
{"type":"finish","reason":{"kind":"stop"}}`),
	}}
	router := &turn.Router{}
	if err := router.Register(model, "northwind"); err != nil {
		log.Fatal(err)
	}

	tide := turn.Tool{Run: func(_ context.Context, arguments json.RawMessage) ([]message.Block, error) {
		var in struct{ Port string }
		if err := json.Unmarshal(arguments, &in); err != nil {
			return nil, err // the model reads it and can try again
		}
		return []message.Block{{Type: message.Text, Text: in.Port + ": 14:10"}}, nil
	}}
	tide.Name, tide.Description = "tide", "The next high water at a port."
	tide.Parameters = json.RawMessage(`{"type":"object","properties":{"port":{"type":"string"}},"required":["port"]}`)

	s, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "s1"}, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	loop := turn.Loop{
		Session: s, Router: router, Route: message.Route{Provider: "northwind", Model: "nw-large"},
		Tools:   []turn.Tool{tide},
		OnChunk: func(c *message.Chunk) { fmt.Print(c.Text) },
	}
	outcome, err := loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: "When is high water?"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("\n%s after %d steps, %d tokens\n", outcome.Kind, outcome.Steps, outcome.Usage.Output)
	for _, m := range s.Messages() {
		fmt.Println(m.Role, m.Content[0].Type)
	}
	// Output:
	// High water is at 14:10.
	// completed after 2 steps, 9 tokens
	// user text
	// assistant tool-call
	// user tool-result
	// assistant text
}

// One call without a loop: a listener sends it to another provider while the first one is down.
func ExampleRouter_Stream() {
	ctx := context.Background()
	harbor := &turn.Scripted{Answers: []turn.Answer{{Chunks: []message.Chunk{
		{Type: message.TextDelta, Text: "Quay A is free."},
		{Type: message.FinishChunk, Reason: &message.Finish{Kind: message.Stop}},
	}}}}
	router := &turn.Router{Listeners: []turn.Listener{
		func(_ context.Context, req *turn.Request) (message.Route, error) {
			if req.Route.Provider == "northwind" {
				return message.Route{Provider: "harbor", Model: "hb-mini"}, nil
			}
			return req.Route, nil
		},
	}}
	if err := router.Register(harbor, "harbor"); err != nil {
		log.Fatal(err)
	}
	stream, err := router.Stream(ctx, &turn.Request{
		Route:    message.Route{Provider: "northwind", Model: "nw-large"},
		Messages: []message.Message{{ID: "m1", Role: message.User, Content: []message.Block{{Type: message.Text, Text: "Which quay?"}}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stream.Route())
	for c := range stream.Chunks() {
		switch c.Type {
		case message.TextDelta:
			fmt.Println(c.Text)
		case message.FinishChunk:
			fmt.Println(c.Reason.Kind)
		}
	}
	// Output:
	// harbor/hb-mini
	// Quay A is free.
	// stop
}

func ExampleParseChunks() {
	recorded := strings.NewReader(`{"type":"text-delta","index":0,"text":"Quay A"}
{"type":"finish","reason":{"kind":"stop"}}
{"type":"text-delta","index":0}
`)
	for c, err := range turn.ParseChunks(recorded) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Type)
	}
	// Output:
	// text-delta
	// finish
	// line 3: text-delta: text is not a string
}

// A test of what a program does when the provider fails: the first attempt is lost, the second one works.
func ExampleScripted() {
	ctx := context.Background()
	model := &turn.Scripted{Answers: []turn.Answer{
		{Err: &message.Failure{Message: "connection reset", Code: "TRANSPORT"}},
		{Chunks: []message.Chunk{{Type: message.TextDelta, Text: "Quay A is free."}}},
	}}
	router := &turn.Router{}
	if err := router.Register(model, "northwind"); err != nil {
		log.Fatal(err)
	}
	s, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "s1"}, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	loop := turn.Loop{
		Session: s, Router: router, Route: message.Route{Provider: "northwind", Model: "nw-large"},
		Recover: func(_ context.Context, failure message.Failure, attempt int) bool {
			fmt.Printf("attempt %d: %v\n", attempt, &failure)
			return attempt < 3
		},
	}
	outcome, err := loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: "Which quay?"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Kind, len(model.Requests()))
	// Output:
	// attempt 1: connection reset (TRANSPORT)
	// completed 2
}

// A program says why it has cancelled a turn, and the log keeps it.
func ExampleCancel() {
	ctx, cancel := context.WithCancelCause(context.Background())
	model := &turn.Scripted{Answers: []turn.Answer{{Hang: true}}, OnHang: func() { cancel(&turn.Cancel{Kind: "shutdown"}) }}
	router := &turn.Router{}
	if err := router.Register(model, "northwind"); err != nil {
		log.Fatal(err)
	}
	s, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "s1"}, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	loop := turn.Loop{Session: s, Router: router, Route: message.Route{Provider: "northwind", Model: "nw-large"}}
	outcome, err := loop.Prompt(ctx, []message.Block{{Type: message.Text, Text: "Which quay?"}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outcome.Kind)
	for e, err := range s.Events(context.Background(), 0) {
		if err != nil {
			log.Fatal(err)
		}
		if e.Type == session.TurnEnd {
			fmt.Println(string(e.Data))
		}
	}
	// Output:
	// aborted
	// {"turn":1,"reason":{"kind":"aborted","reason":{"kind":"shutdown"}}}
}

// What a turn says before the conversation need not be the same for all turns, and is not part of it.
func ExampleLoop_PromptWith() {
	ctx := context.Background()
	model := &turn.Scripted{Answers: []turn.Answer{{Chunks: []message.Chunk{{Type: message.TextDelta, Text: "Quay A."}}}}}
	router := &turn.Router{}
	if err := router.Register(model, "northwind"); err != nil {
		log.Fatal(err)
	}
	s, err := session.Create(ctx, &session.Memory{}, session.Header{ID: "s1"}, session.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	text := func(s string) []message.Block { return []message.Block{{Type: message.Text, Text: s}} }
	loop := turn.Loop{Session: s, Router: router, Route: message.Route{Provider: "northwind", Model: "nw-large"}}
	_, err = loop.PromptWith(ctx, text("Which quay?"), func(context.Context) (turn.Preface, error) {
		return turn.Preface{
			System:   "You are Harbour.",
			Messages: []message.Message{{ID: "files", Role: message.User, Content: text("The plan: quay A is free.")}},
		}, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, m := range model.Requests()[0].Messages {
		fmt.Println("sent:", m.Content[0].Text)
	}
	fmt.Println("kept:", s.Messages()[0].Content[0].Text)
	// Output:
	// sent: The plan: quay A is free.
	// sent: Which quay?
	// kept: Which quay?
}

// A reading provider makes native messages of the history, as a real one makes the parameters of its SDK.
type reading struct{ turn.Scripted }

func (p *reading) Stream(ctx context.Context, req *turn.Request) iter.Seq2[message.Chunk, error] {
	native, err := req.Reader().History(req.Messages)
	if err != nil {
		return func(yield func(message.Chunk, error) bool) { yield(message.Chunk{}, err) }
	}
	fmt.Println(native[len(native)-1].Role())
	return p.Scripted.Stream(ctx, req)
}

func ExampleRequest_Reader() {
	router := &turn.Router{}
	if err := router.Register(&reading{}, "northwind"); err != nil {
		log.Fatal(err)
	}
	stream, err := router.Stream(context.Background(), &turn.Request{
		Route:    message.Route{Provider: "northwind", Model: "nw-large"},
		Messages: []message.Message{{ID: "m1", Role: message.User, Content: []message.Block{{Type: message.Text, Text: "Which quay?"}}}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for c := range stream.Chunks() {
		fmt.Println(c.Reason.Failure.Code)
	}
	// Output:
	// user
	// SCRIPT_ENDED
}
