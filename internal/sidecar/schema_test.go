package sidecar

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/sidecar/wiretest"
)

func schemaOf(t testing.TB) *wiretest.Schema {
	s, err := wiretest.Load()
	require.NoError(t, err)
	return s
}

// newWire makes a wire whose faults are those of the test.
func newWire(t *testing.T) *wiretest.Wire {
	w, err := wiretest.NewWire()
	require.NoError(t, err)
	t.Cleanup(func() { assert.Empty(t, w.Faults()) })
	return w
}

// Every method that can be called is in the schema, and no other.
func TestSchemaHasTheMethods(t *testing.T) {
	var called []string
	for name := range methods {
		called = append(called, name)
	}
	s := schemaOf(t)
	listed := s.Methods("clientRequest")
	assert.ElementsMatch(t, called, listed)
	requests := append(listed, s.Methods("serverRequest")...)
	for _, name := range requests {
		assert.Contains(t, s.Definitions(), name+".params")
		assert.Contains(t, s.Definitions(), name+".result")
	}
	for _, name := range slices.Concat(s.Methods("clientNotification"), s.Methods("serverNotification")) {
		assert.Contains(t, s.Definitions(), name+".params")
		requests = append(requests, name)
	}
	for name := range s.Definitions() {
		method, isParams := strings.CutSuffix(name, ".params")
		method, isResult := strings.CutSuffix(method, ".result")
		if isParams || isResult {
			assert.Contains(t, requests, method)
		}
	}
}
