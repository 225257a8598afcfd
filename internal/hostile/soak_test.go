package hostile

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/guests/stock"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// soakTurns is what `make soak` raises to 200,000.
var soakTurns = flag.Int("turns", 3000, "turns of TestSoak")

// What may be there in the second half that was not in the first.
const (
	heapSlack       = 2 << 20
	residentSlack   = 24 << 20
	goroutineSlack  = 2
	descriptorSlack = 2
	mappingSlack    = 30
)

// openSessions is how many there are at a time, from the first turns on.
const openSessions = 20

// holdings are what a process can lose track of. Descriptors and mappings are 0 where they cannot be known.
type holdings struct {
	heap, resident                    uint64
	goroutines, descriptors, mappings int
}

func held() holdings {
	for range 2 { // the first finalizes, the second frees
		goruntime.GC()
	}
	debug.FreeOSMemory()
	h := holdings{heap: heapBytes(), resident: residentBytes(), goroutines: goruntime.NumGoroutine()}
	for range 10 { // some may be ending
		time.Sleep(5 * time.Millisecond)
		h.goroutines = min(h.goroutines, goruntime.NumGoroutine())
	}
	if list, err := os.ReadDir("/proc/self/fd"); err == nil {
		h.descriptors = len(list)
	}
	if text, err := os.ReadFile("/proc/self/maps"); err == nil {
		h.mappings = bytes.Count(text, []byte("\n"))
	}
	return h
}

func (h holdings) most(o holdings) holdings {
	return holdings{max(h.heap, o.heap), max(h.resident, o.resident), max(h.goroutines, o.goroutines),
		max(h.descriptors, o.descriptors), max(h.mappings, o.mappings)}
}

func (h holdings) String() string {
	return fmt.Sprintf("heap %.1f MiB, resident %.1f MiB, %d goroutines, %d descriptors, %d mappings",
		float64(h.heap)/(1<<20), float64(h.resident)/(1<<20), h.goroutines, h.descriptors, h.mappings)
}

// soakGuests are loaded for the whole soak. Most do harm now and then: when the prompt is long.
func soakGuests(t *testing.T) map[string][]byte {
	manifest := func(name string, state abi.State) *abi.Manifest {
		m := (&Entry{Name: name}).Manifest()
		m.State = state
		return m
	}
	log := wasmtest.Module{Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "log", Type: wasmtest.SigLog}}}
	trap := wasmtest.Code(wasmtest.Unreachable)
	table, err := os.ReadFile(corpusDir + "/keeps-in-table.wasm")
	require.NoError(t, err)
	return map[string][]byte{
		"good":            attacking(wasmtest.Module{}, manifest("good", abi.StateNone)),
		"session":         attacking(wasmtest.Module{}, manifest("session", abi.StateSession), wasmtest.I32Const(1), wasmtest.MemoryGrow(), wasmtest.Drop),
		"traps":           attacking(wasmtest.Module{}, manifest("traps", abi.StateNone), trap),
		"session-traps":   attacking(wasmtest.Module{}, manifest("session-traps", abi.StateSession), trap),
		"grows":           attacking(wasmtest.Module{}, manifest("grows", abi.StateNone), wasmtest.I32Const(20), wasmtest.MemoryGrow(), wasmtest.Drop),
		"never-ends":      attacking(wasmtest.Module{}, manifest("never-ends", abi.StateNone), forever()),
		"logs":            attacking(log, manifest("logs", abi.StateNone), wasmtest.I32Const(3), wasmtest.I32Const(0), wasmtest.I32Const(999), wasmtest.Call(0)),
		"remembers":       remembering("remembers", "1.0.0", abi.CapabilityKV),
		"needs-new-ones":  table,
		"answers-garbage": answering(manifest("answers-garbage", abi.StateNone), []byte{0xff}),
	}
}

// A soak takes turns on one host.
type soak struct {
	host    *host.Host
	guests  map[string][]byte
	entries map[string]*registry.Guest
	names   []string
	random  *rand.Rand
	open    []string // sessions
	failed  int
}

func newSoak(t *testing.T) *soak {
	s := &soak{guests: soakGuests(t), entries: map[string]*registry.Guest{}, random: rand.New(rand.NewPCG(1, 2))}
	s.host = host.Open(host.Options{Engine: enginetest.New(), Limits: runtime.Limits{Fuel: 20_000_000}, MemoryBudget: 64 << 20,
		// Little enough to be full soon.
		Remember: runtime.Remember{SessionBytes: 16 << 10, HostBytes: 256 << 10},
		Logger:   slog.New(slog.NewTextHandler(io.Discard, nil))})
	adapters, err := stock.Adapters()
	require.NoError(t, err)
	_, err = s.host.Load(t.Context(), stock.AdaptersName, adapters, runtime.GuestOptions{})
	require.NoError(t, err)
	for name, file := range s.guests {
		s.names = append(s.names, name)
		s.entries[name], err = s.host.Load(t.Context(), name, file, s.options(name))
		require.NoError(t, err, name)
	}
	slices.Sort(s.names)
	return s
}

func (s *soak) options(name string) runtime.GuestOptions {
	return runtime.GuestOptions{Source: name, Grants: []string{abi.CapabilityKV}}
}

// turn takes the turn with a number: in one of the open sessions, or a new one.
func (s *soak) turn(t *testing.T, n int) {
	if len(s.open) < openSessions || n%5 == 0 {
		s.open = append(s.open, fmt.Sprintf("session %d", n))
	}
	session := s.host.Session(s.open[s.random.IntN(len(s.open))])
	prompt, base := fmt.Sprintf("prompt %d", s.random.IntN(n+1)), "base"
	if n%16 == 0 {
		prompt = attackPrompt
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if n%64 == 7 {
		prompt = attackPrompt
		time.AfterFunc(time.Duration(s.random.IntN(2000))*time.Microsecond, cancel)
	}
	e, err := session.Capture(ctx, envelope.Request{CWD: "/", Provider: "openai", API: "openai-responses", Prompt: &prompt, SystemPrompt: &base})
	if ctx.Err() == nil {
		require.NoError(t, err)
		for _, o := range e.Report.Contributions {
			if o.Err != nil {
				s.failed++
			}
		}
	}
	if n%50 == 0 {
		body, err := json.Marshal(map[string]any{"instructions": base, "input": []any{map[string]any{"role": "user", "content": prompt}}})
		require.NoError(t, err)
		_, err = session.Adapt(t.Context(), "openai", "openai-responses", "m", body)
		require.NoError(t, err)
	}
	if len(s.open) > openSessions {
		at := s.random.IntN(len(s.open))
		s.host.Session(s.open[at]).End(t.Context())
		s.open = slices.Delete(s.open, at, at+1)
	}
	if n%300 == 299 {
		name := s.names[n/300%len(s.names)]
		require.NoError(t, s.host.Reload(t.Context(), s.entries[name], name, s.guests[name], s.options(name)), name)
	}
}

// Turns of many sessions, with guests that fail in all ways, ends and reloads, cost nothing that stays.
func TestSoak(t *testing.T) {
	before, running := held(), goroutines()
	s := newSoak(t)
	const samples = 20
	var halves [2]holdings
	for i := range samples {
		for n := range *soakTurns / samples {
			s.turn(t, i**soakTurns/samples+n)
		}
		now := held()
		t.Logf("%7d turns: %s", (i+1)**soakTurns/samples, now)
		if i > 0 { // behind the first sample everything has been used once
			half := i * 2 / samples
			halves[half] = halves[half].most(now)
		}
	}
	assert.Greater(t, s.failed, *soakTurns/32, "most turns with a long prompt have failures")
	first, second := halves[0], halves[1]
	assert.LessOrEqual(t, second.heap, first.heap+heapSlack, "heap")
	assert.LessOrEqual(t, second.resident, first.resident+residentSlack, "resident memory")
	assert.LessOrEqual(t, second.goroutines, first.goroutines+goroutineSlack, "goroutines")
	assert.LessOrEqual(t, second.descriptors, first.descriptors+descriptorSlack, "descriptors")
	assert.LessOrEqual(t, second.mappings, first.mappings+mappingSlack, "mappings")

	require.NoError(t, s.host.Close(t.Context()))
	s.host = nil
	assert.Zero(t, leftOver(running, DefaultPatience), "goroutines")
	after := held()
	t.Logf("before: %s", before)
	t.Logf(" after: %s", after)
	assert.LessOrEqual(t, after.descriptors, before.descriptors+descriptorSlack)
	assert.LessOrEqual(t, after.heap, before.heap+2*heapSlack)
}
