package payload

import (
	"context"
	"slices"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/registry"
)

// edit asks an adapter of version 2. What it says and does is what the steps of version 1 would.
func (h *hook) edit(ctx context.Context) error {
	ctx, end := h.result.Developer.begin(ctx)
	defer end()
	return h.ask("edit", func() error {
		edits, err := h.adapter.Edit(ctx, &h.req, *h.state.Prompt, slices.Clone(h.state.Messages))
		if err == nil {
			h.carryOut(edits)
		}
		return err
	})
}

func (h *hook) carryOut(edits *registry.Edits) {
	prompt, messages := false, edits.Changes(false, true)
	if h.hostsPrompt(edits.HasPrompt(), edits.PromptIs) {
		prompt = edits.Changes(true, false)
		h.promptDone(prompt)
	}
	h.developerDone(messages)
	if h.discards() {
		prompt = false
	}
	if prompt || messages {
		h.result.Body = BodyOf(edits.Pieces(prompt, messages)...)
		h.result.edits = func() []adaptersv2.Edit { return edits.List(prompt, messages) }
	}
}
