package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// naming is a name section that calls function 0 so.
func naming(name string) wasmtest.Custom {
	names := append([]byte{1, byte(3 + len(name)), 1, 0, byte(len(name))}, name...)
	return wasmtest.Custom{Name: "name", Bytes: names}
}

// What a trace says is what the guest's own file says, whatever a guest with the same code has in its sections:
// of several with names the first one counts.
func TestNamesOfAnotherGuestAreNotShown(t *testing.T) {
	sinks := func(sections ...wasmtest.Custom) []byte {
		return wasmtest.Guest(wasmtest.Module{
			Functions: []wasmtest.Function{{Code: wasmtest.Code(wasmtest.Unreachable)}},
			Trailing:  sections,
		}, wasmtest.Manifest(), wasmtest.Code(wasmtest.Call(0), wasmtest.Unreachable))
	}
	e := &compiling{Engine: enginetest.New()}
	r := runtime.New(e, runtime.Options{Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	evil, mine := naming("evil"), naming("mine")
	for i, test := range []struct {
		sections []wasmtest.Custom
		want     string
		compiled int
	}{
		{[]wasmtest.Custom{evil, evil, mine}, "evil", 1},
		{[]wasmtest.Custom{mine}, "mine", 2},
		{nil, "", 3},
		{[]wasmtest.Custom{evil, evil}, "evil", 3},
		{[]wasmtest.Custom{evil}, "evil", 3},
		{[]wasmtest.Custom{mine, evil}, "mine", 3},
		{[]wasmtest.Custom{{Name: "name"}, mine}, "mine", 3},
		{[]wasmtest.Custom{{Name: "other", Bytes: evil.Bytes}}, "", 3},
	} {
		_, err := render(t.Context(), load(t, r, sinks(test.sections...)))
		trace := strings.Join(asError(t, err).Trace, "\n")
		for _, name := range []string{"evil", "mine"} {
			assert.Equal(t, name == test.want, strings.Contains(trace, name), "%d: %s", i, trace)
		}
		assert.Equal(t, test.compiled, e.n, i)
	}
}

// The engine's functions are in no trace, so what a guest in JavaScript calls them makes no code of its own.
func TestScriptsWithNamesShareTheirCode(t *testing.T) {
	e := &compiling{Engine: enginetest.New()}
	r := runtime.New(e, runtime.Options{Limits: unhurried})
	defer func() { require.NoError(t, r.Close(context.Background())) }()
	plain := answering(t, `const answer = () => { throw new Error("no tide today") }`)
	m, err := wasmbin.Parse(plain, wasmbin.DefaultLimits())
	require.NoError(t, err)
	named := m.WithCustomFirst("name", naming("evil").Bytes)
	for _, file := range [][]byte{named, plain, append(named, named[8:8+2+len("name")+1+len(naming("evil").Bytes)]...)} {
		_, err := render(t.Context(), load(t, r, file))
		assert.NotContains(t, strings.Join(asError(t, err).Trace, "\n"), "evil")
	}
	assert.Equal(t, 1, e.n)
}
