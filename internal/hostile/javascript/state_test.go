package javascript_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// hoarder keeps every prompt wherever it can, and answers all that it has.
const hoarder = `const kept = globalThis.kept = [];
globalThis.__pintle = {
	call(op, request) {
		const { prompt } = JSON.parse(request);
		if (prompt === undefined) return "0";
		kept.push(prompt);
		Array.prototype.kept = (Array.prototype.kept ?? "") + prompt;
		Symbol.for(prompt);
		/(.*)/.exec(prompt);
		Error.prompt = (Error.prompt ?? "") + prompt;
		return "1" + [kept.join(), [].kept, Error.prompt, RegExp.$1].join("|");
	},
	settled() { return "0" }, more() { return "{}" }, reseed() {},
};`

func stateful(t *testing.T, r *runtime.Runtime, code string, state abi.State) *runtime.Guest {
	t.Helper()
	m, err := wasmbin.Parse(bare(t), wasmbin.DefaultLimits())
	require.NoError(t, err)
	offers := manifest
	offers.State = state
	file, err := guestbuild.Attach(m.WithCustomFirst(abi.BundleSection, section(t, abi.Bundle{Code: code})), &offers)
	require.NoError(t, err)
	g, err := r.Load(t.Context(), "hoarder.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, g.Close(context.Background())) })
	return g
}

func askIn(ctx context.Context, g *runtime.Guest, session, prompt string) (string, error) {
	c, _ := registry.ContributionOf(g, "c")
	return c.Render(ctx, &registry.RenderContext{SessionID: session, Prompt: &prompt})
}

// Without session state no call sees anything of another one, whoever asks at the same time.
func TestNothingPassesFromCallToCall(t *testing.T) {
	g := stateful(t, newRuntime(t), hoarder, abi.StateNone)
	var group sync.WaitGroup
	for worker := range 4 {
		group.Go(func() {
			for i := range 25 {
				secret := fmt.Sprintf("secret-%d-%d", worker, i)
				said, err := askIn(t.Context(), g, fmt.Sprint(worker), secret)
				assert.NoError(t, err)
				assert.Equal(t, strings.Repeat("|"+secret, 3)[1:]+"|"+said[strings.LastIndex(said, "|")+1:], said)
				assert.NotContains(t, strings.ReplaceAll(said, secret, ""), "secret")
			}
		})
	}
	group.Wait()
}

// With session state a session sees its own calls and no other session's.
func TestSessionsDoNotMeet(t *testing.T) {
	g := stateful(t, newRuntime(t), hoarder, abi.StateSession)
	for i := range 5 {
		for _, session := range []string{"a", "b", "c"} {
			said, err := askIn(t.Context(), g, session, session+fmt.Sprint(i))
			require.NoError(t, err)
			assert.Equal(t, i+1, strings.Count(said[:strings.Index(said, "|")], session), said)
			for _, other := range []string{"a", "b", "c"} {
				if other != session {
					assert.NotContains(t, said, other)
				}
			}
		}
	}
}

// A session whose instance was thrown away begins anew; the others go on.
func TestSessionsAfterAnAttack(t *testing.T) {
	code := strings.Replace(hoarder, `kept.push(prompt);`, `kept.push(prompt); if (prompt === "spin") for (;;);`, 1)
	g := stateful(t, newRuntime(t), code, abi.StateSession)
	for _, step := range []struct {
		session, prompt, kept string
	}{{"a", "1", "1"}, {"b", "1", "1"}, {"a", "spin", ""}, {"a", "2", "2"}, {"b", "2", "1,2"}, {"a", "3", "2,3"}} {
		said, err := askIn(t.Context(), g, step.session, step.prompt)
		if step.kept == "" {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, step.kept, said[:strings.Index(said, "|")])
	}
}
