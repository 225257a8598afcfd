package main

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// Trials are not bound by the clock, whether a guest asks for a time or not.
func TestTrialsHaveTime(t *testing.T) {
	for _, asked := range []uint64{0, 5, 3_600_000} {
		m := wasmtest.Manifest()
		m.Limits.Milliseconds, m.Limits.Fuel = asked, 1234
		file := wasmtest.Guest(wasmtest.Module{}, m, wasmtest.Answer(0, 0))
		a, err := runtime.Examine("g.wasm", file)
		require.NoError(t, err)
		cmd := newRoot(nil, io.Discard, io.Discard)
		require.NoError(t, cmd.ParseFlags([]string{"--cache-dir", "off"}))
		cmd.SetContext(t.Context())
		h := trialHost(cmd, slog.New(slog.DiscardHandler))
		g := &ownGuest{path: "g.wasm", file: file, artifact: a}
		loaded, err := g.load(cmd, h, nil)
		require.NoError(t, err)
		assert.Equal(t, 30*time.Second, loaded.Limits().Time)
		assert.Equal(t, uint64(1234), loaded.Limits().Fuel)
		require.NoError(t, loaded.Close(t.Context()))
		require.NoError(t, h.Close(t.Context()))
	}
}
