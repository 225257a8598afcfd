package hostile

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// The guests of these tests keep a secret in everything that they can change, and answer everything that
// they can see: memory, globals, tables, segments, time, random numbers, descriptors, their store. So no
// look for the secret is needed: what a session sees has to be, byte for byte, what it sees on a host on
// which there never was another one.

// hoarders are the guests. Instances of the first are put back by copying, each call of the second needs a
// new one.
var hoarders = []string{"hoarder", "hoarder-tables"}

// hoarder returns the file of one of them.
func hoarder(t testing.TB, name, id string, state abi.State) []byte {
	t.Helper()
	c := open(t)
	for _, e := range c.Guests {
		if e.Name != name {
			continue
		}
		file, err := os.ReadFile(c.Path(&e, ".wasm"))
		require.NoError(t, err)
		m := e.Manifest()
		m.State, m.ID = state, id
		file, err = guestbuild.Attach(file, m)
		require.NoError(t, err)
		return file
	}
	t.Fatalf("there is no %s in the table", name)
	return nil
}

// A stand is a runtime with a hoarder.
type stand struct {
	runtime *runtime.Runtime
	guest   *runtime.Guest
	logs    *recorder
}

func newStand(t testing.TB, file []byte, opts runtime.Options, grants ...string) *stand {
	t.Helper()
	s := &stand{logs: &recorder{}}
	opts.Logger = slog.New(s.logs)
	opts.Limits.Fuel, opts.Limits.Time = 2_000_000, time.Minute
	s.runtime = runtime.New(enginetest.New(), opts)
	t.Cleanup(func() { require.NoError(t, s.runtime.Close(context.Background())) })
	s.guest = s.load(t, file, grants...)
	return s
}

func (s *stand) load(t testing.TB, file []byte, grants ...string) *runtime.Guest {
	t.Helper()
	g, err := s.runtime.Load(t.Context(), "hoarder", file, runtime.GuestOptions{Source: "test", Grants: grants, Config: map[string]string{"key": "value"}})
	require.NoError(t, err)
	return g
}

// keep hands a secret to a session. Offer keeps those that fail out of each other's quarantine.
func keep(t testing.TB, g *runtime.Guest, how byte, session string, secret []byte) {
	t.Helper()
	call := runtime.Call{Op: abi.RenderV1, Session: session, Offer: fmt.Sprintf("%x", secret[:8]), Request: append([]byte{how}, secret...)}
	_, err := g.Call(t.Context(), call)
	switch how {
	case 'p', 'x':
		assert.True(t, isKind(err, runtime.KindTrap), err)
	case 'l':
		assert.True(t, isKind(err, runtime.KindFuel), err)
	default:
		assert.NoError(t, err)
	}
}

// sees returns all that a session sees.
func sees(t testing.TB, g *runtime.Guest, session string) []byte {
	t.Helper()
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: session, Request: []byte("d")})
	require.NoError(t, err)
	seen, err := abi.Bytes(value)
	require.NoError(t, err)
	return seen
}

func secretOf(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 3))
	secret := make([]byte, 64)
	for i := range secret {
		secret[i] = byte(1 + r.IntN(254))
	}
	return secret
}

var ways = []byte("hgplx")

// equal compares without printing hundreds of kilobytes.
func equal(t testing.TB, want, got []byte, what string, args ...any) {
	t.Helper()
	if bytes.Equal(want, got) {
		return
	}
	at := 0
	for at < min(len(want), len(got)) && want[at] == got[at] {
		at++
	}
	t.Errorf("%s: %d bytes instead of %d; the first difference is at %d", fmt.Sprintf(what, args...), len(got), len(want), at)
}

// forEachHoarder runs a test for each kind of guest, state and grant.
func forEachHoarder(t *testing.T, test func(t *testing.T, file []byte, state abi.State, grants []string)) {
	for _, name := range hoarders {
		for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
			for _, grants := range [][]string{nil, {abi.CapabilityKV}} {
				t.Run(fmt.Sprintf("%s/%s/%v", name, state, grants), func(t *testing.T) {
					test(t, hoarder(t, name, "hoarder", state), state, grants)
				})
			}
		}
	}
}

// baseline is what a session sees where there never was another one.
func baseline(t testing.TB, file []byte, grants ...string) []byte {
	s := newStand(t, file, runtime.Options{})
	s.logs.take()
	g := s.load(t, file, grants...)
	seen := sees(t, g, "first")
	assert.Empty(t, s.logs.take())
	return seen
}

// The guests are what the tests need: they see what they have kept.
func TestHoardersSeeTheirOwnSecret(t *testing.T) {
	for _, name := range hoarders {
		file := hoarder(t, name, "hoarder", abi.StateSession)
		s := newStand(t, file, runtime.Options{}, abi.CapabilityKV)
		secret := secretOf(1)
		keep(t, s.guest, 'h', "a", secret)
		if name == "hoarder-tables" { // it cannot answer any more: its segment is gone
			_, err := s.guest.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: "a", Request: []byte("d")})
			assert.True(t, isKind(err, runtime.KindTrap), err)
			continue
		}
		seen := sees(t, s.guest, "a")
		assert.Greater(t, bytes.Count(seen, secret), 60, "in memory and in the store")
		for at := 96 - 7; at < 96-7+160; at += 16 { // the globals
			assert.True(t, bytes.Contains(secret, seen[at:at+4]), "at %d", at)
		}
		assert.Contains(t, s.logs.take(), string(bytes.ToValidUTF8(secret, []byte("\uFFFD"))))
		clean := baseline(t, file, abi.CapabilityKV)
		for _, at := range []int{264, 280, 296} { // time, random numbers, descriptors
			assert.NotEqual(t, clean[at-7:at], seen[at-7:at], "before %d", at)
		}
	}
}

// Nothing of session A is in session B, however A ended.
func TestIsolation(t *testing.T) {
	forEachHoarder(t, func(t *testing.T, file []byte, state abi.State, grants []string) {
		want := baseline(t, file, grants...)
		s := newStand(t, file, runtime.Options{Remember: runtime.Remember{SessionBytes: -1}}, grants...)
		for n := range uint64(3) {
			for i, how := range ways {
				seed := n*10 + uint64(i)
				keep(t, s.guest, how, "a", secretOf(seed))
				s.logs.take()
				equal(t, want, sees(t, s.guest, fmt.Sprintf("b%d", seed)), "after %c", how)
				assert.Empty(t, s.logs.take(), "a line of A comes out in B")
				if state == abi.StateNone && len(grants) == 0 {
					equal(t, want, sees(t, s.guest, "a"), "the same session after %c", how)
				}
				s.runtime.EndSession(t.Context(), "a")
				equal(t, want, sees(t, s.guest, "a"), "a session of the same name after %c", how)
				s.runtime.EndSession(t.Context(), "a")
			}
		}
	})
}

// Nor where instances give way for lack of memory, and others get what they had.
func TestIsolationUnderPressure(t *testing.T) {
	forEachHoarder(t, func(t *testing.T, file []byte, state abi.State, grants []string) {
		want := baseline(t, file, grants...)
		s := newStand(t, file, runtime.Options{MemoryBudget: 2 << 20}, grants...)
		for seed := range uint64(40) {
			keep(t, s.guest, ways[seed%2], fmt.Sprintf("a%d", seed), secretOf(seed))
			equal(t, want, sees(t, s.guest, fmt.Sprintf("b%d", seed)), "session %d", seed)
		}
		if state == abi.StateSession && len(grants) == 0 { // the first has given way by now
			equal(t, want, sees(t, s.guest, "a0"), "a session that gave way")
		}
	})
}

// Nor in another guest on the same host, which may get the memory of one that was closed.
func TestIsolationOfGuests(t *testing.T) {
	for _, name := range hoarders {
		first, second := hoarder(t, name, "first", abi.StateNone), hoarder(t, name, "second", abi.StateNone)
		want := baseline(t, second)
		s := newStand(t, first, runtime.Options{})
		for seed := range uint64(5) {
			keep(t, s.guest, ways[seed%2], "a", secretOf(seed))
			require.NoError(t, s.guest.Close(t.Context()))
			other := s.load(t, second)
			s.logs.take()
			equal(t, want, sees(t, other, "a"), "round %d of %s", seed, name)
			assert.Empty(t, s.logs.take())
			require.NoError(t, other.Close(t.Context()))
			s.guest = s.load(t, first)
		}
	}
}

// Nor when all of that happens at the same time.
func TestIsolationAtTheSameTime(t *testing.T) {
	forEachHoarder(t, func(t *testing.T, file []byte, state abi.State, grants []string) {
		want := baseline(t, file, grants...)
		s := newStand(t, file, runtime.Options{MemoryBudget: 6 << 20}, grants...)
		var sessions sync.WaitGroup
		for worker := range uint64(4) {
			sessions.Go(func() {
				for n := range uint64(20) {
					seed := worker*100 + n
					if worker%2 == 0 {
						keep(t, s.guest, ways[seed%2], fmt.Sprintf("a%d", seed), secretOf(seed))
					} else if seen, err := s.guest.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Session: fmt.Sprintf("b%d", seed), Request: []byte("d")}); assert.NoError(t, err) {
						seen, err := abi.Bytes(seen)
						assert.NoError(t, err)
						equal(t, want, seen, "session b%d", seed)
					}
				}
			})
		}
		sessions.Wait()
	})
}

// A recorder keeps what guests log.
type recorder struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *recorder) Enabled(context.Context, slog.Level) bool { return true }
func (r *recorder) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *recorder) WithGroup(string) slog.Handler            { return r }

func (r *recorder) Handle(_ context.Context, record slog.Record) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.WriteString(record.Message)
	return nil
}

// take returns what was logged since the last time.
func (r *recorder) take() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.text.Reset()
	return r.text.String()
}
