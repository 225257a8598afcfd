package runtime_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A waitingEngine waits before it compiles, and tells whether it was closed while somebody used it.
type waitingEngine struct {
	runtime.Engine
	began, goOn chan struct{}
	compiling   bool
}

func (e *waitingEngine) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	e.compiling = true
	close(e.began)
	<-e.goOn
	code, err := e.Engine.Compile(ctx, module, host)
	e.compiling = false
	return code, err
}

func (e *waitingEngine) Close(ctx context.Context) error {
	if e.compiling {
		return assert.AnError
	}
	return e.Engine.Close(ctx)
}

// What uses the engine ends before the engine does, and nothing begins afterwards.
func TestCloseWaitsForWhatIsLoaded(t *testing.T) {
	registering := withSections(t, abi.BundleSection, bundleOf(t, &abi.Bundle{Code: prelude + `__pintle.registered = () => "{}"`}))
	for name, use := range map[string]func(r *runtime.Runtime) error{
		"Registered": func(r *runtime.Runtime) error {
			text, err := r.Registered(context.Background(), "mine", registering)
			if err == nil {
				assert.Equal(t, "{}", string(text))
			}
			return err
		},
		"Load": func(r *runtime.Runtime) error {
			_, err := r.Load(context.Background(), "x", wasmtest.Says("x"), runtime.GuestOptions{})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			e := &waitingEngine{Engine: enginetest.New(), began: make(chan struct{}), goOn: make(chan struct{})}
			r := runtime.New(e, runtime.Options{Limits: unhurried})
			used := make(chan error)
			go func() { used <- use(r) }()
			<-e.began
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			require.ErrorIs(t, r.Close(ended), context.Canceled, "it is in use")
			err := use(r)
			require.ErrorIs(t, err, runtime.ErrClosed)
			assert.Equal(t, runtime.KindClosed, asError(t, err).Kind)
			close(e.goOn)
			if err := <-used; name == "Load" {
				require.ErrorIs(t, err, runtime.ErrClosed, "nobody would close it")
			} else {
				require.NoError(t, err)
			}
			require.NoError(t, r.Close(t.Context()))
			require.ErrorIs(t, use(r), runtime.ErrClosed)
		})
	}
}

// A program that the runtime has no memory for is refused before anything of it runs.
func TestRegisteredWithinTheLimits(t *testing.T) {
	r := newRuntime(t, runtime.Options{Limits: runtime.Limits{MemoryBytes: 1 << 20}})
	_, err := r.Registered(t.Context(), "mine", withSections(t, abi.BundleSection, bundleOf(t, &abi.Bundle{Code: prelude})))
	e := asError(t, err)
	assert.Equal(t, runtime.KindMemory, e.Kind)
	assert.Equal(t, "mine", e.Guest)
	assert.Contains(t, e.Reason, "it starts with 1152 KiB of memory and may have 1024 KiB")
}
