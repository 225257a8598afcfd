package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// adapters compares putting an envelope into a request's payload with taking the payload apart.
func (b *bench) adapters() (*table, error) {
	t := &table{title: "An adapter and a large payload",
		note: "The system prompt is replaced and a developer message of 1 KB put in, through the stock adapter guest. The\n" +
			"  floor decodes the payload into a map, changes it and encodes it, with encoding/json."}
	const mb = 1 << 20
	for _, c := range contents {
		for _, size := range []int{1, 10} {
			body := payload(c, size*mb)
			adapt, err := b.adapting(body)
			if err != nil {
				return nil, err
			}
			of := fmt.Sprintf("%d MB of %s", size, c.name)
			figures, err := b.clock.measure(subject{"encoding/json, " + of, remade(body)}, subject{"pintle, " + of, adapt})
			if err != nil {
				return nil, err
			}
			t.add(figures)
			if size == 10 {
				t.adapterAims(c, figures[0], figures[1], len(body))
			}
		}
	}
	return t, nil
}

// adapterSpeeds are the aims in GB/s.
var adapterSpeeds = map[string]float64{"chat text": 3, "JSON inside strings": 1, "many small items": 0.5}

func (t *table) adapterAims(c content, naive, pintle figure, size int) {
	t.atLeast(adapterSpeeds[c.name], "GB/s", pintle.name, float64(size)/float64(pintle.time.Nanoseconds()))
	if c.name == contents[0].name {
		t.atLeast(40, "times", naive.name+", to pintle", float64(naive.time)/float64(pintle.time))
		t.atMost(0.01, "of the payload", pintle.name+", allocated", pintle.bytes/float64(size))
	}
}

const developerMessage = "Deploy to the test quay first. "

// adapting returns the hook of a host's session, which has captured a turn.
func (b *bench) adapting(body []byte) (func() error, error) {
	h := host.Open(host.Options{CacheDir: b.path("cache")})
	b.defers(func() error { return h.Close(b.ctx) })
	file, err := stock.Adapters()
	if err != nil {
		return nil, err
	}
	if _, err := h.Load(b.ctx, stock.AdaptersName, file, runtime.GuestOptions{}); err != nil {
		return nil, err
	}
	if _, err := h.Registry.Register(registry.Contribution{ID: "care",
		Render: registry.Text(strings.Repeat(developerMessage, 33))}); err != nil {
		return nil, err
	}
	s, base := h.Session("s"), testpayload.SystemPrompt
	turn := envelope.Request{Provider: "p", API: payloadAPI, CWD: "/srv", SystemPrompt: &base,
		Options: registry.PromptOptions{CustomPrompt: "You are brief."}}
	if _, err := s.Capture(b.ctx, turn); err != nil {
		return nil, err
	}
	return func() error {
		res, err := s.Adapt(b.ctx, "p", payloadAPI, "", body)
		if err != nil {
			return err
		}
		if !res.Prompt.Done || !res.Developer.Done || res.Body.Len() <= len(body) {
			return fmt.Errorf("not adapted: prompt %q, messages %q", res.Prompt.Reason, res.Developer.Reason)
		}
		return nil
	}, nil
}

// remade does the same to the decoded payload.
func remade(body []byte) func() error {
	return func() error {
		var request map[string]any
		if err := json.Unmarshal(body, &request); err != nil {
			return err
		}
		input := request["input"].([]any)
		input[0].(map[string]any)["content"] = "You are brief."
		request["input"] = append(input, map[string]any{"role": "developer", "content": strings.Repeat(developerMessage, 33)})
		out, err := json.Marshal(request)
		if err == nil && len(out) < len(body)/2 {
			err = fmt.Errorf("%d of %d bytes are left", len(out), len(body))
		}
		return err
	}
}
