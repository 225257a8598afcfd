package quickjs_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
)

// thrownBy is the exception of a program's call.
func thrownBy(t *testing.T, code string) *quickjs.Exception {
	t.Helper()
	machine, err := newBare(t.Context())
	require.NoError(t, err)
	vm, _, err := quickjs.Start(machine, &abi.Bundle{Code: "globalThis.__pintle = {call() {" + code +
		`}, settled() { return "." }, more() { return "{}" }, reseed() {}}`}, quickjs.Host{})
	require.NoError(t, err)
	_, _, err = vm.Call(quickjs.Call{Op: abi.RenderV1, Request: []byte{0xa0}, AnswerBytes: 1 << 10})
	var thrown *quickjs.Exception
	require.ErrorAs(t, err, &thrown)
	return thrown
}

// Of an error that was caused again and again a bounded text is left.
func TestCausesAreBounded(t *testing.T) {
	reason := thrownBy(t, `let e; for (let i = 9; i > 0; i--) e = new Error("no " + i, {cause: e}); throw e`).Reason
	assert.Equal(t, "Error: no 1: caused by: Error: no 2: caused by: Error: no 3: caused by: Error: no 4: caused by: Error: no 5", reason)
	reason = thrownBy(t, `let e; for (let i = 9; i > 0; i--) e = new Error("é".repeat(1500), {cause: e}); throw e`).Reason
	assert.LessOrEqual(t, len(reason), 4<<10)
	assert.Greater(t, len(reason), 4000)
	assert.Equal(t, 1, strings.Count(reason, "caused by"))
	assert.NotContains(t, reason, "\uFFFD")
}

// An error that stands for several has no words of its own.
func TestErrorsTogether(t *testing.T) {
	for code, want := range map[string]string{
		`throw new AggregateError([new Error("ebb"), "flow"])`:               "AggregateError: Error: ebb,flow",
		`throw new AggregateError([new Error("ebb")], "no tide")`:            "AggregateError: no tide",
		`const e = new AggregateError([]); e.errors = 1; throw e`:            "AggregateError",
		`throw {get errors() { throw 1 }, toString: () => "AggregateError"}`: "AggregateError",
	} {
		assert.Equal(t, want, thrownBy(t, code).Reason, code)
	}
}

// A payer is a machine that counts what it is charged.
type payer struct {
	bare
	units *int
}

func (p payer) Charge(units int) error { *p.units += units; return nil }

// Reading JSON costs the guest fuel: 10 units a byte of an answer, 20 of what is said beside it.
func TestJSONIsPaidFor(t *testing.T) {
	machine, err := newBare(t.Context())
	require.NoError(t, err)
	const failure, notes = `{"code":"no-tide"}`, `{"logs":[[1,"said"]],"kv":{"a":"b"}}`
	units := 0
	vm, _, err := quickjs.Start(payer{machine, &units}, &abi.Bundle{Code: `let n = 0; globalThis.__pintle = {
		call() { return ["1text", '2` + failure + `', '+0'][n++] }, settled() {}, more() { return '` + notes + `' }, reseed() {}}`}, quickjs.Host{})
	require.NoError(t, err)
	assert.Equal(t, 20*len(notes), units)
	for _, want := range []int{0, 10 * len(failure), 20 * len(notes)} {
		units = 0
		_, _, err := vm.Call(quickjs.Call{Op: abi.RenderV1, Request: []byte{0xa0}, AnswerBytes: 1 << 10})
		require.NoError(t, err)
		assert.Equal(t, want, units)
	}
}

// What a program logged before it failed is told, also when it fails to start; what it wrote is not.
func TestLastWords(t *testing.T) {
	const program = `globalThis.__pintle = {
		call() { throw new Error("no tide") }, settled() {}, reseed() {},
		more() { return '{"logs":[[1,"said"]],"kv":{"a":"b"}}' }};`
	machine, err := newBare(t.Context())
	require.NoError(t, err)
	vm, _, err := quickjs.Start(machine, &abi.Bundle{Code: program}, quickjs.Host{})
	require.NoError(t, err)
	want := quickjs.Notes{Logs: []quickjs.Log{{Level: 1, Text: "said"}}}
	_, notes, err := vm.Call(quickjs.Call{Op: abi.RenderV1, Request: []byte{0xa0}, AnswerBytes: 1 << 10})
	require.Error(t, err)
	assert.Equal(t, want, notes)
	machine, err = newBare(t.Context())
	require.NoError(t, err)
	_, notes, err = quickjs.Start(machine, &abi.Bundle{Code: program + `throw new Error("no tide")`}, quickjs.Host{})
	require.ErrorContains(t, err, "no tide")
	assert.Equal(t, want, notes)
}

// A text may have as many bytes as an answer, whatever is said beside it.
func TestAnswersUpToTheLimit(t *testing.T) {
	const limit = 1 << 16
	machine, err := newBare(t.Context())
	require.NoError(t, err)
	vm, _, err := quickjs.Start(machine, &abi.Bundle{Code: `let n = 0; const forms = ["1", "1x", "+1", "+1x"]; globalThis.__pintle = {
		call() { return forms[n++] + "x".repeat(65536) }, settled() {}, more() { return "{}" }, reseed() {}}`}, quickjs.Host{})
	require.NoError(t, err)
	for i := range 4 {
		answer, _, err := vm.Call(quickjs.Call{Op: abi.RenderV1, Request: []byte{0xa0}, AnswerBytes: limit})
		if i%2 == 0 {
			require.NoError(t, err)
			assert.Len(t, answer, limit+7)
			continue
		}
		var fault *quickjs.Fault
		require.ErrorAs(t, err, &fault)
		assert.Equal(t, quickjs.TooLarge, fault.Of)
	}
}
