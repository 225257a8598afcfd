package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pintle-wasm/pintle/host/session"
)

// Sessions in a folder: one writer each, and as many readers as there are.
func ExampleDir() {
	root, err := os.MkdirTemp("", "sessions")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	ctx := context.Background()
	store := session.NewDir(root)

	writer, err := session.Create(ctx, store, session.Header{ID: "2026/march"}, session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer writer.Close()
	_, err = writer.Append(ctx, session.Event{Type: session.TurnStart, Data: json.RawMessage(`{"turn":1}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := writer.Sync(ctx); err != nil { // the event survives a power cut from here on
		fmt.Println(err)
		return
	}

	_, _, err = session.Open(ctx, store, "2026/march", session.Options{})
	fmt.Println("a second writer is refused:", errors.Is(err, session.ErrLocked))

	view, err := store.View(ctx, "2026/march")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer view.Close()
	for e, err := range view.Events(ctx, 0) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Seq, e.Type, string(e.Data))
	}
	files, _ := filepath.Glob(filepath.Join(root, "*", "*"))
	for _, file := range files {
		name, _ := filepath.Rel(root, file)
		fmt.Println(filepath.ToSlash(name))
	}
	// Output:
	// a second writer is refused: true
	// 0 turn/start {"turn":1}
	// 2026~002Fmarch/session.jsonl
}
