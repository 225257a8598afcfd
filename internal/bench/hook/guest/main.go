//go:build wasip1

// Command guest is the peer's guest: it answers the prompt that it is given.
package main

import (
	"context"

	"github.com/pintle-wasm/pintle/internal/bench/hook"
)

func main() {}

func init() { hook.RegisterHook(guest{}) }

type guest struct{}

func (guest) Render(_ context.Context, r *hook.Request) (*hook.Answer, error) {
	return &hook.Answer{Text: r.Prompt}, nil
}
