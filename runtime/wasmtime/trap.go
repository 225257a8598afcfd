//go:build wasmtime && cgo

package wasmtime

import (
	"errors"
	"regexp"
	"strings"

	"github.com/bytecodealliance/wasmtime-go/v25"

	"github.com/pintle-wasm/pintle/runtime"
)

// reasons has the words of the other engine for what stops a guest, so that the engines can be compared.
var reasons = map[wasmtime.TrapCode]string{
	wasmtime.StackOverflow:          "stack overflow",
	wasmtime.MemoryOutOfBounds:      "out of bounds memory access",
	wasmtime.TableOutOfBounds:       "invalid table access",
	wasmtime.IndirectCallToNull:     "invalid table access",
	wasmtime.BadSignature:           "indirect call type mismatch",
	wasmtime.IntegerOverflow:        "integer overflow",
	wasmtime.IntegerDivisionByZero:  "integer divide by zero",
	wasmtime.BadConversionToInteger: "invalid conversion to integer",
	wasmtime.UnreachableCodeReached: "unreachable",
}

// trap takes an error of a run apart and frees what wasmtime keeps for it. What code does wrong is a
// trap of wasmtime's, a host function's error an error; both tell in their text what ran:
//
//	error while executing at wasm backtrace:
//	    0:   0x41 - <unknown>!main.render
//	    1:   0x4e - <unknown>!<wasm function 12>
//
//	Caused by:
//	    wasm trap: wasm `unreachable` instruction executed
func (in *instance) trap(err error) *runtime.Trap {
	text := err.Error()
	t := &runtime.Trap{Reason: oneLine(text), Trace: trace(text)}
	if foreign := (*wasmtime.Error)(nil); errors.As(err, &foreign) {
		foreign.Close()
	}
	if trap := (*wasmtime.Trap)(nil); errors.As(err, &trap) {
		if code := trap.Code(); code != nil && reasons[*code] != "" {
			t.Reason = reasons[*code]
		}
		trap.Close()
	}
	if in.failed != nil {
		t.Reason, t.Err = in.failed.Error(), in.failed
	}
	return t
}

// maxTrace is the number of functions that are told of a run: a recursion has tens of thousands.
const maxTrace = 30

var (
	frame   = regexp.MustCompile(`(?m)^ *\d+: +0x[0-9a-f]+ - [^!]*!(.*)$`)
	unnamed = regexp.MustCompile(`^<wasm function (\d+)>$`)
)

// trace returns the names of the functions in an error's text, innermost first; $ and the index where
// there is no name.
func trace(text string) []string {
	var names []string
	for _, match := range frame.FindAllStringSubmatch(text, maxTrace) {
		names = append(names, unnamed.ReplaceAllString(match[1], "$$$1"))
	}
	return names
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
