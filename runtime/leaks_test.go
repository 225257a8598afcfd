package runtime_test

import (
	"context"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A call that could not begin costs a session nothing.
func TestCanceledCallKeepsTheSession(t *testing.T) {
	g := load(t, newRuntime(t, runtime.Options{}), counting(abi.StateSession))
	text, err := render(t.Context(), g)
	require.NoError(t, err)
	require.Equal(t, "1", text)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 {
		_, err := render(ctx, g)
		require.Equal(t, runtime.KindCanceled, asError(t, err).Kind)
	}
	text, err = render(t.Context(), g)
	require.NoError(t, err)
	assert.Equal(t, "2", text)
}

// A call whose caller gave up just as it returned has its answer, and the session goes on.
func TestAnswerAtTheLastMoment(t *testing.T) {
	e := newTally()
	r := runtime.New(e, runtime.Options{Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	g := load(t, r, counting(abi.StateSession))
	ctx, cancel := context.WithCancel(t.Context())
	e.returned = func(function string) {
		if function == abi.RenderV1 {
			cancel()
		}
	}
	text, err := render(ctx, g)
	require.NoError(t, err)
	assert.Equal(t, "1", text)
	text, err = render(t.Context(), g)
	require.NoError(t, err)
	assert.Equal(t, "2", text)
}

// tally counts the instances that are open.
type tally struct {
	runtime.Engine
	open     atomic.Int64
	made     atomic.Int64
	refuses  error         // if set, of new instances
	closing  func()        // if set, called before an instance is closed
	returned func(string)  // if set, called when this function has returned
	compiles chan struct{} // if set, a compilation announces itself here and then waits for its context
}

func newTally() *tally { return &tally{Engine: enginetest.New()} }

func (e *tally) Compile(ctx context.Context, module []byte, host []runtime.HostFunc) (runtime.Code, error) {
	if e.compiles != nil {
		e.compiles <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	}
	code, err := e.Engine.Compile(ctx, module, host)
	return &tallyCode{code, e}, err
}

type tallyCode struct {
	runtime.Code
	engine *tally
}

func (c *tallyCode) Instantiate(ctx context.Context, opts runtime.InstanceOptions) (runtime.Instance, error) {
	if c.engine.refuses != nil {
		return nil, c.engine.refuses
	}
	in, err := c.Code.Instantiate(ctx, opts)
	if err != nil {
		return nil, err
	}
	c.engine.open.Add(1)
	c.engine.made.Add(1)
	return &tallyInstance{in, c.engine}, nil
}

type tallyInstance struct {
	runtime.Instance
	engine *tally
}

func (in *tallyInstance) Function(name string) runtime.Function {
	f := in.Instance.Function(name)
	if f == nil {
		return nil
	}
	return &tallyFunction{f, name, in.engine}
}

type tallyFunction struct {
	runtime.Function
	name   string
	engine *tally
}

func (f *tallyFunction) Call(args ...uint64) (uint64, error) {
	v, err := f.Function.Call(args...)
	if f.engine.returned != nil {
		f.engine.returned(f.name)
	}
	return v, err
}

func (in *tallyInstance) Close(ctx context.Context) error {
	if in.engine.closing != nil {
		in.engine.closing()
	}
	in.engine.open.Add(-1)
	return in.Instance.Close(ctx)
}

// Sessions that end while calls run, wait or give up leave no instance behind.
func TestEndedSessionsLeaveNothing(t *testing.T) {
	e := newTally()
	r := runtime.New(e, runtime.Options{Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	g := load(t, r, counting(abi.StateSession))
	var calls sync.WaitGroup
	for i := range 6 {
		calls.Go(func() {
			for n := range 100 {
				ctx, cancel := context.WithCancel(context.Background())
				if n%3 == 0 {
					time.AfterFunc(time.Duration(n)*time.Microsecond, cancel)
				}
				if i < 2 {
					g.EndSession(ctx, "s")
				} else {
					_, _ = render(ctx, g)
				}
				cancel()
			}
		})
	}
	calls.Wait()
	g.EndSession(t.Context(), "s")
	assert.Zero(t, e.open.Load())
}

// The session ends between the moment in which a call finds it and the one in which the call runs.
func TestSessionThatEndsUnderACallLeavesNothing(t *testing.T) {
	e := newTally()
	r := runtime.New(e, runtime.Options{Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	g := load(t, r, counting(abi.StateSession))
	call := func(session string) {
		_, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte{0xa0}})
		require.NoError(t, err)
	}
	for i := range 64 { // as many as there may be
		call(strings.Repeat("x", i+1))
	}
	e.closing = func() { // of the session that gives way to "new"
		e.closing = nil
		g.EndSession(t.Context(), "new")
	}
	call("new")
	require.Nil(t, e.closing)
	for i := range 64 {
		g.EndSession(t.Context(), strings.Repeat("x", i+1))
	}
	assert.Zero(t, e.open.Load())
}

// Whoever ends a session need not wait for a call that takes long.
func TestEndSessionReturnsWithItsContext(t *testing.T) {
	m := wasmtest.Manifest()
	m.State = abi.StateSession
	e := newTally()
	r := runtime.New(e, runtime.Options{Limits: patient})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	g := load(t, r, wasmtest.Guest(wasmtest.Module{}, m, endless))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = render(ctx, g)
	}()
	for e.open.Load() == 0 {
		goruntime.Gosched()
	}
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	r.EndSession(short, "s")
	assert.Equal(t, int64(1), e.open.Load(), "the call goes on")
	cancel()
	<-done
	assert.Zero(t, e.open.Load())
}

func TestLoadDoesNotWaitForOthersWhenItsContextEnds(t *testing.T) {
	e := &tally{Engine: enginetest.New(), compiles: make(chan struct{}, 2)}
	r := runtime.New(e, runtime.Options{Limits: unhurried})
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error, 1)
	go func() {
		_, err := r.Load(ctx, "slow", wasmtest.Says("x"), runtime.GuestOptions{})
		first <- err
	}()
	<-e.compiles
	short, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	_, err := r.Load(short, "next", wasmtest.Says("x"), runtime.GuestOptions{})
	assert.Equal(t, runtime.KindCanceled, asError(t, err).Kind)
	assert.Empty(t, e.compiles, "one compilation at a time")
	cancel()
	assert.Equal(t, runtime.KindCanceled, asError(t, <-first).Kind)
}

// Refused loads and failing calls leave nothing either.
func TestFailuresLeaveNothing(t *testing.T) {
	pages := wasmtest.Module{Pages: 16}
	trapping := pages
	trapping.Functions = []wasmtest.Function{{Code: wasmtest.Code(wasmtest.Unreachable)}}
	starts := trapping
	starts.Start = 1
	initialises := pages
	initialises.Functions = []wasmtest.Function{{Export: abi.InitExport, Code: wasmtest.Code(wasmtest.Unreachable)}}
	zero := wasmtest.I64Const(0)
	session := wasmtest.Manifest()
	session.State = abi.StateSession
	bad := [][]byte{wasmtest.Guest(starts, wasmtest.Manifest(), zero), wasmtest.Guest(initialises, session, zero),
		wasmtest.Guest(pages, wasmtest.Manifest(), wasmtest.Code(wasmtest.I32Add))}
	failing := [][]byte{wasmtest.Guest(pages, wasmtest.Manifest(), zero), wasmtest.Guest(trapping, session, wasmtest.Code(wasmtest.Call(0), zero)),
		wasmtest.Guest(pages, session, endless)}

	e := newTally()
	r := runtime.New(e, runtime.Options{Limits: runtime.Limits{Time: time.Millisecond}})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	cycle := func() {
		for _, file := range bad {
			_, err := r.Load(context.Background(), "bad", file, runtime.GuestOptions{})
			require.Error(t, err)
		}
		for _, file := range failing {
			g := load(t, r, file)
			for range 4 {
				_, err := render(context.Background(), g)
				require.Error(t, err)
			}
			require.NoError(t, g.Close(context.Background()))
		}
	}
	cycle()
	heap, goroutines := residue(alone())
	for range 10 {
		cycle()
	}
	heapAfter, goroutinesAfter := residue(goroutines)
	assert.Zero(t, e.open.Load())
	assert.LessOrEqual(t, goroutinesAfter, goroutines)
	assert.Less(t, int64(heapAfter)-int64(heap), int64(2<<20), "60 guests of 1 MiB failed")
}
