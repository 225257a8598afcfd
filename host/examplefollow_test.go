package host_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A program that runs for long takes new builds of a guest without losing a turn.
func ExampleHost_Follow() {
	dir, err := os.MkdirTemp("", "follow-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "style.wasm")
	build := func(file []byte) { // as pintle build does: in one step
		err := os.WriteFile(path+".next", file, 0o600)
		if err == nil {
			err = os.Rename(path+".next", path)
		}
		if err != nil {
			log.Fatal(err)
		}
	}
	build(wasmtest.Says("Answer briefly."))

	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	changed := make(chan error)
	_, err = h.Follow(ctx, path, host.FollowOptions{
		Every:   10 * time.Millisecond,
		Changed: func(_ *registry.Guest, err error) { changed <- err },
	})
	if err != nil {
		log.Fatal(err)
	}
	turn := func() {
		e, err := h.Session("s1").Capture(ctx, envelope.Request{CWD: "/srv"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e.DeveloperMessages[0].Content)
	}
	turn()
	build(wasmtest.Says("Answer in verse."))
	fmt.Println(<-changed)
	turn()
	// Output:
	// Answer briefly.
	// <nil>
	// Answer in verse.
}

func ExampleFollowed_Close() {
	ctx := context.Background()
	h := host.Open(host.Options{})
	defer h.Close(ctx)
	f, err := h.Follow(ctx, "../testdata/guests/c/c.wasm", host.FollowOptions{Guest: runtime.GuestOptions{}})
	if err != nil {
		log.Fatal(err)
	}
	f.Close() // the guest stays until it is removed
	if err := f.Guest().Remove(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(h.Registry.Snapshot().Contributions))
	// Output: 0
}
