package rounds_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/rounds"
)

func TestMeasure(t *testing.T) {
	slow, fast := 0, 0
	figures, err := rounds.Clock{Rounds: 3, Each: 20 * time.Millisecond}.Measure(t.Context(),
		rounds.Subject{Name: "fast", Op: func() error { fast++; return nil }},
		rounds.Subject{Name: "slow", Op: func() error { slow++; time.Sleep(2 * time.Millisecond); return nil }})
	require.NoError(t, err)
	assert.Equal(t, []string{"fast", "slow"}, []string{figures[0].Name, figures[1].Name})
	assert.Greater(t, fast, slow)
	assert.GreaterOrEqual(t, figures[1].Time, 2*time.Millisecond)
	assert.GreaterOrEqual(t, figures[1].Worst, figures[1].Time)
}

// Even no time at all is one operation to warm up and one in a round.
func TestMeasureOnce(t *testing.T) {
	n := 0
	_, err := rounds.Clock{}.Measure(t.Context(), rounds.Subject{Name: "one", Op: func() error { n++; return nil }})
	require.NoError(t, err)
	assert.Equal(t, 2, n)
}

func TestMeasureFails(t *testing.T) {
	broken := errors.New("broken")
	_, err := rounds.Clock{Rounds: 1}.Measure(t.Context(), rounds.Subject{Name: "it", Op: func() error { return broken }})
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, "it: broken")
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	_, err = rounds.Clock{Rounds: 1, Each: time.Hour}.Measure(ctx, rounds.Subject{Name: "it", Op: func() error {
		if n++; n == 1000 {
			cancel()
		}
		return nil
	}})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1000, n)
}
