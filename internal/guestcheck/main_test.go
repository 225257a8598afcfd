package guestcheck_test

import (
	"testing"

	"github.com/pintle-wasm/pintle/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }
