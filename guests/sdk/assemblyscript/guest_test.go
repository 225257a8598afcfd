package assemblyscriptsdk_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	renderv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adaptersv1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/runtime"
)

// The guests, which are checked in as they were built. With the build tag toolchains they are built again.
const (
	probe   = "testdata/probe/probe.wasm"
	example = "../../../testdata/guests/example/assemblyscript/example.wasm"
	faults  = "../../../testdata/guests/faults/assemblyscript/faults.wasm"
)

type guest struct {
	t testing.TB
	*runtime.Guest
}

type options struct {
	config map[string]string
	grants []string
	logger slog.Handler
}

func load(t testing.TB, path string, o options) guest {
	t.Helper()
	opts := runtime.Options{Remember: runtime.Remember{SessionBytes: -1}, Limits: runtime.Limits{Time: time.Minute}}
	if o.logger != nil {
		opts.Logger = slog.New(o.logger)
	}
	r := runtime.New(enginetest.New(), opts)
	t.Cleanup(func() { require.NoError(t, r.Close(context.Background())) })
	g, err := r.Load(t.Context(), path, guestFile(t, path), runtime.GuestOptions{Config: o.config, Grants: o.grants})
	require.NoError(t, err)
	return guest{t, g}
}

// answer asks with the bytes of a request.
func (g guest) answer(op string, request []byte, payload int) ([]byte, error) {
	return g.Call(g.t.Context(), runtime.Call{Op: op, Session: "s", Request: request, PayloadBytes: payload})
}

// ask returns the value of an answer, nil for nothing.
func (g guest) ask(op string, request any, payload int) ([]byte, error) {
	encoded, err := abi.Encode(request)
	require.NoError(g.t, err)
	return g.answer(op, encoded, payload)
}

// render asks a contribution of the probe that is handed its prompt.
func (g guest) render(id string, prompt *string) (string, error) {
	return g.renderFor(renderv1.RenderRequest{ID: id, Prompt: prompt})
}

func (g guest) renderFor(q renderv1.RenderRequest) (string, error) {
	value, err := g.ask(abi.RenderV1, q, 0)
	if err != nil || value == nil {
		return "", err
	}
	return abi.Text(value)
}

// change asks the probe's adapter to carry out changes of a payload; nil for unchanged.
func (g guest) change(payload []byte, changes string) ([]byte, error) {
	value, err := g.ask(abi.ReplaceSystemPromptV1, adaptersv1.ReplaceSystemPromptRequest{
		Payload: adaptersv1.Payload{ID: "changes", Payload: payload}, SystemPrompt: changes}, len(payload))
	if err != nil || value == nil {
		return nil, err
	}
	return abi.Bytes(value)
}

// read asks it for what stands at an address.
func (g guest) read(payload []byte, address string) (text string, ok bool) {
	value, err := g.ask(abi.ReadSystemPromptV1, adaptersv1.ReadSystemPromptRequest{
		Payload: adaptersv1.Payload{ID: "changes", Provider: address, Payload: payload}}, len(payload))
	require.NoError(g.t, err)
	if value == nil {
		return "", false
	}
	text, err = abi.Text(value)
	require.NoError(g.t, err)
	return text, true
}

func ptr[T any](v T) *T { return &v }
