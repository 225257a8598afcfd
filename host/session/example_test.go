package session_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/host/session"
)

// A session is written, interrupted in the middle of a turn, and taken up again.
func Example() {
	ctx := context.Background()
	store := &session.Memory{} // or session.NewDir(folder)
	s, err := session.Create(ctx, store, session.Header{ID: "demo"}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = s.Append(ctx,
		session.Event{Type: session.TurnStart, Data: json.RawMessage(`{"turn":1}`)},
		session.Event{
			Type: session.UserMessage, SurfaceOp: session.AtEnd(),
			Data: json.RawMessage(`{"id":"m1","role":"user","content":[{"type":"text","text":"What is new?"}],"source":{"kind":"user"}}`),
		},
		session.Event{Type: session.StepStart, Data: json.RawMessage(`{"turn":1,"step":1}`)},
		session.Event{
			Type: session.AssistantChunk,
			Data: json.RawMessage(`{"turn":1,"step":1,"chunk":{"type":"text-delta","index":0,"text":"Not much, but"}}`),
		})
	if err != nil {
		fmt.Println(err)
		return
	}
	s.Close() // as the end of the process would

	s, recovery, err := session.Open(ctx, store, "demo", session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	for _, e := range recovery.Closed {
		fmt.Printf("closed: %s %s\n", e.Type, e.Data)
	}
	for _, u := range recovery.Uncommitted {
		fmt.Printf("lost in turn %d: %s\n", u.Turn, u.Blocks[0].Text)
	}
	for _, m := range s.Messages() {
		fmt.Printf("%s: %s\n", m.Role, m.Content[0].Text)
	}
	// Output:
	// closed: step/end {"turn":1,"step":1}
	// closed: turn/end {"turn":1,"reason":{"kind":"interrupted"}}
	// lost in turn 1: Not much, but
	// user: What is new?
}

// A log is looked at without being touched.
func ExampleInspect() {
	ctx := context.Background()
	store := &session.Memory{}
	s, err := session.Create(ctx, store, session.Header{ID: "demo"}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	if _, err := s.Append(ctx, session.Event{Type: session.TurnStart, Data: json.RawMessage(`{"turn":1}`)}); err != nil {
		fmt.Println(err)
		return
	}

	view, err := store.View(ctx, "demo") // while the session is being written
	if err != nil {
		fmt.Println(err)
		return
	}
	defer view.Close()
	log, err := session.Inspect(ctx, view, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for e, err := range log.Events(ctx, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Seq, e.Type)
	}
	fmt.Println(view.Next(), "stored")
	// Output:
	// 0 turn/start
	// 1 turn/end
	// 1 stored
}
