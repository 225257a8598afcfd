package runtime

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hollow is an instance of an engine that runs nothing.
type hollow struct {
	Instance
	open *atomic.Int64
}

func (h hollow) Close(context.Context) error { h.open.Add(-1); return nil }

type hollowPool struct {
	*pool
	open, started atomic.Int64
}

func newHollowPool(again bool) *hollowPool {
	h := &hollowPool{}
	b := newBudget(1<<20, func() bool { return h.evict() })
	h.pool = newPool(b, func(context.Context) (*instance, error) {
		h.open.Add(1)
		h.started.Add(1)
		return &instance{engine: hollow{open: &h.open}, state: &HostState{budget: b}}, nil
	}, func(*instance) bool { return again })
	return h
}

func (h *hollowPool) takeAll(t *testing.T) (all []*instance) {
	t.Helper()
	for range h.limit {
		in, err := h.take(t.Context())
		require.NoError(t, err)
		all = append(all, in)
	}
	return all
}

func TestPoolWithoutImage(t *testing.T) {
	p := newHollowPool(false)
	p.ahead = true
	taken := p.takeAll(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.take(ended)
	require.ErrorIs(t, err, context.Canceled, "all are in use")
	assert.LessOrEqual(t, p.limit, int64(64))

	p.put(taken[0])
	p.done.Wait()
	assert.Equal(t, p.limit, p.open.Load(), "one went, one is ahead")
	p.put(taken[1])
	p.done.Wait()
	assert.Equal(t, p.limit+1, p.started.Load(), "one ahead is enough")
	in, err := p.take(t.Context())
	require.NoError(t, err)
	for _, earlier := range taken {
		assert.NotSame(t, earlier, in, "an instance is never handed out twice")
	}
	assert.Equal(t, p.limit+1, p.started.Load(), "the one ahead was there")
	for _, in := range append(taken[2:], in) {
		p.put(in)
	}
	p.close()
	assert.Zero(t, p.open.Load())
}

func TestPoolWithImage(t *testing.T) {
	p := newHollowPool(true)
	taken := p.takeAll(t)
	for _, in := range taken {
		p.put(in)
	}
	again := p.takeAll(t)
	assert.ElementsMatch(t, taken, again)
	assert.Equal(t, p.limit, p.started.Load(), "all are used again")

	again[0].broken = true
	for _, in := range again {
		p.put(in)
	}
	assert.Equal(t, p.limit-1, p.open.Load(), "a broken one goes")
	assert.NotContains(t, p.takeAll(t), again[0])

	assert.False(t, p.evict(), "none is idle")
	p.put(again[1])
	assert.True(t, p.evict())
	assert.False(t, p.evict())
}
