package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/host/session"
)

// A session in a file of its own is repaired where it lies, without being gone on with.
func ExampleRepair() {
	folder, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	ctx, path := context.Background(), filepath.Join(folder, "march.jsonl")
	s, err := session.CreateFile(ctx, path, session.Header{ID: "march"}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if _, err = s.Append(ctx, session.Event{Type: session.TurnStart, Data: json.RawMessage(`{"turn":1}`)}); err != nil {
		fmt.Println(err)
		return
	}
	s.Close() // as the end of the process would

	for range 2 {
		log, err := session.OpenFile(ctx, path)
		if err != nil {
			fmt.Println(err)
			return
		}
		recovery, err := session.Repair(ctx, log, session.Options{})
		log.Close()
		fmt.Println(len(recovery.Closed), "closed,", err)
	}
	// Output:
	// 1 closed, <nil>
	// 0 closed, <nil>
}

// A state takes the events of a log from wherever they come, and knows the history.
func ExampleState() {
	const log = `{"type":"session","version":0,"id":"demo","createdAt":1700000000000,"delegationDepth":0}
{"type":"turn/start","seq":0,"time":1,"data":{"turn":1}}
{"type":"user/message","seq":1,"time":2,"surfaceOp":"append","data":{"id":"m1","role":"user","content":[{"type":"text","text":"Hello"}],"source":{"kind":"user"}}}
{"type":"user/message","seq":2,"time":3,"data":{"id":"m2","role":"user","content":[],"source":{"kind":"user"}}}
`
	scanner := session.NewScanner(strings.NewReader(log))
	header, err := scanner.Header()
	if err != nil {
		fmt.Println(err)
		return
	}
	state := session.NewState(header)
	for e, err := range scanner.Events() {
		if err == nil {
			err = state.Apply(&e)
		}
		if err != nil {
			fmt.Println(err) // the event has changed nothing
			break
		}
	}
	for _, m := range state.Messages() {
		fmt.Println(m.Role, m.Content[0].Text)
	}
	turn, open := state.Turn()
	fmt.Println("turn", turn, "open:", open, "next seq:", state.Next())
	// Output:
	// line 4: user/message at seq 2: a message needs a surfaceOp (VALIDATION)
	// user Hello
	// turn 1 open: true next seq: 2
}

// What is in a folder is listed by the headers alone.
func ExampleDir_List() {
	root, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	ctx, store := context.Background(), session.NewDir(root)
	for _, id := range []string{"march", "april"} {
		s, err := session.Create(ctx, store, session.Header{ID: id, CreatedAt: 1700000000000}, session.Options{})
		if err == nil {
			_, err = s.Append(ctx, session.Event{Type: session.TurnStart, Data: json.RawMessage(`{"turn":1}`)})
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		s.Close()
	}
	if err := os.WriteFile(filepath.Join(root, "april", "session.jsonl"), []byte("lost\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	for h, err := range store.List(ctx) {
		var damage *session.Error
		if errors.As(err, &damage) {
			fmt.Println(damage.Code) // and the list goes on
			continue
		}
		fmt.Println(h.ID, h.CreatedAt)
	}
	// Unordered output:
	// HEADER_NOT_JSON
	// march 1700000000000
}
