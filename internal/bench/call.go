package main

import (
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

const (
	rawCall    = "raw wazero call, no checks, no reset"
	smallGuest = "pintle, small guest"
	remembered = "pintle, small guest, the same prompt again"
	goGuest    = "pintle, Go guest"
	largeGuest = "pintle, guest with an image of 1.5 MB"
	extismCall = "extism/go-sdk v1.7.1, the same in C"
	gojaCall   = "goja, the same in JavaScript"
)

// calls compares one call.
func (b *bench) calls() (*table, error) {
	t := &table{title: "One call, 1 KB in and out",
		note: "Every call of a guest of Pintle is metered and starts from the guest's image; of the peers none is put back."}
	makers := []struct {
		name string
		make func() (func() error, error)
	}{
		{rawCall, b.raw},
		{smallGuest, func() (func() error, error) { return b.small(echoModule, "") }},
		{remembered, func() (func() error, error) { return b.small(echoModule, "s") }},
		{goGuest, b.golang},
		{largeGuest, func() (func() error, error) { return b.small(largeModule, "") }},
		{extismCall, b.extism},
		{"knqyf263/go-plugin v0.9.0, Go guest", b.goPlugin},
		{gojaCall, b.goja},
		{"subprocess, frames over stdio", b.subprocess},
	}
	var subjects []subject
	for _, m := range makers {
		op, err := m.make()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		subjects = append(subjects, subject{m.name, op})
	}
	var err error
	if t.figures, err = b.clock.measure(subjects...); err != nil {
		return nil, err
	}
	t.atLeast(10, "times", "Extism to the small guest", t.ratio(extismCall, smallGuest))
	t.atMost(1023, "bytes", "the small guest allocates", t.find(smallGuest).bytes)
	t.atMost(100, "µs", "the guest with an image of 1.5 MB, for one in JavaScript has 1.4", micros(t.find(largeGuest).time))
	return t, nil
}

func (b *bench) small(module []byte, session string) (func() error, error) {
	file, err := guestbuild.Attach(module, manifest("echo"))
	if err != nil {
		return nil, err
	}
	g, err := b.load("small.wasm", file, runtime.Options{})
	if err != nil {
		return nil, err
	}
	return calling(b.ctx, g, session)
}

func (b *bench) golang() (func() error, error) {
	file, err := b.goGuest()
	if err != nil {
		return nil, err
	}
	g, err := b.load("go.wasm", file, runtime.Options{})
	if err != nil {
		return nil, err
	}
	return calling(b.ctx, g, "")
}

// raw is the floor: the small guest on plain wazero, with what a host cannot do without.
func (b *bench) raw() (func() error, error) {
	r, err := newRequest()
	if err != nil {
		return nil, err
	}
	code, err := b.compile(echoModule, abi.RenderV1)
	if err != nil {
		return nil, err
	}
	m, err := code.start(b.ctx)
	if err != nil {
		return nil, err
	}
	return func() error {
		answer, err := m.call(r.next())
		if err != nil {
			return err
		}
		return same(answer[len(answer)-promptBytes:], r.prompt.text)
	}, nil
}
