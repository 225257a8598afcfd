package hostile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// A stage is a host on which a hostile guest and a good one take their turns.
type stage struct {
	run    *run
	state  abi.State
	where  string
	limits runtime.Limits
	host   *host.Host
}

const (
	goodText = "all is well"
	// attackPrompt makes a request of more than 512 bytes, which is what guests attack at.
	attackPrompt = "attackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattack" +
		"attackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattack" +
		"attackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattack" +
		"attackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattack" +
		"attackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattack" +
		"attackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattackattack"
)

func (r *run) newStage(state abi.State, limits runtime.Limits, where string) *stage {
	s := &stage{run: r, state: state, where: where, limits: limits}
	s.host = host.Open(host.Options{Engine: r.engine(), Limits: limits, Remember: runtime.Remember{SessionBytes: -1},
		MemoryBudget: max(128<<20, 4*limits.MemoryBytes)})
	return s
}

func (s *stage) surprise(format string, args ...any) {
	s.run.surprise("%s: %s", s.where, fmt.Sprintf(format, args...))
}

func (s *stage) close(ctx context.Context) {
	for range 2 {
		if err := s.host.Close(ctx); err != nil {
			s.surprise("close: %v", err)
		}
	}
}

// floor is what a call may take on top of twice its budget, and maxLoad the time until a file is loaded or
// refused: a start may take 5 s.
const (
	Floor   = 50 * time.Millisecond
	maxLoad = 10*time.Second + Floor
)

// load loads the good guest and the hostile one, and reports whether the hostile one is there.
func (s *stage) load(ctx context.Context, file []byte) bool {
	good := wasmtest.Manifest()
	good.ID, good.Contributions[0].ID = "good", "good"
	answer := wasmtest.Text(goodText)
	if _, err := s.host.Load(ctx, "good.wasm", wasmtest.Guest(wasmtest.Module{Data: []wasmtest.Data{{Offset: 16, Bytes: answer}}},
		good, wasmtest.Answer(16, uint32(len(answer)))), runtime.GuestOptions{}); err != nil {
		s.surprise("the good guest: %v", err)
		return false
	}
	start, computed := time.Now(), cpuTime()
	_, err := s.host.Load(ctx, "hostile.wasm", file, runtime.GuestOptions{Grants: s.run.entry.grants()})
	took := min(time.Since(start), cpuTime()-computed)
	s.run.Load = max(s.run.Load, took)
	if took > maxLoad {
		s.run.measured("%s: it was loaded or refused after %s", s.where, took)
	}
	if t := s.turn(ctx, "a", ""); !t.good {
		s.surprise("the turn after it was loaded or refused has no text of the good guest")
	}
	if err != nil {
		s.judge(Refused, err)
	} else if s.run.entry.Outcome == Refused {
		s.surprise("it is loaded")
		return false
	}
	return err == nil
}

// A turnResult is what became of the hostile guest in a turn, and whether the good one was heard.
type turnResult struct {
	text      string
	err       error
	fuel      uint64
	wall, cpu time.Duration
	good      bool
}

func (s *stage) turn(ctx context.Context, session, prompt string) turnResult {
	start, computed := time.Now(), cpuTime()
	e, err := s.host.Session(session).Capture(ctx, envelope.Request{Prompt: &prompt, CWD: "/"})
	t := turnResult{wall: time.Since(start), cpu: cpuTime() - computed, err: err}
	if err != nil {
		return t
	}
	for _, o := range e.Report.Contributions {
		if o.ID == "good" {
			t.good = o.Included
		} else {
			t.err, t.fuel = o.Err, o.Fuel
		}
	}
	for _, m := range e.DeveloperMessages {
		if m.ID == s.run.entry.Name {
			t.text = m.Content
		}
	}
	return t
}

// attack makes a turn in which the guest attacks, and returns its text.
func (s *stage) attack(ctx context.Context, session string) string {
	t := s.turn(ctx, session, attackPrompt)
	s.run.Fuel, s.run.CPU, s.run.Wall = max(s.run.Fuel, t.fuel), max(s.run.CPU, t.cpu), max(s.run.Wall, t.wall)
	s.timed(t)
	if !t.good {
		s.surprise("the turn with its attack has no text of the good guest")
	}
	switch {
	case t.err != nil:
		s.judge(Fails, t.err)
	case s.run.entry.Outcome == Fails:
		s.surprise("its attack works: it answers %q", t.text)
	default:
		s.run.Outcome = s.run.entry.Outcome
	}
	return t.text
}

// peace makes a turn in which the guest does no harm.
func (s *stage) peace(ctx context.Context, session string) {
	if s.run.entry.Outcome == Any {
		return
	}
	if t := s.turn(ctx, session, ""); t.err != nil || t.text == "" || !t.good {
		s.surprise("the turn after its attack: it answers %q with error %v, the good guest is heard: %t", t.text, t.err, t.good)
	}
}

// judge compares an error with the table.
func (s *stage) judge(outcome Outcome, err error) {
	r, want := s.run, s.run.entry
	e := (*runtime.Error)(nil)
	if !errors.As(err, &e) {
		s.surprise("it is no *runtime.Error: %v", err)
		return
	}
	if want.Outcome == Any {
		r.Outcome = Any
		return
	}
	r.Outcome, r.Kind = outcome, e.Kind
	if e.Kind == runtime.KindTimeout { // the table has none of these, but a busy machine may
		r.measured("%s: it ran out of time: %v", s.where, e)
		return
	}
	if outcome != want.Outcome || e.Kind != want.Kind {
		s.surprise("%s with kind %s, expected %s with kind %s: %v", outcome, e.Kind, want.Outcome, want.Kind, e)
	}
	for _, words := range want.Reason {
		if !strings.Contains(e.Reason, words) {
			s.surprise("the reason has no %q: %s", words, e.Reason)
		}
	}
	// What is refused before its manifest is read has the name of the file.
	if e.Guest != "hostile/"+want.Name+"@1.0.0" && !(outcome == Refused && e.Guest == "hostile.wasm") {
		s.surprise("the error does not name the guest: %v", e)
	}
}

// timed compares what a call took with its budget.
func (s *stage) timed(t turnResult) {
	if most := 2*s.limits.Time + Floor; t.wall > most {
		s.run.measured("%s: the call took %s, at most %s are allowed", s.where, t.wall, most)
	}
	if most := time.Duration(s.run.nsPerUnit()*s.limits.Fuel) + Floor; t.cpu > most {
		s.run.measured("%s: the call computed for %s, at most %s are allowed", s.where, t.cpu, most)
	}
}

func (r *run) nsPerUnit() uint64 {
	if r.Engine == "wasmtime" {
		return max(r.entry.NsPerUnit, r.entry.OnWasmtime)
	}
	return r.entry.NsPerUnit
}

// grants are the capabilities that the host gives the guest.
func (e *Entry) grants() []string {
	var grants []string
	for _, name := range runtime.Grantable() {
		for _, asked := range e.Capabilities {
			if asked == name {
				grants = append(grants, name)
			}
		}
	}
	return grants
}
