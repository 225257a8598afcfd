package registry

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// saying registers a guest whose contribution always gives the same answer.
func saying(t *testing.T, answer []byte) *Contribution {
	t.Helper()
	var r Registry
	addGuest(t, &r, runtime.Limits{}, guestFile(t, &abi.Manifest{
		Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "c", Needs: []abi.ContextField{abi.FieldPrompt}}},
	}, wasmtest.Data{Offset: 4096, Bytes: answer}, map[string][]byte{abi.RenderV1: wasmtest.Answer(4096, uint32(len(answer)))}))
	return r.Snapshot().Contributions[0]
}

func TestRecall(t *testing.T) {
	for _, text := range []string{"", "short", strings.Repeat("é", 30_000)} {
		c := saying(t, wasmtest.Text(text))
		one, two := "1", "2"
		rc := &RenderContext{SessionID: "s", Prompt: &one}
		_, ok := c.Recall(rc)
		assert.False(t, ok)
		rendered, err := c.Render(t.Context(), rc)
		require.NoError(t, err)
		assert.Equal(t, text, rendered)
		for _, same := range []*RenderContext{rc, {SessionID: "s", Prompt: &one, Provider: "not needed"}} {
			recalled, ok := c.Recall(same)
			assert.True(t, ok)
			assert.Equal(t, text, recalled)
		}
		for _, other := range []*RenderContext{{SessionID: "t", Prompt: &one}, {SessionID: "s", Prompt: &two}, {SessionID: "s"}, {Prompt: &one}} {
			_, ok := c.Recall(other)
			assert.False(t, ok, other)
		}
	}
	c := saying(t, []byte{0x81, 0}) // nothing
	rc := &RenderContext{SessionID: "s"}
	text, err := c.Render(t.Context(), rc)
	require.NoError(t, err)
	assert.Empty(t, text)
	text, ok := c.Recall(rc)
	assert.True(t, ok)
	assert.Empty(t, text)
}

// An answer of another kind is the guest's failure, each time, and counts for its quarantine.
func TestContributionsThatAreNoTexts(t *testing.T) {
	for name, answer := range map[string][]byte{"number": {0x82, 1, 5}, "bytes": {0x82, 1, 0x41, 'a'}, "null": {0x82, 1, 0xf6}} {
		t.Run(name, func(t *testing.T) {
			c := saying(t, answer)
			rc := &RenderContext{SessionID: "s"}
			var failed *runtime.Error
			for range 3 {
				_, err := c.Render(t.Context(), rc)
				require.ErrorIs(t, err, ErrNotText)
				require.ErrorIs(t, err, abi.ErrBadAnswer)
				require.ErrorAs(t, err, &failed)
				assert.Equal(t, runtime.KindBadAnswer, failed.Kind)
				assert.NotZero(t, failed.Fuel)
				_, ok := c.Recall(rc)
				assert.False(t, ok)
			}
			_, err := c.Render(t.Context(), rc)
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, runtime.KindQuarantined, failed.Kind)
		})
	}
}

// What cannot be asked is not known.
func TestRecallOfABadContext(t *testing.T) {
	var r Registry
	addGuest(t, &r, runtime.Limits{}, guestFile(t, &abi.Manifest{
		Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "c", Needs: []abi.ContextField{abi.FieldActiveTools}}},
	}, wasmtest.Data{}, map[string][]byte{abi.RenderV1: wasmtest.Answer(0, 0)}))
	c, rc := r.Snapshot().Contributions[0], &RenderContext{SessionID: "s", ActiveTools: make([]string, 131_073)}
	_, ok := c.Recall(rc)
	assert.False(t, ok)
	_, err := c.Render(t.Context(), rc)
	assert.ErrorContains(t, err, "a list has 131073 elements")
}
