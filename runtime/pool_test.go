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

func TestPoolIsBounded(t *testing.T) {
	var open, started atomic.Int64
	p := newPool(func(context.Context) (*instance, error) {
		open.Add(1)
		started.Add(1)
		return &instance{engine: hollow{open: &open}}, nil
	})
	var taken []*instance
	for range cap(p.slots) {
		in, err := p.take(t.Context())
		require.NoError(t, err)
		taken = append(taken, in)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := p.take(ended)
	require.ErrorIs(t, err, context.Canceled, "all are in use")
	assert.LessOrEqual(t, cap(p.slots), 64)

	p.put(taken[0])
	p.done.Wait()
	assert.Equal(t, int64(cap(p.slots)), open.Load(), "one went, one is spare")
	p.put(taken[1])
	p.done.Wait()
	assert.Equal(t, int64(cap(p.slots)+1), started.Load(), "one spare is enough")
	in, err := p.take(t.Context())
	require.NoError(t, err)
	for _, earlier := range taken {
		assert.NotSame(t, earlier, in, "an instance is never handed out twice")
	}
	assert.Equal(t, int64(cap(p.slots)+1), started.Load(), "the spare was there")
	for _, in := range append(taken[2:], in) {
		p.put(in)
	}
	p.close()
	assert.Zero(t, open.Load())
}
