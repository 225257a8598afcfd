package envelope

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

func TestRememberedTextsTakeTheirPlace(t *testing.T) {
	var rendered []string
	contribution := func(id, remembered string) registry.Contribution {
		return registry.Contribution{ID: id,
			Render: func(context.Context, *registry.RenderContext) (string, error) {
				rendered = append(rendered, id)
				return "fresh " + id, nil
			},
			Recall: func(rc *registry.RenderContext) (string, bool) {
				assert.Equal(t, "p", rc.Provider)
				if remembered == "panics" {
					panic("oops")
				}
				return remembered, remembered != ""
			}}
	}
	blank := contribution("e", "")
	blank.Recall = func(*registry.RenderContext) (string, bool) { return "", true }
	plain := contribution("f", "")
	plain.Recall = nil
	s := newService(t, contribution("a", " old a "), contribution("b", ""), contribution("c", "old c"), contribution("d", "panics"), blank, plain)
	messages, report, err := s.Render(t.Context(), &registry.RenderContext{Provider: "p"})
	require.NoError(t, err)
	assert.Equal(t, "a=old a b=fresh b c=old c d=fresh d f=fresh f", contents(messages))
	assert.Equal(t, []string{"b", "d", "f"}, rendered)
	remembered := ""
	for _, o := range report.Contributions {
		if o.Remembered {
			remembered += o.ID
			assert.Zero(t, o.Duration, "it was not called")
		} else {
			assert.NotZero(t, o.Duration)
		}
		assert.Zero(t, o.Fuel)
	}
	assert.Equal(t, "ace", remembered)
	assert.Equal(t, Blank, outcome(t, report, "e").Reason)
}

// A remembered text behind one that fails the render changes nothing about the failure.
func TestRememberedBehindAFailure(t *testing.T) {
	broken := errors.New("broken")
	for _, policy := range []registry.FailurePolicy{registry.Fail, registry.Skip} {
		s := newService(t,
			registry.Contribution{ID: "a", OnFailure: policy, Render: failing(broken)},
			registry.Contribution{ID: "b", Recall: func(*registry.RenderContext) (string, bool) { return "B", true }},
			registry.Contribution{ID: "c", Render: registry.Text("C")})
		messages, report, err := s.Render(t.Context(), &registry.RenderContext{})
		if policy == registry.Fail {
			require.ErrorIs(t, err, broken)
			assert.Equal(t, NotReached, outcome(t, report, "c").Reason)
		} else {
			require.NoError(t, err)
			assert.Equal(t, "b=B c=C", contents(messages))
		}
		assert.Equal(t, Failed, outcome(t, report, "a").Reason)
	}
}

// A text that was remembered is as good as one that was rendered when the next turn fails.
func TestRememberedIsLastGood(t *testing.T) {
	works := true
	s := newService(t, registry.Contribution{ID: "a", OnFailure: registry.LastGood, Render: failing(errors.New("broken")),
		Recall: func(*registry.RenderContext) (string, bool) { return "A", works }})
	for range 2 {
		env, err := s.Capture(t.Context(), Request{SessionID: "s"})
		require.NoError(t, err)
		assert.Equal(t, "A", env.DeveloperMessages[0].Content)
		o := outcome(t, env.Report, "a")
		assert.Equal(t, works, o.Remembered)
		assert.Equal(t, works, o.Reason == "")
		works = false
	}
}

func TestOutcomesAsJSON(t *testing.T) {
	raw, err := json.Marshal(Outcome{ID: "a", Source: "g@1", Fuel: 41_234, Remembered: true, Included: true, Bytes: 3})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"a","source":"g@1","included":true,"durationNs":0,"fuel":41234,"remembered":true,"bytes":3}`, string(raw))
	raw, err = json.Marshal(Outcome{ID: "a", Source: Native})
	require.NoError(t, err)
	assert.NotContains(t, string(raw), "fuel")
	assert.NotContains(t, string(raw), "remembered")
}
