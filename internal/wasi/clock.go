package wasi

import (
	"encoding/binary"
	"slices"
	"time"
)

// A clock is virtual: it starts at a fixed instant, moves by one microsecond per reading and by the
// length of every sleep, which returns at once. So two runs of a guest see the same times, and time
// never runs backwards: it moves on until its end and stays there.
type clock struct {
	elapsed uint64 // nanoseconds since the start, at most endOfTime
}

const (
	epoch      = 1_577_836_800_000_000_000 // 2020-01-01T00:00:00Z in nanoseconds since 1970
	tick       = 1_000                     // nanoseconds per reading
	resolution = 1_000
	// endOfTime is what a guest reaches that sleeps for good. The time of day still fits in 63 bits then.
	endOfTime = 1 << 62
)

// Clock ids of preview 1.
const (
	realtime  = 0
	monotonic = 1
	processID = 2
	threadID  = 3
)

// started is where the real monotonic clock counts from. It is the same for all instances: one that is
// put back to an earlier state must not see time run backwards.
var started = time.Now()

// now returns the time of a clock whose id is valid.
func (s *System) now(id uint32) uint64 {
	switch {
	case s.config.HostClock && id == realtime:
		return uint64(max(0, time.Now().UnixNano())) / resolution * resolution
	case s.config.HostClock:
		return uint64(time.Since(started)) / resolution * resolution
	case id == realtime:
		return epoch + s.state.clock.elapsed
	}
	return s.state.clock.elapsed
}

// sleep moves the virtual clock on. Real time passes by itself, and nobody waits for it here.
func (s *System) sleep(n uint64) {
	if !s.config.HostClock {
		s.state.clock.elapsed += min(n, s.untilEnd())
	}
}

func (s *System) untilEnd() uint64 { return endOfTime - s.state.clock.elapsed }

func put64(mem Memory, at uint64, v uint64) errno {
	if !mem.Write(uint32(at), binary.LittleEndian.AppendUint64(nil, v)) {
		return fault
	}
	return success
}

func clockRes(_ *System, mem Memory, stack []uint64) errno {
	if uint32(stack[0]) > threadID {
		return inval
	}
	return put64(mem, stack[1], resolution)
}

func clockTime(s *System, mem Memory, stack []uint64) errno {
	id := uint32(stack[0])
	if id > threadID {
		return inval
	}
	s.sleep(tick)
	return put64(mem, stack[2], s.now(id))
}

func schedYield(*System, Memory, []uint64) errno { return success }

// Sizes and offsets of the records of poll_oneoff.
const (
	subscriptionSize = 48
	eventSize        = 32
	eventClock       = 0
	eventRead        = 1
	eventWrite       = 2
	maxSubscriptions = 1024
)

// pollOneoff answers at once. Streams are always ready (input is at its end). If there are none, the
// subscriptions with the earliest deadline are answered as if it had come, and the virtual clock jumps
// to it.
func pollOneoff(s *System, mem Memory, stack []uint64) errno {
	in, out, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	if count == 0 || count > maxSubscriptions {
		return inval
	}
	subs, ok := mem.Read(in, count*subscriptionSize)
	if !ok {
		return fault
	}
	if !s.charge(int(count) * (subscriptionSize + eventSize)) {
		return success
	}
	subs = append([]byte(nil), subs...) // the events may be written over them
	waits := make([]uint64, 0, count)
	streams, earliest := false, ^uint64(0)
	for sub := range slices.Chunk(subs, subscriptionSize) {
		wait := uint64(0)
		switch sub[8] {
		case eventClock:
			if wait, ok = s.wait(sub); !ok {
				return inval
			}
			earliest = min(earliest, wait)
		case eventRead, eventWrite:
			streams = true
		default:
			return inval
		}
		waits = append(waits, wait)
	}
	if streams {
		earliest = 0
	}
	s.sleep(earliest)
	events := make([]byte, 0, int(count)*eventSize)
	for i := range waits {
		sub := subs[i*subscriptionSize:]
		if waits[i] > earliest {
			continue
		}
		var event [eventSize]byte
		copy(event[:8], sub[:8]) // the guest's own mark
		event[10] = sub[8]
		if sub[8] != eventClock && !s.open(uint64(binary.LittleEndian.Uint32(sub[16:]))) {
			binary.LittleEndian.PutUint16(event[8:], uint16(badf))
		}
		events = append(events, event[:]...)
	}
	if !mem.Write(out, events) {
		return fault
	}
	return put32(mem, stack[3], uint32(len(events)/eventSize))
}

// wait returns how long it is until a clock subscription is due.
func (s *System) wait(sub []byte) (uint64, bool) {
	id := binary.LittleEndian.Uint32(sub[16:])
	wait := binary.LittleEndian.Uint64(sub[24:])
	absolute := binary.LittleEndian.Uint16(sub[40:])&1 != 0
	if id > threadID {
		return 0, false
	}
	if absolute {
		wait -= min(wait, s.now(id))
	}
	return min(wait, s.untilEnd()), true // what would be due behind the end of time is due at its end
}
