package registry

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/runtime"
)

// An adapter of version 1 that stands behind one of version 2 is not registered, and can be asked alone.
func TestAdapterOf(t *testing.T) {
	file, err := stock.Adapters()
	require.NoError(t, err)
	run := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { require.NoError(t, run.Close(context.Background())) })
	g, err := run.Load(t.Context(), "g.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)

	v2, ok := AdapterOf(g, "openai-codex-responses")
	require.True(t, ok)
	assert.NotNil(t, v2.Edit)
	assert.NotNil(t, v2.ReadSystemPrompt, "with the one behind it, as it is registered")
	assert.Empty(t, v2.Provider)
	v1, ok := AdapterOf(g, "openai-codex-responses-v1")
	require.True(t, ok)
	assert.Nil(t, v1.Edit)
	text, ok, err := v1.ReadSystemPrompt(t.Context(), &PayloadRequest{SessionID: "s", Provider: "p", Payload: []byte(`{"instructions":"P"}`)})
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, "P", text)

	_, ok = AdapterOf(g, "nobody")
	assert.False(t, ok)
	_, ok = ContributionOf(g, "openai-codex-responses")
	assert.False(t, ok)
}
