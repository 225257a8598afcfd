package guestbench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/internal/guestbench"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

// The floor is the smallest guest of the tests: a command that is given away links no code of tests.
func TestFloorIsTheSmallestGuest(t *testing.T) {
	assert.Equal(t, wasmtest.Says("x"), guestbench.Floor().File)
}
