package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// sized is a guest of so many pages that answers "x".
func sized(pages uint32, state abi.State) []byte {
	answer := wasmtest.Text("x")
	m := wasmtest.Manifest()
	m.State = state
	return wasmtest.Guest(wasmtest.Module{Pages: pages, Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m,
		wasmtest.Answer(16, uint32(len(answer))))
}

func tallied(t *testing.T, opts runtime.Options) (*tally, *runtime.Runtime) {
	t.Helper()
	opts.Remember.SessionBytes = -1
	e := newTally()
	r := runtime.New(e, opts)
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	return e, r
}

// Idle instances of other guests give way, then idle sessions, the one that was idle the longest first.
func TestIdleInstancesGiveWay(t *testing.T) {
	e, r := tallied(t, runtime.Options{MemoryBudget: 10 << 20})
	call := func(g *runtime.Guest, session string) {
		_, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte{0xa0}})
		require.NoError(t, err)
	}
	sessions := load(t, r, sized(32, abi.StateSession)) // 2 MiB each
	call(sessions, "a")
	call(sessions, "b")
	call(sessions, "a")
	stateless := load(t, r, sized(64, abi.StateNone)) // 4 MiB
	call(stateless, "")
	assert.EqualValues(t, 3, e.open.Load())
	made := e.made.Load()
	call(sessions, "c") // 2 + 2 + 4 + 2 and the rest: the idle instance goes
	call(sessions, "a")
	call(sessions, "b")
	assert.EqualValues(t, 3, e.open.Load())
	assert.Equal(t, made+1, e.made.Load(), "no session gave way")

	call(sessions, "d")
	made = e.made.Load()
	call(stateless, "") // the sessions c and a go, which were idle the longest
	call(sessions, "d")
	call(sessions, "b")
	assert.Equal(t, made+1, e.made.Load())
	call(sessions, "a")
	assert.Equal(t, made+2, e.made.Load())
}

func TestCallWaitsForMemory(t *testing.T) {
	_, r := tallied(t, runtime.Options{MemoryBudget: 5 << 20, Limits: runtime.Limits{Fuel: plenty, Time: 200 * time.Millisecond}})
	busy := load(t, r, wasmtest.Guest(wasmtest.Module{Pages: 48}, wasmtest.Manifest(), endless))
	waits := load(t, r, sized(32, abi.StateNone))
	started := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	var calls sync.WaitGroup
	calls.Go(func() {
		close(started)
		_, err := render(ctx, busy)
		assert.Error(t, err)
	})
	<-started
	text, err := render(t.Context(), waits)
	if err == nil { // it came first, or the other one ended in time
		assert.Equal(t, "x", text)
	} else {
		e := asError(t, err)
		assert.Equal(t, runtime.KindRefused, e.Kind)
		assert.Equal(t, runtime.OriginHost, e.Origin())
		assert.Equal(t, "the 5120 KiB that the host has for all guests are in use", e.Reason)
	}
	cancel()
	calls.Wait()
	text, err = render(t.Context(), waits)
	require.NoError(t, err, "now there is room")
	assert.Equal(t, "x", text)
}

// A call that waits for memory goes on as soon as another instance is idle.
func TestWaitingEndsWhenSomethingIsIdle(t *testing.T) {
	for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
		e, r := tallied(t, runtime.Options{MemoryBudget: 5 << 20, Limits: patient})
		holder, waiter := load(t, r, sized(40, state)), load(t, r, sized(41, abi.StateNone))
		holding, release := make(chan struct{}), make(chan struct{})
		var once sync.Once
		e.returned = func(string) {
			once.Do(func() {
				close(holding)
				<-release
			})
		}
		var calls sync.WaitGroup
		calls.Go(func() {
			_, err := render(context.Background(), holder)
			assert.NoError(t, err)
		})
		<-holding
		calls.Go(func() {
			_, err := render(context.Background(), waiter)
			assert.NoError(t, err, "it waited for its whole time")
		})
		time.Sleep(50 * time.Millisecond) // it is waiting, or will find the memory free at once
		close(release)
		calls.Wait()
	}
}

// A guest that cannot ever fit is refused; one that wants to grow beyond what is left is told no.
func TestGuestsThatDoNotFit(t *testing.T) {
	_, r := tallied(t, runtime.Options{MemoryBudget: 2 << 20})
	_, err := r.Load(t.Context(), "large", sized(32, abi.StateNone), runtime.GuestOptions{})
	e := asError(t, err)
	assert.Equal(t, runtime.KindRefused, e.Kind)
	assert.Contains(t, e.Reason, "it needs 2113 KiB, and the host has 2048 KiB for all guests")

	answer := wasmtest.Text("no")
	grow := wasmtest.Code(wasmtest.I32Const(32), wasmtest.MemoryGrow(), wasmtest.I32Const(1), wasmtest.I32Add) // 0 after -1
	data := wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}
	copes := load(t, r, wasmtest.Guest(data, wasmtest.Manifest(), wasmtest.Code(grow, wasmtest.If(wasmtest.Unreachable), wasmtest.Answer(16, uint32(len(answer))))))
	text, err := render(t.Context(), copes)
	require.NoError(t, err)
	assert.Equal(t, "no", text)

	dies := load(t, r, wasmtest.Guest(data, wasmtest.Manifest(), wasmtest.Code(grow, wasmtest.Drop, wasmtest.Unreachable)))
	_, err = render(t.Context(), dies)
	e = asError(t, err)
	assert.Equal(t, runtime.KindRefused, e.Kind)
	assert.True(t, strings.HasPrefix(e.Reason, "the 2048 KiB that the host has for all guests are in use: "), e.Reason)
}

// What a guest takes it gives back: after much coming and going as much fits as before.
func TestMemoryComesBack(t *testing.T) {
	e, r := tallied(t, runtime.Options{MemoryBudget: 8 << 20})
	grow := wasmtest.Code(wasmtest.I32Const(8), wasmtest.MemoryGrow(), wasmtest.Drop)
	answer := wasmtest.Text("x")
	for i := range 40 {
		m := wasmtest.Manifest()
		if i%2 == 1 {
			m.State = abi.StateSession
		}
		code := wasmtest.Code(grow, wasmtest.Answer(16, uint32(len(answer))))
		if i%3 == 0 {
			code = wasmtest.Code(grow, wasmtest.Unreachable)
		}
		g := load(t, r, wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, code))
		for n := range 3 {
			_, _ = g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: fmt.Sprint(n), Request: []byte{0xa0}})
		}
		require.NoError(t, g.Close(t.Context()))
	}
	assert.Zero(t, e.open.Load())
	g := load(t, r, sized(110, abi.StateNone))
	_, err := render(t.Context(), g)
	require.NoError(t, err)
}

// Memory that was asked for and did not come is not counted: here the module's own maximum says no.
func TestGrowthThatFailedIsGivenBack(t *testing.T) {
	_, r := tallied(t, runtime.Options{MemoryBudget: 4 << 20})
	answer := wasmtest.Text("x")
	m := wasmtest.Manifest()
	m.State = abi.StateSession
	file := wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m, wasmtest.Code(
		wasmtest.I32Const(8), wasmtest.MemoryGrow(), wasmtest.Drop, wasmtest.Answer(16, uint32(len(answer)))))
	open, bounded := []byte{5, 3, 1, 0, 1, 7}, []byte{5, 4, 1, 1, 1, 2, 7} // the memory section, and the id of the next
	require.Equal(t, 1, bytes.Count(file, open))
	g := load(t, r, bytes.Replace(file, open, bounded, 1))
	for range 20 {
		text, err := render(t.Context(), g)
		require.NoError(t, err)
		assert.Equal(t, "x", text)
	}
	other := load(t, r, sized(40, abi.StateNone))
	_, err := render(t.Context(), other)
	require.NoError(t, err)
}

// An instance that could not be made holds nothing.
func TestFailedInstancesAreGivenBack(t *testing.T) {
	e, r := tallied(t, runtime.Options{MemoryBudget: 4 << 20})
	g := load(t, r, sized(32, abi.StateSession))
	e.refuses = errors.New("not today")
	for range 2 {
		_, err := render(t.Context(), g)
		assert.ErrorIs(t, err, e.refuses)
	}
	e.refuses = nil
	_, err := render(t.Context(), g)
	require.NoError(t, err)
}

// Calls, sessions that end, reloads and a budget that is too small for all, at the same time.
func TestHammer(t *testing.T) {
	e, r := tallied(t, runtime.Options{MemoryBudget: 3 << 20, Limits: runtime.Limits{Time: 5 * time.Minute}})
	var mu sync.RWMutex
	guests := map[string]*runtime.Guest{}
	kinds := map[string][]byte{
		"plain": counting(abi.StateNone), "session": counting(abi.StateSession), "grows": keepers()["grown memory"].file(stateless),
		"fresh": keepers()["table size"].file(stateless), "fails": wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Unreachable)),
	}
	for name, file := range kinds {
		guests[name] = load(t, r, file)
	}
	first := map[string]string{}
	for _, name := range []string{"plain", "fresh"} { // what grows may be refused
		text, err := render(t.Context(), guests[name])
		require.NoError(t, err)
		first[name] = text
	}
	var users sync.WaitGroup
	for i := range 6 {
		users.Go(func() {
			for n := range 60 {
				for name, file := range kinds {
					mu.RLock()
					g := guests[name]
					held := g.Hold()
					mu.RUnlock()
					if held {
						value, err := g.Call(context.Background(), runtime.Call{Op: abi.RenderV1, Session: fmt.Sprint(n % 5), Request: []byte{0xa0}})
						g.Release()
						if want, ok := first[name]; ok {
							text, _ := abi.Text(value)
							assert.NoError(t, err, name)
							assert.Equal(t, want, text, name)
						}
					}
					switch {
					case i == 0 && n%10 == 0:
						again, err := r.Load(context.Background(), name, file, runtime.GuestOptions{})
						if name == "grows" && err != nil {
							continue // its initialiser was refused memory
						}
						if !assert.NoError(t, err) {
							return
						}
						mu.Lock()
						guests[name] = again
						mu.Unlock()
						assert.NoError(t, g.Close(context.Background()))
					case i == 1:
						r.EndSession(context.Background(), fmt.Sprint(n%5))
					}
				}
			}
		})
	}
	users.Wait()
	for _, g := range guests {
		require.NoError(t, g.Close(t.Context()))
	}
	assert.Zero(t, e.open.Load())
	g := load(t, r, sized(40, abi.StateNone))
	_, err := render(t.Context(), g)
	assert.NoError(t, err, "the budget is whole")
}

// Memory is not handed on while a call runs that Close waits for.
func TestCloseAndReloadDuringACall(t *testing.T) {
	_, r := tallied(t, runtime.Options{Limits: runtime.Limits{Fuel: plenty, Time: 100 * time.Millisecond}})
	file := wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), endless)
	old := load(t, r, file)
	require.True(t, old.Hold())
	ended := make(chan error, 1)
	go func() {
		_, err := render(context.Background(), old)
		old.Release()
		ended <- err
	}()
	closed := make(chan error, 1)
	go func() { closed <- old.Close(context.Background()) }()
	again := load(t, r, sized(1, abi.StateNone))
	text, err := render(t.Context(), again)
	require.NoError(t, err)
	assert.Equal(t, "x", text)
	require.NoError(t, <-closed)
	select {
	case err := <-ended:
		assert.Equal(t, runtime.KindTimeout, asError(t, err).Kind)
	case <-time.After(time.Minute):
		t.Fatal("the call did not end")
	}
	_, err = render(t.Context(), old)
	require.True(t, errors.Is(err, runtime.ErrClosed))
}

// A call that is put back allocates next to nothing: the caller's memory takes the answer.
func TestCallsAllocateLittle(t *testing.T) {
	for _, guest := range benchGuests {
		bench := guest.make(t, 1000)
		r := runtime.New(wazero.New(wazero.Config{}), runtime.Options{Limits: unhurried}) // the bindings of wasmtime allocate
		defer func() { require.NoError(t, r.Close(context.Background())) }()
		g := load(t, r, bench.file)
		var answer []byte
		call := func() {
			var err error
			answer, err = g.AppendCall(context.Background(), answer[:0], bench.call)
			require.NoError(t, err)
		}
		call()
		var before, after goruntime.MemStats
		const calls = 200
		goruntime.ReadMemStats(&before)
		for range calls {
			call()
		}
		goruntime.ReadMemStats(&after)
		assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/calls, uint64(1024), guest.name)
	}
}
