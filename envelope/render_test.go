package envelope

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/registry"
)

func newService(t testing.TB, contributions ...registry.Contribution) *Service {
	t.Helper()
	r := &registry.Registry{}
	for _, c := range contributions {
		_, err := r.Register(c)
		require.NoError(t, err)
	}
	return &Service{Registry: r, Environment: fixed}
}

func failing(err error) func(context.Context, *registry.RenderContext) (string, error) {
	return func(context.Context, *registry.RenderContext) (string, error) { return "ignored", err }
}

func contents(messages []registry.Message) string {
	var out []string
	for _, m := range messages {
		out = append(out, m.ID+"="+m.Content)
	}
	return strings.Join(out, " ")
}

func outcome(t testing.TB, r Report, id string) Outcome {
	t.Helper()
	for _, o := range r.Contributions {
		if o.ID == id {
			return o
		}
	}
	require.Fail(t, "no outcome for "+id)
	return Outcome{}
}

func TestSkipCostsOnlyItsPlace(t *testing.T) {
	broken := errors.New("index offline")
	s := newService(t,
		registry.Contribution{ID: "a", Render: registry.Text(" A ")},
		registry.Contribution{ID: "b", Source: "guest@1", Render: failing(broken)},
		registry.Contribution{ID: "c", Render: func(context.Context, *registry.RenderContext) (string, error) { panic("oops") }},
		registry.Contribution{ID: "d", Render: registry.Text("D")},
		registry.Contribution{ID: "e"},
		registry.Contribution{ID: "f", Providers: []string{"q"}},
		registry.Contribution{ID: "g", ActiveTools: []string{"read", "bash"}},
	)
	messages, report, err := s.Render(context.Background(), &registry.RenderContext{Provider: "p", ActiveTools: []string{"read"}})
	require.NoError(t, err)
	assert.Equal(t, "a=A d=D", contents(messages))
	assert.Equal(t, Outcome{ID: "a", Source: Native, Included: true, Bytes: 1, Duration: outcome(t, report, "a").Duration}, outcome(t, report, "a"))
	b := outcome(t, report, "b")
	assert.Equal(t, Failed, b.Reason)
	assert.Equal(t, "index offline", b.Error)
	assert.Equal(t, "guest@1", b.Source)
	assert.ErrorIs(t, b.Err, broken)
	assert.ErrorIs(t, outcome(t, report, "c").Err, ErrPanicked)
	assert.Contains(t, outcome(t, report, "c").Error, "oops")
	assert.Equal(t, Blank, outcome(t, report, "e").Reason)
	assert.Equal(t, registry.ProviderNotListed, outcome(t, report, "f").Reason)
	assert.Equal(t, []string{"bash"}, outcome(t, report, "g").Tools)
}

func TestReplacedIsReported(t *testing.T) {
	s := newService(t, registry.Contribution{ID: "a", Source: "one", Render: registry.Text("1")}, registry.Contribution{ID: "a", Render: registry.Text("2")})
	_, report, err := s.Render(context.Background(), &registry.RenderContext{})
	require.NoError(t, err)
	require.Len(t, report.Contributions, 2)
	assert.True(t, report.Contributions[0].Included)
	assert.Equal(t, Outcome{ID: "a", Source: "one", Reason: Replaced, By: Native}, report.Contributions[1])
}

func TestFailEndsTheRender(t *testing.T) {
	broken := errors.New("from b")
	var late atomic.Bool
	s := newService(t,
		registry.Contribution{ID: "a", Render: registry.Text("A")},
		registry.Contribution{ID: "b", OnFailure: registry.Fail, Source: "g", Render: failing(broken)},
		registry.Contribution{ID: "c", Render: func(context.Context, *registry.RenderContext) (string, error) {
			late.Store(true)
			return "C", nil
		}},
	)
	messages, report, err := s.Render(context.Background(), &registry.RenderContext{})
	assert.Nil(t, messages)
	var failed *ContributionError
	require.ErrorAs(t, err, &failed)
	assert.Equal(t, "b", failed.ID)
	assert.ErrorIs(t, err, broken)
	assert.EqualError(t, err, `developer message "b" of g: from b`)
	assert.False(t, late.Load())
	assert.Equal(t, NotReached, outcome(t, report, "c").Reason)
	var build *BuildError
	require.ErrorAs(t, err, &build)
	assert.Equal(t, report, build.Report)
}

// Whatever runs first, the failure that is reported is the first one in order.
func TestFirstFailureInOrderWinsConcurrently(t *testing.T) {
	for range 50 {
		var list []registry.Contribution
		for i := range 8 {
			c := registry.Contribution{ID: fmt.Sprint("c", i), Concurrent: true, OnFailure: registry.Fail, Render: registry.Text("x")}
			if i >= 3 {
				c.Render = failing(fmt.Errorf("from %d", i))
			}
			list = append(list, c)
		}
		_, _, err := newService(t, list...).Render(context.Background(), &registry.RenderContext{})
		assert.ErrorContains(t, err, "from 3")
	}
}

func TestConcurrentRenderKeepsOrderAndNativeSequence(t *testing.T) {
	var mu sync.Mutex
	var native []string
	var list []registry.Contribution
	var want []string
	for i := range 20 {
		id := fmt.Sprintf("c%02d", i)
		c := registry.Contribution{ID: id, Priority: float64(i), Concurrent: i%3 != 0}
		c.Render = func(context.Context, *registry.RenderContext) (string, error) {
			if !c.Concurrent {
				mu.Lock()
				native = append(native, id)
				mu.Unlock()
			}
			return id, nil
		}
		list = append(list, c)
		want = append(want, id+"="+id)
	}
	s := newService(t, list...)
	for range 20 {
		native = nil
		messages, _, err := s.Render(context.Background(), &registry.RenderContext{})
		require.NoError(t, err)
		assert.Equal(t, strings.Join(want, " "), contents(messages))
		assert.Equal(t, []string{"c00", "c03", "c06", "c09", "c12", "c15", "c18"}, native)
	}
}

func TestConcurrentContributionsOverlap(t *testing.T) {
	// Each waits for the other: only a concurrent render can finish.
	meet := make(chan struct{})
	c := func(id string) registry.Contribution {
		return registry.Contribution{ID: id, Concurrent: true, Render: func(ctx context.Context, _ *registry.RenderContext) (string, error) {
			select {
			case meet <- struct{}{}:
			case <-meet:
			case <-ctx.Done():
			}
			return id, nil
		}}
	}
	n := registry.Contribution{ID: "n", Render: func(ctx context.Context, _ *registry.RenderContext) (string, error) {
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-ctx.Done():
		}
		return "n", nil
	}}
	messages, _, err := newService(t, c("a"), n).Render(t.Context(), &registry.RenderContext{})
	require.NoError(t, err)
	assert.Equal(t, "a=a n=n", contents(messages))
}

func TestCancelledTurnIsNoSkippedContribution(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newService(t,
		registry.Contribution{ID: "a", Render: func(ctx context.Context, _ *registry.RenderContext) (string, error) {
			cancel()
			return "", ctx.Err()
		}},
		registry.Contribution{ID: "b", Render: registry.Text("B")},
	)
	_, report, err := s.Render(ctx, &registry.RenderContext{})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, NotReached, outcome(t, report, "b").Reason)
}

func TestLastGood(t *testing.T) {
	var err error
	text := "one"
	c := registry.Contribution{ID: "a", OnFailure: registry.LastGood, Render: func(context.Context, *registry.RenderContext) (string, error) {
		return text, err
	}}
	s := newService(t, c, registry.Contribution{ID: "t", OnFailure: registry.LastGood, ActiveTools: []string{"x"}, Render: c.Render})
	capture := func(session string, tools ...string) string {
		env, captureErr := s.Capture(context.Background(), Request{SessionID: session, ActiveTools: tools})
		require.NoError(t, captureErr)
		return strings.TrimSuffix(contents(env.DeveloperMessages[:len(env.DeveloperMessages)-1]), " ")
	}
	assert.Equal(t, "a=one t=one", capture("s1", "x"))
	assert.Equal(t, "a=one", capture("s1"))
	text, err = "broken", errors.New("offline")
	assert.Equal(t, "a=one t=one", capture("s1", "x"), "a turn without the tool forgets nothing")
	assert.Empty(t, capture("s2"), "another session has no text of its own")
	env, currentErr := s.Current(context.Background(), "s2", Overrides{})
	require.NoError(t, currentErr)
	assert.Equal(t, Failed, outcome(t, env.Report, "a").Reason, "and a failure is none that it could go back to")
	env, currentErr = s.Current(context.Background(), "s1", Overrides{})
	require.NoError(t, currentErr)
	o := outcome(t, env.Report, "a")
	assert.True(t, o.Included)
	assert.Equal(t, LastGoodUsed, o.Reason)
	assert.Equal(t, "offline", o.Error)

	_, regErr := s.Registry.Register(c)
	require.NoError(t, regErr)
	assert.Equal(t, "t=one", capture("s1", "x"), "a replacement does not inherit")
	text, err = " ", nil
	assert.Empty(t, capture("s1", "x"))
	err = errors.New("offline")
	assert.Empty(t, capture("s1", "x"), "nothing was the last good answer")
	s.Shutdown("s1", "new")
	text, err = "", errors.New("offline")
	assert.Empty(t, capture("s1", "x"))
}

// What a session remembers is bounded, however many contributions come and go and whatever they say.
func TestLastGoodTextsAreBounded(t *testing.T) {
	var g goodTexts
	g.add(goodKey{registered: &registry.Contribution{}}, strings.Repeat("x", maxGoodBytes+1))
	assert.Empty(t, g, "too long to keep")
	longest := strings.Repeat("x", maxGoodBytes)
	for range maxGoodTexts + 1 {
		g.add(goodKey{registered: &registry.Contribution{}}, longest)
	}
	assert.Len(t, g, maxGoodTexts)
}

func TestRenderWhileRegistering(t *testing.T) {
	s := newService(t, registry.Contribution{ID: "stays", Render: registry.Text("S")})
	var wg sync.WaitGroup
	for worker := range 3 {
		wg.Go(func() {
			for i := range 100 {
				reg, err := s.Registry.Register(registry.Contribution{ID: fmt.Sprint("g", worker), Concurrent: true, OnFailure: registry.LastGood, Render: registry.Text(fmt.Sprint(i))})
				if assert.NoError(t, err) {
					reg.Unregister()
				}
			}
		})
		wg.Go(func() {
			session := fmt.Sprint("s", worker%2)
			for range 100 {
				env, err := s.Capture(context.Background(), Request{SessionID: session})
				if assert.NoError(t, err) {
					assert.Contains(t, contents(env.DeveloperMessages), "stays=S")
				}
				_, _ = s.Current(context.Background(), session, Overrides{})
				s.Context(session, nil)
				s.PayloadState(session)
			}
			s.Shutdown(session, "new")
		})
	}
	wg.Wait()
}
