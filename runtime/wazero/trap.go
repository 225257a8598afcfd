package wazero

import (
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/runtime"
)

// asTrap takes wazero's error apart. The function names are only in its text, which reads
//
//	wasm error: unreachable
//	wasm stack trace:
//		.main.render(i32,i32) i64
func asTrap(err error) *runtime.Trap {
	reason, rest, _ := strings.Cut(err.Error(), "\nwasm stack trace:\n")
	t := &runtime.Trap{Reason: strings.TrimPrefix(reason, "wasm error: ")}
	if host := (*hostError)(nil); errors.As(err, &host) {
		t.Reason, t.Err = host.Error(), host.err
	}
	for _, line := range strings.Split(rest, "\n") {
		if line == "" {
			break // what follows is a stack of the host's own
		}
		if line == "\t... maybe followed by omitted frames" {
			break // wazero lists 30 frames at most
		}
		t.Trace = append(t.Trace, strings.TrimPrefix(strings.TrimSpace(line), "."))
	}
	return t
}
