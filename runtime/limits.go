package runtime

import (
	"math"
	"time"

	"github.com/pintle-wasm/pintle/abi"
)

// Limits bound one call of a guest. A zero field means the default; any larger number is fine, also the largest
// one, for a host that wants no bound. A start, which is not paid for by a call, may take five seconds, or Time if
// that is more.
type Limits struct {
	MemoryBytes uint64        // linear memory; default 64 MiB
	Fuel        uint64        // work of a call; a unit is about 1 ns; default 50,000,000
	Time        time.Duration // wall clock of a call, for what costs no fuel; default 1 s
	AnswerBytes int           // default 1 MiB
	LogBytes    int           // everything logged in one call; default 64 KiB
}

// What the start of an instance may use, which runs the guest's own initialiser. A Go guest needs a few
// milliseconds; the first start after a compilation also pays for cold pages.
const (
	startFuel = 1_000_000_000
	startTime = 5 * time.Second // or as much as the host gives a call, if that is more
	// startsPerCall is how many times the limits of a call its own start may use, where calls have one.
	startsPerCall = 10
)

// maxMemory is the largest memory of a guest: a page less than what 32 bits can address, so that its
// size is a number of 32 bits.
const maxMemory = 1<<32 - 1<<16

// What stands for no bound. There is room above these numbers for what a payload, a reserve and the starts of a
// call add, so that sums do not wrap around.
const (
	mostFuel  = 1 << 60
	mostTime  = time.Duration(1 << 58) // nine years
	mostBytes = math.MaxInt / 2
)

func (l Limits) withDefaults() Limits {
	if l.MemoryBytes == 0 {
		l.MemoryBytes = 64 << 20
	}
	l.MemoryBytes = min(l.MemoryBytes, maxMemory)
	if l.Fuel == 0 {
		l.Fuel = 50_000_000
	}
	if l.Time == 0 {
		l.Time = time.Second
	}
	if l.AnswerBytes == 0 {
		l.AnswerBytes = 1 << 20
	}
	if l.LogBytes == 0 {
		l.LogBytes = 64 << 10
	}
	l.Fuel, l.Time = min(l.Fuel, mostFuel), min(l.Time, mostTime)
	l.AnswerBytes, l.LogBytes = min(l.AnswerBytes, mostBytes), min(l.LogBytes, mostBytes)
	return l
}

// grant returns what a guest gets: what it asks for, but never more than the host's limits.
func (l Limits) grant(ask abi.Limits) Limits {
	if ask.MemoryBytes != 0 {
		l.MemoryBytes = min(l.MemoryBytes, ask.MemoryBytes)
	}
	if ask.Fuel != 0 {
		l.Fuel = min(l.Fuel, ask.Fuel)
	}
	if ask.Milliseconds != 0 && ask.Milliseconds < uint64(l.Time.Milliseconds()) {
		l.Time = time.Duration(ask.Milliseconds) * time.Millisecond
	}
	if ask.AnswerBytes != 0 && ask.AnswerBytes < uint64(l.AnswerBytes) {
		l.AnswerBytes = int(ask.AnswerBytes)
	}
	if ask.LogBytes != 0 && ask.LogBytes < uint64(l.LogBytes) {
		l.LogBytes = int(ask.LogBytes)
	}
	return l
}
