package hostile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Result is what became of an entry on an engine. Where it has several files or kinds of state it is the
// worst of all.
type Result struct {
	Guest   string       `json:"guest"`
	Engine  string       `json:"engine"`
	Outcome Outcome      `json:"outcome"`
	Kind    runtime.Kind `json:"kind,omitempty"`
	// Files is how many files were run, each with and without session state.
	Files int `json:"files"`
	// Fuel, CPU and Wall are those of the dearest call, Load is the longest time until a file was loaded or
	// refused. Stopped is how long a call took that ran into ShortTime.
	Fuel    uint64        `json:"fuel"`
	CPU     time.Duration `json:"cpuNs"`
	Wall    time.Duration `json:"wallNs"`
	Load    time.Duration `json:"loadNs"`
	Stopped time.Duration `json:"stoppedNs,omitempty"`
	// Heap and Resident are what Go's heap, and the process, grew by at most.
	Heap      uint64   `json:"heapBytes"`
	Resident  uint64   `json:"residentBytes"`
	Surprises []string `json:"surprises,omitempty"`
}

// An EngineMaker makes engines of one kind.
type EngineMaker func() runtime.Engine

// tries is how often an entry is run that is late or large and nothing else: others use the machine as
// well.
const tries = 3

// Run runs an entry and says what is not as the table has it.
func (c *Corpus) Run(ctx context.Context, engine EngineMaker, e *Entry) Result {
	for n := 1; ; n++ {
		r := c.once(ctx, engine, e)
		if n == tries || len(r.surprises) > 0 || len(r.noise) == 0 {
			r.Surprises = append(r.surprises, r.noise...)
			return r.Result
		}
	}
}

// A run is one pass over an entry.
type run struct {
	Result
	entry     *Entry
	fuel      uint64
	engine    EngineMaker
	surprises []string
	noise     []string // surprises in what a busy machine can be the cause of
}

func (r *run) surprise(format string, args ...any) { r.surprises = add(r.surprises, format, args) }
func (r *run) measured(format string, args ...any) { r.noise = add(r.noise, format, args) }

// maxSurprises is enough to know what is wrong.
const maxSurprises = 5

func add(list []string, format string, args []any) []string {
	if len(list) < maxSurprises {
		list = append(list, fmt.Sprintf(format, args...))
	}
	return list
}

func (c *Corpus) once(ctx context.Context, engine EngineMaker, e *Entry) *run {
	r := &run{entry: e, fuel: cmp.Or(e.Fuel, c.Fuel), engine: engine, Result: Result{Guest: e.Name, Engine: engineName(engine)}}
	before := goroutines()
	watch := watchMemory()
	if s := c.scenarios[e.Name]; s != nil {
		r.scenario(ctx, s)
	} else {
		for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
			variants, err := c.variants(e, state)
			if err != nil {
				r.surprise("%v", err)
				break
			}
			r.Files += len(variants)
			for _, v := range variants {
				r.file(ctx, state, v)
			}
			if len(variants) > 1 {
				break // many files are about what is read or answered, not about what is kept
			}
		}
	}
	r.Heap, r.Resident = watch.end()
	if most := e.HostMiB << 20; r.Resident > most || r.Heap > most {
		r.measured("the process grew by %d MiB, of them %d in the heap; at most %d are expected", r.Resident>>20, r.Heap>>20, e.HostMiB)
	}
	if n := leftOver(before, c.Patience); n > 0 {
		r.surprise("%d goroutines are left over", n)
	}
	return r
}

func engineName(engine EngineMaker) string {
	e := engine()
	defer func() { _ = e.Close(context.Background()) }()
	name, _, _ := strings.Cut(e.Name(), " ")
	return name
}

// DefaultPatience is long: what is left over never ends, and a busy machine may keep a goroutine for seconds.
const DefaultPatience = time.Minute

// leftOver waits until every goroutine that was not there before is gone, and returns how many are not. They
// are told apart by their numbers: one that ends meanwhile must not hide one that stays.
func leftOver(before map[string]bool, patience time.Duration) int {
	for tries := patience / (10 * time.Millisecond); ; tries-- {
		now := goroutines()
		maps.DeleteFunc(now, func(id string, _ bool) bool { return before[id] })
		if len(now) == 0 || tries == 0 {
			return len(now)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// goroutines returns the numbers of all goroutines that Go shows to a program, which are not its own.
func goroutines() map[string]bool {
	buf := make([]byte, 64<<10)
	for {
		n := goruntime.Stack(buf, true)
		if n < len(buf) {
			buf = buf[:n]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	ids := map[string]bool{}
	for line := range bytes.Lines(buf) {
		if rest, ok := bytes.CutPrefix(line, []byte("goroutine ")); ok {
			if id, _, ok := bytes.Cut(rest, []byte(" [")); ok {
				ids[string(id)] = true
			}
		}
	}
	return ids
}

// file runs one file with a kind of state.
func (r *run) file(ctx context.Context, state abi.State, v variant) {
	where := fmt.Sprintf("state %s", state)
	if v.name != "" {
		where = v.name + ", " + where
	}
	limits := runtime.Limits{Fuel: r.fuel, Time: DefaultTime, MemoryBytes: r.entry.MemoryMiB << 20}
	s := r.newStage(state, limits, where)
	s.play(ctx, v.file)
	s.close(ctx)
	if r.entry.Endless {
		limits.Fuel, limits.Time = 1<<50, ShortTime
		s := r.newStage(state, limits, where+", short time")
		s.late(ctx, v.file)
		s.close(ctx)
	}
}

// play loads the file and lets it attack, in turns of two sessions.
func (s *stage) play(ctx context.Context, file []byte) {
	if !s.load(ctx, file) {
		return
	}
	e := s.run.entry
	sessions := []string{"a", "b", "a"}
	if e.Always || e.Once && s.state == abi.StateSession {
		// Of those that always attack, the fourth failure in a row would be one of the quarantine.
		sessions = sessions[:2]
	}
	var texts []string
	for _, session := range sessions {
		texts = append(texts, s.attack(ctx, session))
		if !e.Always {
			s.peace(ctx, session)
		}
	}
	if s.state == abi.StateSession {
		texts = texts[:2] // a session goes on, so the third answer may be another one
	}
	if texts = slices.Compact(texts); e.Outcome == Works && len(texts) > 1 {
		s.surprise("it answers %q to the same question in other sessions and calls", texts)
	}
}

// late loads the file and lets it attack with fuel that does not end.
func (s *stage) late(ctx context.Context, file []byte) {
	if !s.load(ctx, file) {
		return
	}
	t := s.turn(ctx, "a", attackPrompt)
	s.run.Stopped = max(s.run.Stopped, t.wall)
	s.timed(t)
	if e := (*runtime.Error)(nil); !errors.As(t.err, &e) || e.Kind != runtime.KindTimeout {
		s.surprise("with a short time it ends with %v", t.err)
	}
}
