package registry

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// echo says the request that it gets in hexadecimal: [1, text of two length bytes].
func echo() (wasmtest.Data, []byte) {
	const digits, answer, text = 64, 8 << 10, 8<<10 + 5
	const shl, shr, and, less, branchIf = 0x74, 0x76, 0x71, 0x49, 0x0d
	// A counter in memory takes the place of a local.
	const counter = 512
	load := func(at int32) []byte { return wasmtest.Code(wasmtest.I32Const(at), []byte{0x28, 2, 0}) }
	digit := func(second int32, nibble ...any) []byte { // text[2*counter+second] = digits[nibble]
		return wasmtest.Code(
			load(counter), wasmtest.I32Const(1), shl, wasmtest.I32Const(text+second), wasmtest.I32Add,
			wasmtest.Code(nibble...), wasmtest.I32Const(digits), wasmtest.I32Add, wasmtest.I32Load8(), wasmtest.I32Store8())
	}
	current := wasmtest.Code(load(counter), wasmtest.LocalGet(0), wasmtest.I32Add, wasmtest.I32Load8())
	size := wasmtest.Code(wasmtest.LocalGet(1), wasmtest.I32Const(1), shl)
	return wasmtest.Data{Offset: digits, Bytes: []byte("0123456789abcdef")}, wasmtest.Code(
		wasmtest.Loop(
			digit(0, current, wasmtest.I32Const(4), shr),
			digit(1, current, wasmtest.I32Const(15), and),
			wasmtest.I32Const(counter), load(counter), wasmtest.I32Const(1), wasmtest.I32Add, []byte{0x36, 2, 0},
			load(counter), wasmtest.LocalGet(1), less, []byte{branchIf, 0},
		),
		wasmtest.I32Const(answer), wasmtest.I32Const(0x82), wasmtest.I32Store8(),
		wasmtest.I32Const(answer+1), wasmtest.I32Const(1), wasmtest.I32Store8(),
		wasmtest.I32Const(answer+2), wasmtest.I32Const(0x79), wasmtest.I32Store8(),
		wasmtest.I32Const(answer+3), size, wasmtest.I32Const(8), shr, wasmtest.I32Store8(),
		wasmtest.I32Const(answer+4), size, wasmtest.I32Store8(),
		wasmtest.I32Const(counter), wasmtest.I32Const(0), []byte{0x36, 2, 0}, // for the next call in the session
		size, wasmtest.I32Const(5), wasmtest.I32Add, 0xad, wasmtest.Answer(answer, 0), 0x84) // i64.extend_i32_u, i64.or
}

// What reaches a guest, byte for byte, is the id, the features and the fields in its needs: for every
// choice of needs, whatever other contributions of the same turn need, and also when the answer is
// remembered.
func TestWhatReachesAGuest(t *testing.T) {
	all := abi.ContextFields()
	fieldsOf := func(set int) (needs []abi.ContextField) {
		for i, f := range all {
			if set>>i&1 == 1 {
				needs = append(needs, f)
			}
		}
		return needs
	}
	secrets := map[abi.ContextField]string{
		abi.FieldProvider: "the-provider", abi.FieldActiveTools: "the-tool", abi.FieldSessionID: "the-session",
		abi.FieldPrompt: "the-prompt", abi.FieldSystemPromptOptions: "the-options",
	}
	require.Len(t, secrets, len(all))
	for _, state := range []abi.State{abi.StateNone, abi.StateSession} {
		t.Run(string(state), func(t *testing.T) {
			m := &abi.Manifest{State: state}
			for set := range 1 << len(all) {
				m.Contributions = append(m.Contributions, abi.Contribution{
					Interface: abi.DeveloperMessagesV1, ID: fmt.Sprintf("c%02d", set), Needs: fieldsOf(set)})
			}
			data, code := echo()
			var r Registry
			addGuest(t, &r, runtime.Limits{}, guestFile(t, m, data, map[string][]byte{abi.RenderV1: code}))
			prompt, own := secrets[abi.FieldPrompt], "the-host's-own-prompt"
			rc := &RenderContext{
				Provider: secrets[abi.FieldProvider], API: "the-api", ActiveTools: []string{secrets[abi.FieldActiveTools]},
				SessionID: secrets[abi.FieldSessionID], Prompt: &prompt,
				Options: PromptOptions{CWD: secrets[abi.FieldSystemPromptOptions], Extra: map[string]json.RawMessage{"x": []byte(`{"y":[1]}`)}},
				CWD:     "the-directory", SystemPrompt: &own,
			}
			check := func(c *Contribution, text string) {
				set := slices.IndexFunc(m.Contributions, func(o abi.Contribution) bool { return o.ID == c.ID })
				request, err := hex.DecodeString(text)
				require.NoError(t, err)
				var got map[string]any
				require.NoError(t, abi.Decode(request, &got), c.ID)
				want := []string{"id", "features"}
				for i, f := range all {
					needed := set>>i&1 == 1
					if needed {
						want = append(want, string(f))
					}
					assert.Equal(t, needed, strings.Contains(string(request), secrets[f]), "%s: %s", c.ID, f)
				}
				var keys []string
				for key := range got {
					keys = append(keys, key)
				}
				assert.ElementsMatch(t, want, keys)
				assert.Equal(t, c.ID, got["id"])
				assert.Equal(t, uint64(0), got["features"])
				for _, other := range []string{"the-api", "the-directory", "the-host's"} {
					assert.NotContains(t, string(request), other)
				}
			}
			list := r.Snapshot().Contributions
			require.Len(t, list, 1<<len(all))
			for round := range 3 {
				texts := make([]string, len(list))
				var wg sync.WaitGroup
				for i := range list {
					at := (i*7 + round) % len(list) // another order in each round
					wg.Go(func() {
						text, err := list[at].Render(context.Background(), rc)
						assert.NoError(t, err)
						texts[at] = text
					})
				}
				wg.Wait()
				for i := range list {
					check(list[i], texts[i])
				}
			}
		})
	}
}
