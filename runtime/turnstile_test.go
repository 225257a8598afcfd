package runtime

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTurnstileKeepsTheOrder(t *testing.T) {
	ts := turnstile{limit: 1}
	require.NoError(t, ts.enter(t.Context()))
	var order []int
	var waiters sync.WaitGroup
	for i := range 5 {
		waiters.Go(func() {
			assert.NoError(t, ts.enter(context.Background()))
			order = append(order, i)
			ts.leave()
		})
		for ts.waiting.Load() <= int64(i) {
			time.Sleep(time.Millisecond)
		}
	}
	ts.leave()
	waiters.Wait()
	assert.Equal(t, []int{0, 1, 2, 3, 4}, order)
	assert.Zero(t, ts.inside.Load())
}

func TestTurnstileLetsNobodyInWhoGaveUp(t *testing.T) {
	ts := turnstile{limit: 1}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, ts.enter(ended), context.Canceled)
	require.NoError(t, ts.enter(t.Context()))
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	assert.ErrorIs(t, ts.enter(short), context.DeadlineExceeded)
	assert.Zero(t, ts.waiting.Load())
	ts.leave()
	assert.NoError(t, ts.enter(t.Context()))
}

// Whoever gives up while being let in gives the place back.
func TestTurnstileGivingUpTooLate(t *testing.T) {
	ts := turnstile{limit: 1}
	require.NoError(t, ts.enter(t.Context()))
	turn, err := ts.join()
	require.NoError(t, err)
	ts.leave()
	<-turn
	assert.EqualValues(t, 1, ts.inside.Load())
	ts.giveUp(turn)
	assert.Zero(t, ts.inside.Load())
	assert.Zero(t, ts.waiting.Load())
}

func TestTurnstileRefusesWhenTooManyWait(t *testing.T) {
	ts := turnstile{limit: 1}
	require.NoError(t, ts.enter(t.Context()))
	ts.queue = make([]chan struct{}, maxWaiting)
	assert.ErrorIs(t, ts.enter(t.Context()), errTooManyWaiting)
}

// Some give up while others come and go: nobody is forgotten and nobody is too many.
func TestTurnstileUnderLoad(t *testing.T) {
	ts := turnstile{limit: 3}
	var inside, entered atomic.Int64
	var users sync.WaitGroup
	for i := range 12 {
		users.Go(func() {
			for n := range 300 {
				ctx, cancel := context.Background(), context.CancelFunc(func() {})
				if i%3 == 0 {
					ctx, cancel = context.WithTimeout(ctx, time.Duration(n)*time.Microsecond)
				}
				if ts.enter(ctx) == nil {
					if inside.Add(1) > 3 {
						t.Error("too many are inside")
					}
					entered.Add(1)
					inside.Add(-1)
					ts.leave()
				}
				cancel()
			}
		})
	}
	users.Wait()
	assert.Zero(t, ts.inside.Load())
	assert.Zero(t, ts.waiting.Load())
	assert.Empty(t, ts.queue)
	assert.GreaterOrEqual(t, entered.Load(), int64(8*300))
}
