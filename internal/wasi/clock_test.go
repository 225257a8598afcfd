package wasi_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/wasi"
)

// Clock ids and where this test keeps things in memory.
const (
	realtime  = 0
	monotonic = 1

	timeAt  = 64
	subsAt  = 1 << 10
	eventAt = 40 << 10
	countAt = 72
)

func (w *world) now(id uint64) uint64 {
	w.t.Helper()
	require.EqualValues(w.t, success, w.call("clock_time_get", id, 1, timeAt))
	return w.mem.u64(timeAt)
}

func TestClock(t *testing.T) {
	w := newWorld(t, 0)
	start := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	assert.Equal(t, start.Add(1*time.Microsecond), time.Unix(0, int64(w.now(realtime))).UTC())
	assert.Equal(t, start.Add(2*time.Microsecond), time.Unix(0, int64(w.now(realtime))).UTC())
	for i, id := range []uint64{monotonic, 2, 3} {
		assert.Equal(t, uint64(3+i)*1000, w.now(id), "one clock behind all ids")
	}
	assert.EqualValues(t, inval, w.call("clock_time_get", 4, 1, timeAt))
	assert.EqualValues(t, fault, w.call("clock_time_get", realtime, 1, outside))
	for id := range uint64(4) {
		require.EqualValues(t, success, w.call("clock_res_get", id, timeAt))
		assert.Equal(t, uint64(1000), w.mem.u64(timeAt))
	}
	assert.EqualValues(t, inval, w.call("clock_res_get", 4, timeAt))
	assert.EqualValues(t, fault, w.call("clock_res_get", 0, outside))
}

// A sub is one subscription of poll_oneoff.
type sub struct {
	mark     uint64
	kind     byte // 0 clock, 1 read, 2 write
	id       uint32
	timeout  uint64
	absolute bool
}

// An event is one record that poll_oneoff wrote.
type event struct {
	mark uint64
	code uint16
	kind byte
}

func (w *world) poll(subs ...sub) (uint32, []event) {
	w.t.Helper()
	clear(w.mem[eventAt:])
	for i, s := range subs {
		at := subsAt + 48*i
		clear(w.mem[at : at+48])
		w.mem.put64(at, s.mark)
		w.mem[at+8] = s.kind
		w.mem.put32(at+16, s.id)
		w.mem.put64(at+24, s.timeout)
		if s.absolute {
			w.mem[at+40] = 1
		}
	}
	if code := w.call("poll_oneoff", subsAt, eventAt, uint64(len(subs)), countAt); code != success {
		return code, nil
	}
	var events []event
	for i := range int(w.mem.u32(countAt)) {
		at := eventAt + 32*i
		events = append(events, event{w.mem.u64(at), uint16(w.mem[at+8]) | uint16(w.mem[at+9])<<8, w.mem[at+10]})
	}
	return success, events
}

func TestSleepReturnsAtOnceAndMovesTheClock(t *testing.T) {
	w := newWorld(t, 0)
	before := w.now(monotonic)
	code, events := w.poll(sub{mark: 7, id: monotonic, timeout: uint64(time.Hour)})
	require.EqualValues(t, success, code)
	assert.Equal(t, []event{{7, success, 0}}, events)
	assert.Equal(t, before+uint64(time.Hour)+1000, w.now(monotonic))
}

func TestPollAnswersWhatIsDue(t *testing.T) {
	w := newWorld(t, 0)
	day := uint64(time.Date(2020, 1, 2, 0, 0, 0, 0, time.UTC).UnixNano())
	// The earliest wins; what is due at the same time comes along, in order.
	_, events := w.poll(
		sub{mark: 1, id: monotonic, timeout: 100},
		sub{mark: 2, id: monotonic, timeout: 50},
		sub{mark: 3, id: realtime, timeout: day, absolute: true},
		sub{mark: 4, id: 3, timeout: 50},
	)
	assert.Equal(t, []event{{2, success, 0}, {4, success, 0}}, events)
	_, events = w.poll(sub{mark: 3, id: realtime, timeout: day, absolute: true})
	assert.Equal(t, []event{{3, success, 0}}, events)
	assert.Equal(t, day+1000, w.now(realtime))
	// A time in the past is due, and does not turn the clock back.
	for _, id := range []uint32{realtime, monotonic} {
		_, events = w.poll(sub{mark: 5, id: id, timeout: 1, absolute: true})
		assert.Equal(t, []event{{5, success, 0}}, events)
	}
	assert.Equal(t, day+2000, w.now(realtime))
	// A time to come is one of the clock that is named.
	later := w.now(monotonic) + uint64(time.Hour)
	_, events = w.poll(sub{mark: 6, id: monotonic, timeout: later, absolute: true})
	assert.Equal(t, []event{{6, success, 0}}, events)
	assert.Equal(t, later+1000, w.now(monotonic))
}

func TestPollStreamsAreReady(t *testing.T) {
	w := newWorld(t, 0)
	require.EqualValues(t, success, w.call("fd_close", 2))
	before := w.now(monotonic)
	_, events := w.poll(
		sub{mark: 1, kind: 1, id: 0},
		sub{mark: 2, kind: 2, id: 1},
		sub{mark: 3, kind: 2, id: 2},
		sub{mark: 4, kind: 2, id: 9},
		sub{mark: 5, id: monotonic, timeout: uint64(time.Hour)},
		sub{mark: 6, id: monotonic, timeout: 0},
	)
	assert.Equal(t, []event{{1, success, 1}, {2, success, 2}, {3, badf, 2}, {4, badf, 2}, {6, success, 0}}, events)
	assert.Equal(t, before+1000, w.now(monotonic), "nobody waited for the hour")
}

func TestPollRefuses(t *testing.T) {
	w := newWorld(t, 0)
	poll := func(subs, events, n, count uint64) uint32 { return w.call("poll_oneoff", subs, events, n, count) }
	assert.EqualValues(t, inval, poll(subsAt, eventAt, 0, countAt), "nothing to wait for")
	assert.EqualValues(t, inval, poll(subsAt, eventAt, 1025, countAt), "too many")
	assert.EqualValues(t, inval, poll(subsAt, eventAt, 1<<32-1, countAt), "far too many")
	assert.EqualValues(t, fault, poll(pageBytes-47, eventAt, 1, countAt))
	assert.EqualValues(t, fault, poll(subsAt, pageBytes-31, 1, countAt))
	assert.EqualValues(t, fault, poll(subsAt, eventAt, 1, outside))
	code, _ := w.poll(sub{kind: 3})
	assert.EqualValues(t, inval, code, "no such event")
	code, _ = w.poll(sub{id: 4})
	assert.EqualValues(t, inval, code, "no such clock")
}

func TestPollMayOverwriteItsSubscriptions(t *testing.T) {
	w := newWorld(t, 0)
	for i := range 4 {
		w.mem.put64(subsAt+48*i, uint64(i))
		w.mem[subsAt+48*i+8] = 2
		w.mem.put32(subsAt+48*i+16, 1)
	}
	require.EqualValues(t, success, w.call("poll_oneoff", subsAt, subsAt, 4, countAt))
	require.Equal(t, uint32(4), w.mem.u32(countAt))
	for i := range 4 {
		assert.Equal(t, uint64(i), w.mem.u64(subsAt+32*i))
	}
}

// Whatever a guest sleeps for, time does not run backwards, and it can be read.
func TestTimeNeverRunsBackwards(t *testing.T) {
	w := newWorld(t, 0)
	timeouts := rapid.OneOf(rapid.Uint64(), rapid.SampledFrom([]uint64{0, 1, 1 << 62, 1<<63 - 1, 1 << 63, math.MaxUint64}))
	rapid.Check(t, func(rt *rapid.T) {
		w.system = wasi.NewSystem(wasi.Config{})
		var last [2]uint64
		for range rapid.IntRange(1, 5).Draw(rt, "sleeps") {
			s := sub{id: rapid.Uint32Range(0, 3).Draw(rt, "clock"), timeout: timeouts.Draw(rt, "timeout"), absolute: rapid.Bool().Draw(rt, "absolute")}
			code, events := w.poll(s)
			if code != success || len(events) != 1 {
				rt.Fatalf("poll answered %d with %d events", code, len(events))
			}
			for id := range last {
				now := w.now(uint64(id))
				if now < last[id] || now > math.MaxInt64 {
					rt.Fatalf("clock %d went from %d to %d", id, last[id], now)
				}
				last[id] = now
			}
		}
	})
}

// Two runs of the same guest see the same times.
func TestClockIsDeterministic(t *testing.T) {
	run := func() (seen []uint64) {
		w := newWorld(t, 1)
		for i := range uint64(20) {
			w.poll(sub{id: monotonic, timeout: i * 12345})
			seen = append(seen, w.now(i%2))
		}
		return seen
	}
	assert.Equal(t, run(), run())
}
