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

func TestBudgetReclaimsWhatIsIdle(t *testing.T) {
	idle := 3
	var b *budget
	b = newBudget(100, func() bool {
		if idle == 0 {
			return false
		}
		idle--
		b.give(10)
		return true
	})
	require.True(t, b.take(100))
	assert.True(t, b.take(15), "two had to go")
	assert.Equal(t, 1, idle)
	assert.False(t, b.take(16), "all idle things are not enough")
	assert.Zero(t, idle)
	assert.True(t, b.take(15))
	assert.False(t, b.take(1))
	b.give(1)
	assert.True(t, b.take(1))
	assert.False(t, b.take(101), "more than there ever is")
	assert.False(t, b.take(^uint64(0)))
}

func TestBudgetWaits(t *testing.T) {
	b := newBudget(100, func() bool { return false })
	require.NoError(t, b.wait(t.Context(), 90, 0))
	assert.EqualError(t, b.wait(t.Context(), 11, time.Millisecond), "the 0 KiB that the host has for all guests are in use")
	assert.EqualError(t, b.wait(t.Context(), 101, time.Hour), "it needs 1 KiB, and the host has 0 KiB for all guests", "it is no use to wait")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, b.wait(ended, 11, time.Hour), context.Canceled)

	got := make(chan error, 2)
	for range 2 {
		go func() { got <- b.wait(t.Context(), 40, time.Hour) }()
	}
	for b.waiting.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	b.give(50)
	require.NoError(t, <-got)
	assert.Empty(t, got, "there is room for one")
	b.give(40)
	require.NoError(t, <-got)
	assert.Equal(t, uint64(80), b.used.Load())
}

// However many take and give, no more is out than there is, and all of it comes back.
func TestBudgetUnderLoad(t *testing.T) {
	b := newBudget(100, func() bool { return false })
	var out atomic.Int64
	var users sync.WaitGroup
	for i := range 8 {
		users.Go(func() {
			n := uint64(10 + 7*i)
			for range 200 {
				if err := b.wait(context.Background(), n, time.Hour); err != nil {
					t.Error(err)
					return
				}
				if out.Add(int64(n)) > 100 {
					t.Error("more than there is")
				}
				out.Add(-int64(n))
				b.give(n)
			}
		})
	}
	users.Wait()
	assert.Zero(t, b.used.Load())
	assert.Zero(t, b.waiting.Load())
}

func TestBudgetRefusesTooManyWaiters(t *testing.T) {
	b := newBudget(1, func() bool { return false })
	b.waiting.Store(maxWaiting)
	require.True(t, b.take(1))
	assert.ErrorIs(t, b.wait(t.Context(), 1, time.Hour), errTooManyWaiting)
	assert.EqualValues(t, maxWaiting, b.waiting.Load())
}
