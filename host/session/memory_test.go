package session_test

import (
	"testing"

	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/session/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) session.Store { return &session.Memory{} })
}
