package session

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// crashEnv holds the orders of a process that is started to be killed (see TestCrash).
const crashEnv = "PINTLE_SESSION_CRASH"

// orders say what such a process does until it is killed.
type orders struct {
	// Root is a folder of sessions. ID is the session that the process goes on with, or makes.
	Root, ID string
	// Fresh says that it makes one session after another, with ids that begin with ID.
	Fresh bool
	// Path, if not empty, is the file of the session.
	Path string
	Seed uint64
}

func TestMain(m *testing.M) {
	if given := os.Getenv(crashEnv); given != "" {
		var o orders
		err := json.Unmarshal([]byte(given), &o)
		if err == nil {
			err = o.follow()
		}
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(3)
	}
	os.Exit(m.Run())
}

// follow returns with an error alone: otherwise it goes on until the process is killed.
func (o *orders) follow() error {
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	fmt.Println("ready")
	for n := 0; o.Fresh; n++ {
		s, err := Create(context.Background(), NewDir(o.Root), Header{ID: fmt.Sprintf("%s-%d", o.ID, n)}, Options{})
		if err != nil {
			return err
		}
		if err := writeTurns(s, rng, 1+rng.IntN(2)); err != nil {
			return err
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	s, err := o.open()
	if err != nil {
		return err
	}
	return writeTurns(s, rng, -1)
}

func (o *orders) open() (*Session, error) {
	if o.Path != "" {
		l, err := OpenFile(context.Background(), o.Path)
		if err != nil {
			return nil, err
		}
		s, _, err := Take(context.Background(), l, Options{})
		return s, err
	}
	store := NewDir(o.Root)
	s, _, err := Open(context.Background(), store, o.ID, Options{})
	if errors.Is(err, ErrNotFound) {
		return Create(context.Background(), store, Header{ID: o.ID}, Options{})
	}
	return s, err
}

// writeTurns appends whole turns, n of them or without end, in batches of every size.
func writeTurns(s *Session, rng *rand.Rand, n int) error {
	for ; n != 0; n-- {
		for left := turnEvents(s.State().Next(), rng); len(left) > 0; {
			batch := left[:min(len(left), 1+rng.IntN(12))]
			left = left[len(batch):]
			if err := appendAndTell(s, batch); err != nil {
				return err
			}
			if rng.IntN(8) == 0 {
				if err := s.Sync(context.Background()); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// appendAndTell tells what has been acknowledged, after it has been, in one write.
func appendAndTell(s *Session, batch []Event) error {
	first, err := s.Append(context.Background(), batch...)
	if err != nil {
		return err
	}
	h := s.Header()
	var told strings.Builder
	for i := range batch {
		batch[i].Seq = first + int64(i)
		fmt.Fprintf(&told, "%s %d %x\n", h.ID, batch[i].Seq, sum(&batch[i]))
	}
	_, err = os.Stdout.WriteString(told.String())
	return err
}

func sum(e *Event) uint64 {
	h := sha256.Sum256(e.AppendJSON(nil))
	return binary.BigEndian.Uint64(h[:])
}

// turnEvents makes the events of one turn. Some are larger than what a file takes in one go.
func turnEvents(turn int64, rng *rand.Rand) []Event {
	text := func() string {
		if rng.IntN(60) == 0 {
			return strings.Repeat("posted €12,50 ", 5000)
		}
		return fmt.Sprintf("text %d", rng.Uint64())
	}
	event := func(kind string, op json.RawMessage, format string, args ...any) Event {
		return Event{
			Type: kind, Time: 1_700_000_000_000 + rng.Int64N(1000), SurfaceOp: op, Data: fmt.Appendf(nil, format, args...),
		}
	}
	events := []Event{
		event(TurnStart, nil, `{"turn":%d}`, turn),
		event(StepStart, nil, `{"turn":%d,"step":1}`, turn),
		event(UserMessage, AtEnd(), `{"id":"u%d","role":"user","content":[{"type":"text","text":%q}],"source":{"kind":"user"}}`,
			turn, text()),
	}
	for range rng.IntN(30) {
		events = append(events, event(AssistantChunk, nil,
			`{"turn":%d,"step":1,"chunk":{"type":"text-delta","index":0,"text":%q}}`, turn, text()))
	}
	return append(events,
		event(AssistantMessage, AtEnd(),
			`{"turn":%d,"step":1,"message":{"id":"m%d","role":"assistant","content":[{"type":"text","text":%q}],`+
				`"source":{"kind":"model","provider":"p","model":"m"}}}`, turn, turn, text()),
		event(StepEnd, nil, `{"turn":%d,"step":1}`, turn),
		event(TurnEnd, nil, `{"turn":%d,"reason":{"kind":"completed"}}`, turn),
	)
}
