package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// A slowStore answers nothing until the call ends.
type slowStore struct {
	runtime.Store
	asked func()
}

func (s *slowStore) Load(ctx context.Context, _ runtime.StoreKey) (map[string][]byte, error) {
	s.asked()
	<-ctx.Done()
	return nil, ctx.Err()
}

func (s *slowStore) EndSession(context.Context, string) error { return nil }

// A caller that gives up with a reason of its own is not a guest that failed, however often it happens.
func TestCallerGivesUpWithAReason(t *testing.T) {
	store := &slowStore{}
	g := loadGranted(t, newRuntime(t, runtime.Options{Store: store, Limits: unhurried}), "/a", counter(asking("kv")), "kv")
	for range 5 {
		ctx, cancel := context.WithCancelCause(t.Context())
		store.asked = func() { cancel(errors.New("the user pressed escape")) }
		_, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Session: "s", Request: []byte{0xa0}})
		e := asError(t, err)
		assert.Equal(t, runtime.KindCanceled, e.Kind)
		require.ErrorIs(t, err, context.Canceled)
	}
}
