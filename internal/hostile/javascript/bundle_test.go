package javascript_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// bare is the engine's module without its custom sections.
func bare(t testing.TB) []byte {
	t.Helper()
	file := engine.Module()
	m, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	require.NoError(t, err)
	out := file[:8:8]
	for _, s := range m.Sections {
		if !s.Custom() {
			out = append(out, file[s.Start:s.End]...)
		}
	}
	return out
}

func section(t testing.TB, b abi.Bundle) []byte {
	t.Helper()
	bytes, err := abi.EncodeBundle(&b)
	require.NoError(t, err)
	return bytes
}

var manifest = abi.Manifest{
	Transport: 1, ID: "hostile/javascript", Version: "1",
	Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "c", Needs: []abi.ContextField{abi.FieldPrompt}}},
	Limits:        abi.Limits{MemoryBytes: 16 << 20},
}

// guest makes a guest's file of a script, as somebody would who does not use the SDK.
func guest(t testing.TB, b abi.Bundle) []byte {
	t.Helper()
	m, err := wasmbin.Parse(bare(t), wasmbin.DefaultLimits())
	require.NoError(t, err)
	file, err := guestbuild.Attach(m.WithCustomFirst(abi.BundleSection, section(t, b)), &manifest)
	require.NoError(t, err)
	return file
}

// script is a program whose call attacks if the prompt says so, and is well otherwise.
func (a attack) script() string {
	or := func(body, otherwise string) string {
		if body == "" {
			return otherwise
		}
		return body
	}
	return fmt.Sprintf(`let attacked = false;
globalThis.__pintle = {
	call(op, request, payload, kv) {

		if (JSON.parse(request).prompt !== "attack") return attacked ? "1poisoned" : "1well";
		attacked = true;
		%s
	},
	settled() { %s },
	more() { if (!attacked) return "{}"; %s },
	reseed() {},
	registered() { return "{}" },
};`, a.code, or(a.settled, `return "0"`), or(a.more, `return "{}"`))
}
