package runtime_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// remembering returns a runtime with a memory of answers.
func remembering(t testing.TB) *runtime.Runtime {
	t.Helper()
	return newRuntime(t, runtime.Options{Remember: runtime.Remember{SessionBytes: 1 << 20}})
}

// mirror answers its request, of 256 to 65535 bytes, as a byte string.
func mirror(m *abi.Manifest) []byte {
	const at = wasmtest.RequestAt - 5 // [1, byte string of two length bytes] in front of the request
	length := func(shift int32) []byte {
		return wasmtest.Code(wasmtest.LocalGet(1), wasmtest.I32Const(shift), 0x76) // i32.shr_u
	}
	return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: at, Bytes: []byte{0x82, 0x01, 0x59}}}}, m, wasmtest.Code(
		wasmtest.I32Const(at+3), length(8), wasmtest.I32Store8(),
		wasmtest.I32Const(at+4), length(0), wasmtest.I32Store8(),
		wasmtest.LocalGet(1), wasmtest.I32Const(5), wasmtest.I32Add, 0xad, // i64.extend_i32_u
		wasmtest.I64Const(int64(at)<<32), 0x84, // i64.or
	))
}

// ask makes a call and returns its value and whether it was remembered.
func ask(t testing.TB, g *runtime.Guest, c runtime.Call) (value []byte, remembered bool, err error) {
	t.Helper()
	var u runtime.Usage
	c.Op = abi.RenderV1
	value, err = g.Call(runtime.WithUsage(t.Context(), &u), c)
	require.Equal(t, 1, u.Calls)
	if u.Remembered > 0 {
		require.Zero(t, u.Fuel, "nothing ran")
		require.NoError(t, err, "errors are not remembered")
	}
	if recalled, ok := g.Recall(c); ok {
		require.NoError(t, err)
		require.Equal(t, string(value), recalled)
	}
	return value, u.Remembered == 1, err
}

func request(i int) []byte { return fmt.Appendf(nil, "%0300d", i) }

func TestAnswersAreRememberedWithinASession(t *testing.T) {
	g := load(t, remembering(t), mirror(wasmtest.Manifest()))
	first := runtime.Call{Session: "s", Request: request(1)}
	_, ok := g.Recall(first)
	assert.False(t, ok)
	for i, test := range []struct {
		call runtime.Call
		want bool
	}{
		{first, false},
		{first, true},
		{runtime.Call{Session: "s", Request: request(2)}, false},
		{runtime.Call{Session: "t", Request: request(1)}, false},
		{runtime.Call{Session: "t", Request: request(1), Offer: "another"}, true}, // the request says which offer is meant
		{first, true},
		{runtime.Call{Request: request(1)}, false},
		{runtime.Call{Request: request(1)}, false}, // no session, no memory
		{runtime.Call{Session: "s", Request: request(1), PayloadBytes: 1}, false},
		{runtime.Call{Session: "s", Request: request(3), PayloadBytes: 1}, false},
		{runtime.Call{Session: "s", Request: request(3), PayloadBytes: 1}, false},
		{runtime.Call{Session: "s", Request: request(3)}, false},
	} {
		value, remembered, err := ask(t, g, test.call)
		require.NoError(t, err)
		content, err := abi.Bytes(value)
		require.NoError(t, err)
		assert.Equal(t, test.call.Request, content)
		assert.Equal(t, test.want, remembered, i)
	}

	value, _, err := ask(t, g, first)
	require.NoError(t, err)
	clear(value)
	again, remembered, err := ask(t, g, first)
	require.NoError(t, err)
	assert.True(t, remembered)
	assert.NotEqual(t, value, again, "the value belongs to the caller")
	onto, err := g.AppendCall(t.Context(), []byte("onto"), runtime.Call{Op: abi.RenderV1, Session: "s", Request: request(1)})
	require.NoError(t, err)
	assert.Equal(t, "onto"+string(again), string(onto))
}

// A request in two parts is the same request, and no other one.
func TestRequestsInTwoParts(t *testing.T) {
	g := load(t, remembering(t), mirror(wasmtest.Manifest()))
	whole := request(1)
	for _, cut := range []int{0, 1, 150, 299, 300} {
		for range 2 {
			value, _, err := ask(t, g, runtime.Call{Session: "s", Request: whole[:cut], Shared: runtime.Share(whole[cut:])})
			require.NoError(t, err)
			content, err := abi.Bytes(value)
			require.NoError(t, err)
			assert.Equal(t, whole, content)
		}
	}
	shared := runtime.Share(request(2))
	for i := range 3 {
		value, remembered, err := ask(t, g, runtime.Call{Session: "s", Request: request(i), Shared: shared})
		require.NoError(t, err)
		content, err := abi.Bytes(value)
		require.NoError(t, err)
		assert.False(t, remembered)
		assert.Equal(t, string(request(i))+string(request(2)), string(content))
	}
}

func TestOnlyPureGuestsAreRemembered(t *testing.T) {
	asks := func(names ...string) *abi.Manifest {
		m := wasmtest.Manifest()
		for _, name := range names {
			m.Capabilities = append(m.Capabilities, abi.Capability{Name: name, Reason: "r"})
		}
		return m
	}
	session := wasmtest.Manifest()
	session.State = abi.StateSession
	everything := []string{abi.CapabilityClock, abi.CapabilityRandom, abi.CapabilityKV}
	for name, test := range map[string]struct {
		manifest *abi.Manifest
		grants   []string
		want     bool
	}{
		"none":                 {asks(), everything, true},
		"log":                  {asks(abi.CapabilityLog), nil, true},
		"asked, not granted":   {asks(everything...), nil, true},
		"clock":                {asks(abi.CapabilityClock), everything, false},
		"random":               {asks(abi.CapabilityRandom), everything, false},
		"kv":                   {asks(abi.CapabilityKV), everything, false},
		"granted by the dozen": {asks(everything...), everything, false},
		"session state":        {session, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			g, err := remembering(t).Load(t.Context(), "g.wasm", mirror(test.manifest), runtime.GuestOptions{Grants: test.grants})
			require.NoError(t, err)
			for i := range 2 {
				_, remembered, err := ask(t, g, runtime.Call{Session: "s", Request: request(1)})
				require.NoError(t, err)
				assert.Equal(t, test.want && i > 0, remembered)
			}
		})
	}
}

func TestErrorsAreNotRemembered(t *testing.T) {
	failing, err := abi.EncodeAnswer(nil, &abi.Failure{Code: "c", Message: "m"})
	require.NoError(t, err)
	says := func(answer []byte) []byte {
		return wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, wasmtest.Manifest(), wasmtest.Answer(16, uint32(len(answer))))
	}
	for kind, file := range map[runtime.Kind][]byte{
		runtime.KindTrap:           wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Unreachable)),
		runtime.KindFailed:         says(failing),
		runtime.KindAnswerTooLarge: wasmtest.Guest(wasmtest.Module{}, wasmtest.Manifest(), wasmtest.Answer(0, 2<<20)),
		runtime.KindBadAnswer:      says([]byte{0x82, 0x01, 0x01}), // a number, see below
	} {
		t.Run(string(kind), func(t *testing.T) {
			g := load(t, remembering(t), file)
			for range 2 {
				_, remembered, err := ask(t, g, runtime.Call{Session: "s", Request: request(1), Check: abi.CheckText})
				var failed *runtime.Error
				require.ErrorAs(t, err, &failed)
				assert.Equal(t, kind, failed.Kind)
				assert.False(t, remembered)
			}
		})
	}
}

func TestNothingIsAnAnswerToo(t *testing.T) {
	g := load(t, remembering(t), wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: []byte{0x81, 0}}}},
		wasmtest.Manifest(), wasmtest.Answer(16, 2)))
	for i := range 2 {
		value, remembered, err := ask(t, g, runtime.Call{Session: "s", Request: request(1), Check: func([]byte) error {
			return fmt.Errorf("there is nothing to check")
		}})
		require.NoError(t, err)
		assert.Nil(t, value)
		assert.Equal(t, i > 0, remembered)
	}
}

// Quarantine is about calls that run: it does not keep a remembered answer back, nor does one end it.
func TestRememberedAnswersLeaveQuarantineAlone(t *testing.T) {
	answer := wasmtest.Text("fine")
	g := load(t, remembering(t), wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, wasmtest.Manifest(),
		wasmtest.Code(wasmtest.I32Const(wasmtest.RequestAt), wasmtest.I32Load8(), wasmtest.If(wasmtest.Unreachable), wasmtest.Answer(16, uint32(len(answer))))))
	good, bad := runtime.Call{Session: "s", Request: []byte{0}}, runtime.Call{Session: "s", Request: []byte{1}}
	_, _, err := ask(t, g, good)
	require.NoError(t, err)
	var failed *runtime.Error
	for range 3 {
		_, _, err = ask(t, g, bad)
		require.ErrorAs(t, err, &failed)
		require.Equal(t, runtime.KindTrap, failed.Kind)
	}
	_, remembered, err := ask(t, g, good)
	require.NoError(t, err)
	assert.True(t, remembered)
	_, err = g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: "t", Request: []byte{0}})
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, runtime.KindQuarantined, failed.Kind)
}

func TestForgetting(t *testing.T) {
	r := remembering(t)
	a, b := load(t, r, mirror(wasmtest.Manifest())), load(t, r, mirror(wasmtest.Manifest()))
	call := func(session string) runtime.Call {
		return runtime.Call{Op: abi.RenderV1, Session: session, Request: request(1)}
	}
	for _, g := range []*runtime.Guest{a, b} {
		for _, session := range []string{"s", "t", "u"} {
			_, remembered, err := ask(t, g, call(session))
			require.NoError(t, err)
			assert.False(t, remembered, "guests of one file are two")
		}
	}
	known := func(g *runtime.Guest) (sessions string) {
		for _, session := range []string{"s", "t", "u"} {
			if _, ok := g.Recall(call(session)); ok {
				sessions += session
			}
		}
		return sessions
	}
	require.Equal(t, "stu", known(a))
	r.EndSession(t.Context(), "s")
	assert.Equal(t, "tu", known(a))
	assert.Equal(t, "tu", known(b))
	a.EndSession(t.Context(), "t")
	assert.Equal(t, "u", known(a))
	assert.Equal(t, "tu", known(b))
	require.NoError(t, a.Close(t.Context()))
	assert.Empty(t, known(a))
	_, err := a.Call(t.Context(), call("u"))
	var failed *runtime.Error
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, runtime.KindClosed, failed.Kind)
	assert.Equal(t, "tu", known(b))
}

// Sessions end and guests close while others ask.
func TestRememberingUnderFire(t *testing.T) {
	r := newRuntime(t, runtime.Options{Remember: runtime.Remember{SessionBytes: 20_000}})
	stays := load(t, r, mirror(wasmtest.Manifest()))
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for i := range 200 {
				c := runtime.Call{Op: abi.RenderV1, Session: fmt.Sprint("s", i%3), Request: request(i % 40)}
				value, err := stays.Call(context.Background(), c)
				content, wrong := abi.Bytes(value)
				if !assert.NoError(t, err) || !assert.NoError(t, wrong) || !assert.Equal(t, c.Request, content) {
					return
				}
				if (i+worker)%20 == 0 {
					r.EndSession(context.Background(), c.Session)
				}
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			g, err := r.Load(context.Background(), "g.wasm", mirror(wasmtest.Manifest()), runtime.GuestOptions{})
			if !assert.NoError(t, err) {
				return
			}
			_, err = g.Call(context.Background(), runtime.Call{Op: abi.RenderV1, Session: "s1", Request: request(1)})
			assert.NoError(t, err)
			assert.NoError(t, g.Close(context.Background()))
			_, ok := g.Recall(runtime.Call{Op: abi.RenderV1, Session: "s1", Request: request(1)})
			assert.False(t, ok)
		}
	})
	wg.Wait()
}

// How much memory the host has to give is not in the request.
func TestRunsThatWereRefusedMemoryAreNotRemembered(t *testing.T) {
	answer := wasmtest.Text("with what there was")
	for pages, want := range map[int32]bool{1: true, 100: false} {
		m := wasmtest.Manifest()
		m.Limits.MemoryBytes = 32 << 16
		g := load(t, remembering(t), wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}}, m,
			wasmtest.Code(wasmtest.I32Const(pages), wasmtest.MemoryGrow(), wasmtest.Drop, wasmtest.Answer(16, uint32(len(answer))))))
		for i := range 2 {
			_, remembered, err := ask(t, g, runtime.Call{Session: "s", Request: request(1)})
			require.NoError(t, err)
			assert.Equal(t, want && i > 0, remembered, pages)
		}
	}
}

// A guest that waits to be closed forgets an ended session like the others.
func TestForgettingOfAGuestThatIsClosing(t *testing.T) {
	r := remembering(t)
	g := load(t, r, mirror(wasmtest.Manifest()))
	call := runtime.Call{Op: abi.RenderV1, Session: "s", Request: request(1)}
	_, _, err := ask(t, g, call)
	require.NoError(t, err)
	require.True(t, g.Hold())
	closed := make(chan error)
	go func() { closed <- g.Close(context.Background()) }()
	for g.Hold() {
		g.Release()
	}
	_, ok := g.Recall(call)
	assert.True(t, ok, "the turn that holds it goes on")
	r.EndSession(t.Context(), "s")
	_, ok = g.Recall(call)
	assert.False(t, ok)
	g.Release()
	require.NoError(t, <-closed)
}
