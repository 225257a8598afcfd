package hostile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func impostorScenarios() map[string]scenario {
	return map[string]scenario{
		"impostor": impostor,
	}
}

// remembering is a guest that keeps its secret in kv when it is attacked. Otherwise it says what is kept:
// the secret, "none" or "denied".
func remembering(id, version string, capabilities ...string) []byte {
	const keyAt, secretAt, answerAt, noneAt, deniedAt = 16, 32, 4096, 5000, 5100
	secret := "the secret"
	m := (&Entry{Name: id, Capabilities: capabilities}).Manifest()
	m.Version = version
	i32 := wasmbin.I32
	sig := wasmbin.FuncType{Params: []wasmbin.ValueType{i32, i32, i32, i32}, Results: []wasmbin.ValueType{i32}}
	answer, none, denied := wasmtest.Text(secret), wasmtest.Text("none"), wasmtest.Text("denied")
	textAt := int32(answerAt + len(answer) - len(secret))
	args := func(at, n int32) []byte {
		return wasmtest.Code(wasmtest.I32Const(keyAt), wasmtest.I32Const(3), wasmtest.I32Const(at), wasmtest.I32Const(n))
	}
	const equal, localTee, localI32 = 0x46, 0x22, 2
	get := func() []byte { return wasmtest.Code(args(textAt, int32(len(secret))), wasmtest.Call(0)) }
	return wasmtest.Guest(wasmtest.Module{
		Imports: []wasmtest.Import{{Module: abi.HostModule, Name: "kv_get", Type: sig}, {Module: abi.HostModule, Name: "kv_set", Type: sig}},
		Data: []wasmtest.Data{{Offset: keyAt, Bytes: []byte("key")}, {Offset: secretAt, Bytes: []byte(secret)},
			{Offset: answerAt, Bytes: answer[:len(answer)-len(secret)]}, {Offset: noneAt, Bytes: none}, {Offset: deniedAt, Bytes: denied}},
	}, m, wasmtest.Code(
		wasmtest.LocalGet(1), wasmtest.I32Const(511), i32GreaterU,
		wasmtest.If(args(secretAt, int32(len(secret))), wasmtest.Call(1), wasmtest.Drop),
		get(), wasmtest.I32Const(-1), equal, wasmtest.If(wasmtest.Answer(noneAt, uint32(len(none))), wasmtest.Return),
		get(), wasmtest.I32Const(-2), equal, wasmtest.If(wasmtest.Answer(deniedAt, uint32(len(denied))), wasmtest.Return),
		wasmtest.Answer(answerAt, uint32(len(answer)))))
}

// impostor claims the id of a guest that the host trusts, from another source, and then comes from the
// same source and wants more.
func impostor(ctx context.Context, engine EngineMaker) error {
	var asked []runtime.GrantRequest
	h := host.Open(host.Options{Engine: engine(), Decide: func(_ context.Context, q runtime.GrantRequest) (runtime.GrantDecision, error) {
		asked = append(asked, q)
		trusted := q.Source == "trusted" || q.Source == "also trusted"
		return runtime.GrantDecision{Accept: trusted && len(q.Widened) == 0, Capabilities: []string{abi.CapabilityKV}}, nil
	}})
	says := func(prompt string) string {
		e, err := h.Session("s").Capture(ctx, envelope.Request{CWD: "/", Prompt: &prompt})
		if err != nil {
			return err.Error()
		}
		for _, m := range e.DeveloperMessages {
			if m.ID == "friend" {
				return m.Content
			}
		}
		return "nothing"
	}
	file := remembering("friend", "1.0.0", abi.CapabilityKV)
	friend, err := h.Load(ctx, "friend", file, runtime.GuestOptions{Source: "trusted"})
	if err != nil {
		return err
	}
	for _, prompt := range []string{attackPrompt, ""} {
		if text := says(prompt); text != "the secret" {
			return fmt.Errorf("the trusted guest says %q", text)
		}
	}

	// The same file from elsewhere, first without and then with a grant of its own.
	for source, want := range map[string]string{"elsewhere": "denied", "also trusted": "none"} {
		other, err := h.Load(ctx, "friend", file, runtime.GuestOptions{Source: source})
		if err != nil {
			return err
		}
		if text := says(""); text != want {
			return fmt.Errorf("the same id from %q says %q, expected %q", source, text, want)
		}
		if err := other.Remove(ctx); err != nil {
			return err
		}
	}
	if last := asked[len(asked)-1]; last.Previous != nil {
		return errors.New("the grant of another source counts as an earlier one")
	}
	// From the same source, but asking for more.
	err = h.Reload(ctx, friend, "friend", remembering("friend", "1.0.1", abi.CapabilityKV, abi.CapabilityClock), runtime.GuestOptions{})
	if !isKind(err, runtime.KindDenied) || !strings.Contains(err.Error(), abi.CapabilityClock) || !strings.Contains(err.Error(), "friend@1.0.1") {
		return fmt.Errorf("a build that wants more: %v", err)
	}
	return h.Close(ctx)
}
