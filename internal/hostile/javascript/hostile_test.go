package javascript_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// soon is when everything has ended that a guest can do, on any machine.
const soon = 5 * time.Minute

// newRuntime makes a runtime in which the engine stays compiled, since a guest that has it is loaded.
func newRuntime(t *testing.T) *runtime.Runtime {
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	_, err := r.Load(t.Context(), "well.wasm", guest(t, abi.Bundle{Code: well}), runtime.GuestOptions{})
	require.NoError(t, err)
	return r
}

// ask asks as a turn does.
func ask(ctx context.Context, g *runtime.Guest, prompt string) (string, error) {
	c, ok := registry.ContributionOf(g, "c")
	if !ok {
		return "", errors.New("there is no contribution")
	}
	return c.Render(ctx, &registry.RenderContext{Prompt: &prompt})
}

// Whatever an author does, the call ends, with an error of the runtime's or an answer, and the next call knows
// nothing of it.
func TestAttacks(t *testing.T) {
	for group, attacks := range map[string][]attack{"loops": loops, "depths": depths, "hoards": hoards, "throws": throws, "answers": answers} {
		t.Run(group, func(t *testing.T) {
			r := newRuntime(t)
			for _, a := range attacks {
				t.Run(a.name, func(t *testing.T) { a.run(t, r) })
			}
		})
	}
}

func (a attack) run(t *testing.T, r *runtime.Runtime) {
	g, err := r.Load(t.Context(), "hostile.wasm", guest(t, abi.Bundle{Code: a.script()}), runtime.GuestOptions{})
	require.NoError(t, err)
	defer func() { assert.NoError(t, g.Close(context.Background())) }()
	for range 2 {
		start := time.Now()
		text, err := ask(t.Context(), g, "attack")
		assert.Less(t, time.Since(start), soon)
		if err == nil {
			assert.Equal(t, a.text, text)
			assert.True(t, a.text != "" || a.ends == nil, "it has to fail, and answered %q", text)
		} else {
			a.failed(t, err)
		}
		text, err = ask(t.Context(), g, "well")
		require.NoError(t, err, "the next call")
		assert.Equal(t, "well", text, "the next call")
	}
}

func (a attack) failed(t *testing.T, err error) {
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	t.Logf("%s: %.200s\n%.600s", e.Kind, e.Reason, strings.Join(e.Trace, "\n"))
	assert.Contains(t, a.ends, string(e.Kind))
	assert.True(t, utf8.ValidString(e.Reason))
	assert.LessOrEqual(t, len(e.Reason), 64<<10)
	assert.LessOrEqual(t, len(e.Trace), 128)
	for _, frame := range e.Trace {
		assert.LessOrEqual(t, len(frame), 4<<10)
		assert.NotContains(t, frame, "\n")
		assert.True(t, utf8.ValidString(frame))
	}
	if a.names != "" {
		assert.Contains(t, e.Reason+"\n"+strings.Join(e.Trace, "\n"), a.names)
	}
}
