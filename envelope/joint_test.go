package envelope

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

// a far renders contributions as another process would, and notes what it was asked for.
type far struct {
	joint registry.Joint
	asked [][]string
	fails map[string]error
	more  bool // it goes on behind a failure, whatever it is told
}

func newFar() *far {
	f := &far{fails: map[string]error{}}
	f.joint.Render = func(_ context.Context, _ *registry.RenderContext, list []*registry.Contribution, stop bool) []registry.Rendered {
		var ids []string
		var out []registry.Rendered
		for _, c := range list {
			ids = append(ids, c.ID)
			err := f.fails[c.ID]
			out = append(out, registry.Rendered{Text: " " + c.ID + " ", Err: err})
			if err != nil && stop && !f.more {
				break
			}
		}
		f.asked = append(f.asked, ids)
		return out
	}
	return f
}

func (f *far) list(ids ...string) []*registry.Contribution {
	var list []*registry.Contribution
	for _, id := range ids {
		list = append(list, &registry.Contribution{ID: id, Source: "client", Joint: &f.joint})
	}
	return list
}

func guest(id string, rendered *[]string) registry.Contribution {
	return registry.Contribution{ID: id, Concurrent: true, Source: "g@1", Render: func(context.Context, *registry.RenderContext) (string, error) {
		*rendered = append(*rendered, id)
		return id, nil
	}}
}

func TestNeighboursAreRenderedTogether(t *testing.T) {
	ctx, rc := context.Background(), &registry.RenderContext{}
	var ran []string
	s := newService(t, guest("b", &ran))
	f := newFar()
	messages, report, err := s.Render(ctx, rc, f.list("c", "a", "d")...)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a", "c", "d"}}, f.asked, "one call, in order: nothing depends on what the guest does")
	assert.Equal(t, "a=a b=b c=c d=d", contents(messages))
	assert.Equal(t, "client", report.Contributions[0].Source)

	s.Policy, s.Sequential, f.asked = registry.Fail, true, nil
	_, _, err = s.Render(ctx, rc, f.list("c", "a", "d")...)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a"}, {"c", "d"}}, f.asked, "the guest between them comes first")
}

func TestAFailureStopsWhatIsBehindIt(t *testing.T) {
	ctx, rc := context.Background(), &registry.RenderContext{}
	for _, more := range []bool{false, true} {
		var ran []string
		s := newService(t, guest("d", &ran))
		s.Policy, s.Sequential = registry.Fail, true
		f := newFar()
		f.more = more
		f.fails["b"], f.fails["c"] = errors.New("no index"), errors.New("another")
		_, report, err := s.Render(ctx, rc, f.list("a", "b", "c", "e")...)
		var failed *ContributionError
		require.ErrorAs(t, err, &failed)
		assert.Equal(t, "b", failed.ID)
		assert.EqualError(t, failed.Err, "no index")
		assert.Empty(t, ran)
		assert.Len(t, f.asked, 1)
		var reasons []Reason
		for _, o := range report.Contributions {
			reasons = append(reasons, o.Reason)
		}
		assert.Equal(t, []Reason{"", Failed, NotReached, NotReached, NotReached}, reasons)
	}
	// What a guest in front of them did ends it too.
	s := newService(t, registry.Contribution{ID: "a", Source: "g@1", Render: func(context.Context, *registry.RenderContext) (string, error) {
		return "", errors.New("guest failed")
	}})
	s.Policy, s.Sequential = registry.Fail, true
	f := newFar()
	_, _, err := s.Render(ctx, rc, f.list("b", "c")...)
	require.Error(t, err)
	assert.Empty(t, f.asked)
}

func TestPoliciesOfJointContributions(t *testing.T) {
	ctx, rc := context.Background(), &registry.RenderContext{}
	s := newService(t)
	f := newFar()
	f.fails["b"] = errors.New("no index")
	list := f.list("a", "b", "c")
	messages, _, err := s.Render(ctx, rc, list...)
	require.NoError(t, err)
	assert.Equal(t, "a=a c=c", contents(messages))
	// Those for which a failure means something else are asked alone.
	list[0].OnFailure, f.asked = registry.Fail, nil
	_, _, err = s.Render(ctx, rc, list...)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"a"}, {"b", "c"}}, f.asked)
}

func TestJointAnswersThatAreAmiss(t *testing.T) {
	ctx, rc := context.Background(), &registry.RenderContext{}
	s := newService(t)
	f := newFar()
	f.joint.Render = func(context.Context, *registry.RenderContext, []*registry.Contribution, bool) []registry.Rendered {
		return []registry.Rendered{{Text: "x"}}
	}
	_, report, err := s.Render(ctx, rc, f.list("a", "b")...)
	require.NoError(t, err)
	assert.ErrorIs(t, report.Contributions[1].Err, errNoAnswer)
	f.joint.Render = func(context.Context, *registry.RenderContext, []*registry.Contribution, bool) []registry.Rendered {
		panic("oh")
	}
	_, report, err = s.Render(ctx, rc, f.list("a", "b")...)
	require.NoError(t, err)
	for _, o := range report.Contributions {
		assert.ErrorIs(t, o.Err, ErrPanicked)
	}
	f.joint.Render = nil
	messages, _, err := s.Render(ctx, rc, f.list("a", "b")...)
	require.NoError(t, err)
	assert.Empty(t, messages)
}

// What comes with each request anew keeps its last good text under its id.
func TestLastGoodTextsOfARequestsContributions(t *testing.T) {
	s := newService(t)
	s.Policy = registry.LastGood
	f := newFar()
	capture := func(ids ...string) string {
		env, err := s.Capture(context.Background(), Request{SessionID: "s", Contributions: f.list(ids...)})
		require.NoError(t, err)
		return contents(env.DeveloperMessages[:len(env.DeveloperMessages)-1])
	}
	assert.Equal(t, "a=a b=b b=b", capture("a", "b", "b"))
	f.fails["a"], f.fails["b"] = errors.New("no index"), errors.New("no index")
	assert.Equal(t, "a=a b=b b=b", capture("a", "b", "b"))
	assert.Equal(t, "a=a b=b b=b", capture("a", "b", "b", "b"), "the third of that id has none")
	env, err := s.Current(context.Background(), "s", Overrides{})
	require.NoError(t, err)
	assert.Len(t, env.DeveloperMessages, 4, "the request's own are kept with it")
	env, err = s.Current(context.Background(), "s", Overrides{Contributions: f.list("c")})
	require.NoError(t, err)
	assert.Len(t, env.DeveloperMessages, 2)
	assert.Equal(t, "c", env.DeveloperMessages[0].ID)
	env, err = s.Current(context.Background(), "s", Overrides{Contributions: []*registry.Contribution{}})
	require.NoError(t, err)
	assert.Len(t, env.DeveloperMessages, 1, "an empty list takes their place")
}
