package runtime

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/abi"
)

// A guest gets what it asks for, never more than the host's limits, which zero leaves as they are.
func TestGrant(t *testing.T) {
	caps := Limits{MemoryBytes: 4 << 20, Fuel: 500, Time: 100 * time.Millisecond, AnswerBytes: 4096, LogBytes: 1024}
	less := Limits{MemoryBytes: 1 << 20, Fuel: 400, Time: 30 * time.Millisecond, AnswerBytes: 100, LogBytes: 10}
	assert.Equal(t, caps, caps.grant(abi.Limits{}))
	assert.Equal(t, less, caps.grant(abi.Limits{MemoryBytes: 1 << 20, Fuel: 400, Milliseconds: 30, AnswerBytes: 100, LogBytes: 10}))
	most := ^uint64(0)
	assert.Equal(t, caps, caps.grant(abi.Limits{MemoryBytes: most, Fuel: most, Milliseconds: most, AnswerBytes: most, LogBytes: most}))

	want := Limits{MemoryBytes: 64 << 20, Fuel: 50_000_000, Time: time.Second, AnswerBytes: 1 << 20, LogBytes: 64 << 10}
	assert.Equal(t, want, Limits{}.withDefaults())
	assert.Equal(t, caps, caps.withDefaults())
	assert.Equal(t, uint64(1<<32-1<<16), Limits{MemoryBytes: most}.withDefaults().MemoryBytes, "what 32 bits can say")
}
