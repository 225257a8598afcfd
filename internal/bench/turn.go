package main

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

const (
	contributions = 20
	coldTurn      = "another prompt every turn"
	sameTurn      = "the same prompt again"
)

// turns compares turns of a host with twenty guests of one contribution each.
func (b *bench) turns() (*table, error) {
	t := &table{title: fmt.Sprintf("A turn with %d contributions", contributions),
		note: "From the request to the prompt envelope, every contribution in a guest of its own. The same functions take\n" +
			"  80 to 155 µs in Node without a sandbox (measured once, on such a machine)."}
	cold, err := b.turn(func(p *prompt) []byte { return p.next() })
	if err != nil {
		return nil, err
	}
	again, err := b.turn(func(p *prompt) []byte { return p.text })
	if err != nil {
		return nil, err
	}
	if t.figures, err = b.clock.measure(subject{coldTurn, cold}, subject{sameTurn, again}); err != nil {
		return nil, err
	}
	t.atMost(100, "µs", coldTurn, micros(t.find(coldTurn).time))
	t.atMost(10, "µs", sameTurn, micros(t.find(sameTurn).time))
	return t, nil
}

func (b *bench) turn(choose func(*prompt) []byte) (func() error, error) {
	h := host.Open(host.Options{})
	b.defers(func() error { return h.Close(b.ctx) })
	for i := range contributions {
		m := manifest(fmt.Sprintf("echo%02d", i))
		m.ID = fmt.Sprintf("bench%02d", i)
		file, err := guestbuild.Attach(echoModule, m)
		if err != nil {
			return nil, err
		}
		if _, err := h.Load(b.ctx, m.ID+".wasm", file, runtime.GuestOptions{}); err != nil {
			return nil, err
		}
	}
	session, p := h.Session("s"), newPrompt()
	return func() error {
		text := string(choose(p))
		e, err := session.Capture(b.ctx, envelope.Request{Provider: "p", Prompt: &text, CWD: "/srv"})
		if err != nil {
			return err
		}
		// The environment message is the last.
		if len(e.DeveloperMessages) != contributions+1 || !strings.HasPrefix(e.DeveloperMessages[0].Content, text) {
			return fmt.Errorf("%d developer messages, expected %d", len(e.DeveloperMessages), contributions+1)
		}
		return nil
	}, nil
}
