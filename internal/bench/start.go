package main

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

const (
	coldStart   = "small guest, compiled"
	cachedStart = "small guest, from the cache"
)

// starts measures what it takes to load a guest.
func (b *bench) starts() (*table, error) {
	t := &table{title: "Starting", note: "A new host loads a guest, which includes its first instance and its image, and closes."}
	small, err := guestbuild.Attach(echoModule, manifest("echo"))
	if err != nil {
		return nil, err
	}
	golang, err := b.goGuest()
	if err != nil {
		return nil, err
	}
	start := func(file []byte, cache string) func() error {
		return func() error {
			h := host.Open(host.Options{CacheDir: cache})
			_, err := h.Load(b.ctx, "guest.wasm", file, runtime.GuestOptions{})
			if cerr := h.Close(b.ctx); err == nil {
				err = cerr
			}
			if err != nil {
				return fmt.Errorf("start: %w", err)
			}
			return nil
		}
	}
	cache := b.path("cache")
	t.figures, err = b.clock.measure(
		subject{cachedStart, start(small, cache)}, subject{coldStart, start(small, "")},
		subject{"Go guest, from the cache", start(golang, cache)}, subject{"Go guest, compiled", start(golang, "")})
	if err != nil {
		return nil, err
	}
	t.atMost(3, "ms", cachedStart, millis(t.find(cachedStart).time))
	return t, nil
}
