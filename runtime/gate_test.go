package runtime

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGateLetsNobodyInForTheSakeOfCalls(t *testing.T) {
	var g gate
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, g.join())
	require.ErrorIs(t, g.close(ended), context.Canceled)
	assert.ErrorIs(t, g.join(), ErrClosed, "calls that overlap would keep it open for good")
	assert.ErrorIs(t, g.enter(), ErrClosed)
	g.leave()
	require.NoError(t, g.close(t.Context()))
}

func TestGateLetsInTheCallsOfHolders(t *testing.T) {
	var g gate
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, g.enter())
	require.Error(t, g.close(ended))
	require.NoError(t, g.join())
	g.exit()
	assert.ErrorIs(t, g.join(), ErrClosed, "the holder has left")
	require.Error(t, g.close(ended), "its call has not")
	g.leave()
	require.NoError(t, g.close(t.Context()))
	require.NoError(t, g.close(t.Context()), "twice is harmless")
}
