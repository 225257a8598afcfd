package guestbench_test

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbench"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/internal/rounds"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

func options(t *testing.T) guestbench.Options {
	return guestbench.Options{Clock: rounds.Clock{Rounds: 1}, Dir: t.TempDir(),
		Engine: func(cache string) runtime.Engine { return wazero.New(wazero.Config{CacheDir: cache}) }}
}

func TestMeasure(t *testing.T) {
	file, err := os.ReadFile("../../testdata/guests/c/c.wasm")
	require.NoError(t, err)
	prompt := "hi"
	c := guestbench.Guest{Name: "c.wasm", File: file, Asked: []*guesttest.Case{
		{Name: "echoes", Contribution: "echo/c", Context: guesttest.Context{Prompt: &prompt}}}}
	opts := options(t)
	var progress []string
	opts.Progress = func(what string) { progress = append(progress, what) }
	figures, err := guestbench.Measure(t.Context(), opts, guestbench.Floor(), c)
	require.NoError(t, err)
	require.Len(t, figures, 2)
	assert.Equal(t, []string{"compiling floor.wasm", "compiling c.wasm", "measuring"}, progress)
	assert.Equal(t, "test@1.0.0", figures[0].Guest)
	f := figures[1]
	assert.Equal(t, "testdata/c@1.0.0", f.Guest)
	assert.Equal(t, len(file), f.Bytes)
	assert.Less(t, f.GzipBytes, f.Bytes)
	for _, figure := range []int64{int64(f.Compile), int64(f.Load - f.Compile), int64(f.CompileWarm), int64(f.LoadWarm - f.CompileWarm),
		int64(f.Start), int64(f.PutBack), int64(f.StartBytes), int64(f.MemoryBytes), int64(f.ImageBytes), int64(f.Calls[0].Time), int64(f.Calls[0].Fuel)} {
		assert.Positive(t, figure)
	}
	assert.Empty(t, f.Fresh)
	assert.Equal(t, "echo/c", f.Calls[0].Contribution)
	assert.GreaterOrEqual(t, f.Calls[0].Worst, f.Calls[0].Time)
	_, err = json.Marshal(figures)
	require.NoError(t, err)
}

// A guest that is started anew for each call is never put back.
func TestMeasureFresh(t *testing.T) {
	m := wasmtest.Manifest()
	m.Capabilities = []abi.Capability{{Name: abi.CapabilityRandom, Reason: "to roll dice"}}
	answer := wasmtest.Text("x")
	g := guestbench.Guest{Name: "g.wasm", File: wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m,
		wasmtest.Answer(16, uint32(len(answer)))), Asked: []*guesttest.Case{{Name: "rolls", Contribution: "a"}}}
	opts := options(t)
	opts.Grants = []string{abi.CapabilityRandom}
	figures, err := guestbench.Measure(t.Context(), opts, g)
	require.NoError(t, err)
	assert.NotEmpty(t, figures[0].Fresh)
	assert.Zero(t, figures[0].PutBack)
	assert.Positive(t, figures[0].MemoryBytes)
}

func TestMeasureFails(t *testing.T) {
	provider := &abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: "a", Providers: &[]string{"p"}}
	m := wasmtest.Manifest()
	m.Contributions[0] = *provider
	g := guestbench.Guest{Name: "g.wasm", File: wasmtest.Guest(wasmtest.Module{}, m, wasmtest.Code(wasmtest.Unreachable)),
		Asked: []*guesttest.Case{{Name: "asks", Contribution: "a"}}}
	_, err := guestbench.Measure(t.Context(), options(t), g)
	assert.ErrorContains(t, err, "g.wasm: asks: it is not asked: a is for the provider p, and no provider is given")
	g.Asked[0].Context.Provider = "p"
	_, err = guestbench.Measure(t.Context(), options(t), g)
	refused := (*runtime.Error)(nil)
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, runtime.KindTrap, refused.Kind)
	g.Asked[0].Contribution = "b"
	_, err = guestbench.Measure(t.Context(), options(t), g)
	assert.ErrorContains(t, err, `no contribution "b"`)
	_, err = guestbench.Measure(t.Context(), options(t), guestbench.Guest{Name: "no.wasm", File: []byte("x")})
	assert.ErrorContains(t, err, "no.wasm: guest no.wasm: refused")

	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = guestbench.Measure(ended, options(t), guestbench.Floor())
	require.Error(t, err)
}

func TestChoose(t *testing.T) {
	suite, err := guesttest.Parse("cases.json", []byte(`[
		{"name": "fails", "contribution": "a", "error": "x"},
		{"name": "is silent", "contribution": "a", "nothing": true},
		{"name": "speaks", "contribution": "a", "text": "x"},
		{"name": "fails too", "contribution": "b", "error": "x"},
		{"name": "is silent too", "contribution": "b", "nothing": true},
		{"name": "adapts", "adapter": "a", "payload": {}, "result": {}},
		{"name": "only fails", "adapter": "b", "payload": {}, "error": "x"}]`))
	require.NoError(t, err)
	assert.Equal(t, "speaks", guestbench.Choose(suite, "a", "").Name)
	assert.Equal(t, "is silent too", guestbench.Choose(suite, "b", "").Name)
	assert.Equal(t, "adapts", guestbench.Choose(suite, "", "a").Name)
	assert.Nil(t, guestbench.Choose(suite, "", "b"))
	assert.Nil(t, guestbench.Choose(suite, "c", ""))
}
