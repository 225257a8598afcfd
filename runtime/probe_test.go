package runtime_test

import (
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

func TestProbe(t *testing.T) {
	r := runtime.New(enginetest.New(), runtime.Options{Limits: unhurried})
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	g, err := r.Load(t.Context(), "g.wasm", wasmtest.Says("x"), runtime.GuestOptions{})
	require.NoError(t, err)
	p, err := g.Probe()
	require.NoError(t, err)
	for range 3 {
		memory, err := p.Start(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 64<<10, memory)
		require.NoError(t, p.PutBack(t.Context()))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, g.Close(ended), context.Canceled, "the probe holds the guest")
	p.Close()
	p.Close()
	require.NoError(t, g.Close(t.Context()))
	_, err = g.Probe()
	require.ErrorIs(t, err, runtime.ErrClosed)
}

// Without an image there is nothing to put back.
func TestProbeOfFreshInstances(t *testing.T) {
	m := wasmtest.Manifest()
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityRandom, Reason: "r"}}
	answer := wasmtest.Text("x")
	file := wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Answer(16, uint32(len(answer))))
	r := runtime.New(enginetest.New(), runtime.Options{Limits: unhurried})
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	g, err := r.Load(t.Context(), "g.wasm", file, runtime.GuestOptions{Grants: []string{abi.CapabilityRandom}})
	require.NoError(t, err)
	p, err := g.Probe()
	require.NoError(t, err)
	defer p.Close()
	_, err = p.Start(t.Context())
	require.NoError(t, err)
	err = p.PutBack(t.Context())
	assert.ErrorContains(t, err, "it has real random numbers")
	assert.ErrorContains(t, err, "its instances are not put back by copying")
}

func ExampleGuest_Probe() {
	ctx := context.Background()
	r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{Limits: unhurried})
	defer r.Close(ctx)
	g, err := r.Load(ctx, "style.wasm", wasmtest.Says("Be brief."), runtime.GuestOptions{})
	if err != nil {
		log.Fatal(err)
	}
	p, err := g.Probe()
	if err != nil {
		log.Fatal(err)
	}
	defer p.Close()
	memory, err := p.Start(ctx) // take the time of this
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(memory, p.PutBack(ctx)) // and of this
	// Output: 65536 <nil>
}
