package runtime_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// Calls without a session have no session in common: each has an instance of its own, and leaves nothing.
func TestCallsWithoutASessionShareNothing(t *testing.T) {
	tally, r := tallied(t, runtime.Options{})
	g := load(t, r, counting(abi.StateSession))
	ask := func(session string) (string, error) {
		value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte{0xa0}})
		if err != nil {
			return "", err
		}
		return abi.Text(value)
	}
	before := tally.open.Load()
	var said []string
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			text, err := ask("")
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			said = append(said, text)
		})
	}
	wait.Wait()
	first, err := ask("a")
	require.NoError(t, err)
	assert.Equal(t, strings.Repeat(first+" ", 8), strings.Join(said, " ")+" ", "each is the first call of its instance")
	second, err := ask("a")
	require.NoError(t, err)
	assert.NotEqual(t, first, second, "a session goes on")
	assert.Equal(t, before+1, tally.open.Load(), "that of the session")
}
