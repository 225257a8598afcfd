package languages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/conformance"
	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// Codex runs the kit's codex-adapter through the guest's adapters: codex-v1 is asked by the operations of
// version 1, and codex through all of the host's hook. The observations are all that codex-v1 answered. The error
// says which cases failed.
func Codex(ctx context.Context, r *runtime.Runtime, file []byte, kit string) (seen []Observation, err error) {
	g, err := r.Load(ctx, Example, file, runtime.GuestOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close(ctx)) }()
	v1, ok := registry.AdapterOf(g, "codex-v1")
	v2, also := registry.AdapterOf(g, "codex")
	if !ok || !also || v1.Edit != nil || v2.Edit == nil || v1.ReplaceDeveloperMessages == nil {
		return nil, errors.New("there have to be an adapter codex of version 2 and codex-v1 of version 1, which places messages")
	}
	both := v1
	both.Edit = v2.Edit
	heard := transcript{}
	source := func(string, string, string) (registry.Adapter, error) { return heard.of(both), nil }
	var text strings.Builder
	sum, err := conformance.Run(ctx, []string{filepath.Join(kit, "developer-messages", "codex-adapter.json")}, source,
		func(r conformance.FileResult) { err = errors.Join(err, r.WriteText(&text)) })
	if err != nil {
		return nil, err
	}
	if sum.Failed > 0 {
		err = errors.New(text.String())
	}
	return append(heard.seen, Observation{"codex-adapter", sum.String()}), err
}

// A transcript writes down what an adapter is asked and answers.
type transcript struct{ seen []Observation }

func (t *transcript) note(op string, answer []byte, err error) {
	said := "unchanged"
	switch {
	case err != nil:
		said = err.Error()
	case answer != nil:
		said = guesttest.Compact(answer)
	}
	t.seen = append(t.seen, Observation{fmt.Sprintf("codex-adapter call %d, %s", len(t.seen)+1, op), said})
}

func (t *transcript) of(a registry.Adapter) registry.Adapter {
	said := a
	said.ReadSystemPrompt = func(ctx context.Context, req *registry.PayloadRequest) (string, bool, error) {
		text, ok, err := a.ReadSystemPrompt(ctx, req)
		t.note("read", fmt.Append(nil, text, ok), err)
		return text, ok, err
	}
	said.ReplaceSystemPrompt = func(ctx context.Context, req *registry.PayloadRequest, prompt string) ([]byte, error) {
		answer, err := a.ReplaceSystemPrompt(ctx, req, prompt)
		t.note("replace system prompt", bytes.Clone(answer), err)
		return answer, err
	}
	said.ReplaceDeveloperMessages = func(ctx context.Context, req *registry.PayloadRequest, list []registry.Message) ([]byte, error) {
		answer, err := a.ReplaceDeveloperMessages(ctx, req, list)
		t.note("replace developer messages", bytes.Clone(answer), err)
		return answer, err
	}
	return said
}
