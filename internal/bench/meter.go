package main

import (
	"context"
	"fmt"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	adapters "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// A workload is a number of calls of a new instance. A guest in Go collects its garbage now and then:
// the same calls from the start do it at the same places.
type workload struct {
	name, op string
	module   []byte
	request  []byte
	calls    int
	real     bool // or over before there is anything to meter
}

// metering compares guests as they were compiled with what the host makes of them, both on plain wazero.
func (b *bench) metering() (*table, error) {
	t := &table{title: "What metering costs",
		note: "One call of a guest on plain wazero, as it was compiled and rewritten. Nothing is put back, no slice ends."}
	loads, err := b.workloads()
	if err != nil {
		return nil, err
	}
	for _, load := range loads {
		figures, err := b.meteringOf(load)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", load.name, err)
		}
		t.add(figures)
		if load.real {
			t.atMost(1.25, "times", load.name, float64(figures[1].time)/float64(figures[0].time))
		}
	}
	return t, nil
}

func (b *bench) workloads() ([]workload, error) {
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
	payload := adapters.Payload{ID: "openai-responses-v1", Provider: "p", API: "openai-responses",
		Payload: testpayload.Build("openai-responses", 2)}
	read, err := abi.Encode(adapters.ReadSystemPromptRequest{Payload: payload})
	if err != nil {
		return nil, err
	}
	place, err := abi.Encode(adapters.ReplaceDeveloperMessagesRequest{Payload: payload,
		Messages: []adapters.Message{{ID: "care", Content: developerMessage}}})
	if err != nil {
		return nil, err
	}
	size := fmt.Sprintf("%d KiB", len(payload.Payload)>>10)
	return []workload{
		{"C guest, echo", abi.RenderV1, echoModule, echo.cbor, 20_000, false},
		{"Go guest, echo", abi.RenderV1, golang, echo.cbor, 1_000, true},
		{"Go adapters, read a prompt, " + size, abi.ReadSystemPromptV1, stockFile, read, 300, true},
		{"Go adapters, place messages, " + size, abi.ReplaceDeveloperMessagesV1, stockFile, place, 100, true},
	}, nil
}

func (b *bench) meteringOf(load workload) ([]figure, error) {
	module, err := wasmbin.Parse(load.module, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	rewritten, err := module.Instrument()
	if err != nil {
		return nil, err
	}
	figures := []figure{{name: load.name + ", as compiled"}, {name: load.name + ", metered"}}
	var programs [2]*program
	for i, form := range [][]byte{load.module, rewritten.Bytes} {
		if programs[i], err = b.compile(form, load.op); err != nil {
			return nil, err
		}
	}
	var times [2][]time.Duration
	for range 3 * b.clock.rounds {
		for i, p := range programs {
			took, err := load.run(b.ctx, p)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took/time.Duration(load.calls))
		}
	}
	for i := range figures {
		figures[i].summarize(times[i])
	}
	return figures, nil
}

// run takes the time of all calls of a new instance, without its start.
func (load *workload) run(ctx context.Context, p *program) (time.Duration, error) {
	in, err := p.start(ctx)
	if err != nil {
		return 0, err
	}
	var answer []byte
	start := time.Now()
	for range load.calls {
		if answer, err = in.call(load.request); err != nil {
			return 0, err
		}
	}
	took := time.Since(start)
	if _, err := abi.DecodeAnswer(answer); err != nil {
		return 0, err
	}
	return took, in.module.Close(ctx)
}
