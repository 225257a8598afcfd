package host_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A whole turn with contributions of 1 KB each, each of a guest of its own: cold, when the prompt is
// another one in every turn, and remembered, when it is not. The floor is the same turn with native
// contributions.
func BenchmarkTurn(b *testing.B) {
	text := strings.Repeat("x", 1<<10)
	for _, n := range []int{20, 200} {
		native := open(b)
		guests := open(b)
		for i := range n {
			id := fmt.Sprintf("m%03d", i)
			_, err := native.Registry.Register(registry.Contribution{ID: id, Render: registry.Text(text)})
			require.NoError(b, err)
			_, err = guests.Load(b.Context(), id+".wasm", answering(text, abi.StateNone, id), runtime.GuestOptions{})
			require.NoError(b, err)
		}
		for _, cold := range []bool{true, false} {
			b.Run(fmt.Sprintf("contributions=%d/remembered=%t", n, !cold), func(b *testing.B) {
				floor, op := turnOf(b, native, n, false), turnOf(b, guests, n, cold)
				against(b, floor, op)
			})
		}
	}
}

// turnOf returns a turn of a host that has n contributions.
func turnOf(b *testing.B, h *host.Host, n int, cold bool) func() {
	prompt := "Which quay does the 07:40 leave from?"
	s := h.Session(b.Name())
	turns := 0
	return func() {
		prompt := prompt
		if turns++; cold {
			prompt += fmt.Sprint(turns)
		}
		e, err := s.Capture(context.Background(), envelope.Request{Provider: "p", Prompt: &prompt, CWD: "/srv"})
		if err != nil || len(e.DeveloperMessages) != n+1 {
			b.Fatal(len(e.DeveloperMessages), err)
		}
		if last := e.Report.Contributions[n-1]; turns > 1 && last.Source != envelope.Native && last.Remembered == cold {
			b.Fatal(last)
		}
	}
}
