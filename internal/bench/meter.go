package main

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	adapters "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// metering compares guests as they were compiled with what the host makes of them, both on plain wazero.
func (b *bench) metering() (*table, error) {
	t := &table{title: "What metering costs",
		note: "The same module on plain wazero, as it was compiled and rewritten. Nothing is put back and no slice ends."}
	golang, err := b.goGuest()
	if err != nil {
		return nil, err
	}
	stockFile, err := stock.Adapters()
	if err != nil {
		return nil, err
	}
	echo, err := newRequest()
	if err != nil {
		return nil, err
	}
	read, err := abi.Encode(adapters.ReadSystemPromptRequest{Payload: adapters.Payload{ID: "openai-responses",
		Provider: "p", API: "openai-responses", Payload: testpayload.Build("openai-responses", 2)}})
	if err != nil {
		return nil, err
	}
	for _, g := range []struct {
		name, op string
		module   []byte
		request  func() []byte
	}{
		{"C guest, echo", abi.RenderV1, echoModule, echo.next},
		{"Go guest, echo", abi.RenderV1, golang, echo.next},
		{"Go adapters, read a prompt from " + kib(len(read)), abi.ReadSystemPromptV1, stockFile, func() []byte { return read }},
	} {
		figures, err := b.meteringOf(g.name, g.op, g.module, g.request)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", g.name, err)
		}
		t.add(figures)
		if strings.HasPrefix(g.name, "Go") { // a call of the C guest is over before there is anything to meter
			t.atMost(1.25, "times", g.name, float64(figures[1].time)/float64(figures[0].time))
		}
	}
	return t, nil
}

func (b *bench) meteringOf(name, op string, file []byte, request func() []byte) ([]figure, error) {
	module, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	rewritten, err := module.Instrument()
	if err != nil {
		return nil, err
	}
	var subjects []subject
	for _, form := range []struct {
		name   string
		module []byte
	}{{", as compiled", file}, {", metered", rewritten.Bytes}} {
		p, err := b.plain(form.module, op)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, subject{name + form.name, func() error {
			_, err := p.call(request())
			return err
		}})
	}
	return b.clock.measure(subjects...)
}

func kib(n int) string { return fmt.Sprintf("%d KiB", (n+512)>>10) }
