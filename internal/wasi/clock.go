package wasi

import (
	"context"
	"encoding/binary"
	"slices"
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

func (c *clock) now(id uint32) (uint64, bool) {
	c.elapsed = min(c.elapsed+tick, endOfTime)
	switch id {
	case realtime:
		return epoch + c.elapsed, true
	case monotonic, processID, threadID:
		return c.elapsed, true
	}
	return 0, false
}

func put64(mem Memory, at uint64, v uint64) errno {
	if !mem.Write(uint32(at), binary.LittleEndian.AppendUint64(nil, v)) {
		return fault
	}
	return success
}

func clockRes(_ context.Context, _ *System, mem Memory, stack []uint64) errno {
	if uint32(stack[0]) > threadID {
		return inval
	}
	return put64(mem, stack[1], resolution)
}

func clockTime(_ context.Context, s *System, mem Memory, stack []uint64) errno {
	t, ok := s.clock.now(uint32(stack[0]))
	if !ok {
		return inval
	}
	return put64(mem, stack[2], t)
}

func schedYield(context.Context, *System, Memory, []uint64) errno { return success }

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
// clock jumps to the earliest deadline and the subscriptions that are then due are answered.
func pollOneoff(_ context.Context, s *System, mem Memory, stack []uint64) errno {
	in, out, count := uint32(stack[0]), uint32(stack[1]), uint32(stack[2])
	if count == 0 || count > maxSubscriptions {
		return inval
	}
	subs, ok := mem.Read(in, count*subscriptionSize)
	if !ok {
		return fault
	}
	subs = append([]byte(nil), subs...) // the events may be written over them
	dues := make([]uint64, 0, count)
	streams, earliest := false, ^uint64(0)
	for sub := range slices.Chunk(subs, subscriptionSize) {
		due := uint64(0)
		switch sub[8] {
		case eventClock:
			if due, ok = s.clock.due(sub); !ok {
				return inval
			}
			earliest = min(earliest, due)
		case eventRead, eventWrite:
			streams = true
		default:
			return inval
		}
		dues = append(dues, due)
	}
	if !streams {
		s.clock.elapsed = max(s.clock.elapsed, earliest)
	}
	events := make([]byte, 0, int(count)*eventSize)
	for sub := range slices.Chunk(subs, subscriptionSize) {
		due := dues[0]
		if dues = dues[1:]; due > s.clock.elapsed {
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

// due returns the time of a clock subscription in terms of elapsed.
func (c *clock) due(sub []byte) (uint64, bool) {
	id := binary.LittleEndian.Uint32(sub[16:])
	timeout := binary.LittleEndian.Uint64(sub[24:])
	absolute := binary.LittleEndian.Uint16(sub[40:])&1 != 0
	switch {
	case id > threadID:
		return 0, false
	case !absolute:
		timeout = c.elapsed + min(timeout, endOfTime)
	case id == realtime:
		timeout -= min(timeout, epoch)
	}
	return min(timeout, endOfTime), true
}
