package hashline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// clock is a clock that is moved by hand.
type clock struct {
	mu     sync.Mutex
	now    time.Duration
	timers []*timer
}

type timer struct {
	at time.Duration
	f  func()
}

func (c *clock) after(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &timer{c.now + d, f}
	c.timers = append(c.timers, t)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, other := range c.timers {
			if other == t {
				c.timers = append(c.timers[:i], c.timers[i+1:]...)
				return true
			}
		}
		return false
	}
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	c.now += d
	var due []func()
	rest := c.timers[:0]
	for _, t := range c.timers {
		if t.at <= c.now {
			due = append(due, t.f)
		} else {
			rest = append(rest, t)
		}
	}
	c.timers = rest
	c.mu.Unlock()
	for _, f := range due {
		f()
	}
}

func (c *clock) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.timers)
}

// recorded is a coalescer on a clock, and what it has applied.
func recorded(t *testing.T) (*Coalescer[string], *clock, *[]string) {
	t.Helper()
	clock, applied := &clock{}, &[]string{}
	return NewCoalescer(Window, clock.after, func(_ context.Context, merged string, size int) (string, error) {
		*applied = append(*applied, fmt.Sprintf("%d:%s", size, merged))
		return fmt.Sprintf("r%d", len(*applied)), nil
	}), clock, applied
}

func TestWindowIsThatOfTheFirst(t *testing.T) {
	c, clock, applied := recorded(t)
	a := c.Join(t.Context(), "[a#0001] A")
	clock.advance(20 * time.Millisecond)
	b := c.Join(t.Context(), "[a#0001] B\n")
	assert.Empty(t, *applied)
	clock.advance(5 * time.Millisecond)
	d := c.Join(t.Context(), "[a#0001] D")
	for _, m := range []*Member[string]{a, b} {
		got, err := m.Wait()
		require.NoError(t, err)
		assert.Equal(t, "r1", got)
	}
	clock.advance(Window)
	got, err := d.Wait()
	require.NoError(t, err)
	assert.Equal(t, "r2", got)
	assert.Equal(t, []string{"2:[a#0001] A\n[a#0001] B", "1:[a#0001] D"}, *applied)
}

func TestTagsAreTheSameInEitherCase(t *testing.T) {
	c, clock, applied := recorded(t)
	c.Join(t.Context(), "[ a#00ff] A")
	c.Join(t.Context(), "[a#00FF] B")
	c.Join(t.Context(), "[A#00FF] C")
	clock.advance(Window)
	assert.Len(t, *applied, 2)
}

func TestUntaggedIsAppliedAsItIs(t *testing.T) {
	c, clock, applied := recorded(t)
	m := c.Join(t.Context(), "no header \n")
	assert.Equal(t, []string{"1:no header \n"}, *applied)
	got, err := m.Wait()
	require.NoError(t, err)
	assert.Equal(t, "r1", got)
	assert.Zero(t, clock.waiting())
}

func TestAbortWithinTheWindow(t *testing.T) {
	c, clock, applied := recorded(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := c.Join(ctx, "[a#0001] A")
	stays := c.Join(t.Context(), "[a#0001] B")
	cancel(errors.New("cut"))
	_, err := gone.Wait() // at once, long before the window closes
	require.EqualError(t, err, "cut")
	clock.advance(Window)
	got, err := stays.Wait()
	require.NoError(t, err)
	assert.Equal(t, "r1", got)
	assert.Equal(t, []string{"1:[a#0001] B"}, *applied)
}

func TestAbortOfAll(t *testing.T) {
	c, clock, applied := recorded(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	a, b := c.Join(ctx, "[a#0001] A"), c.Join(ctx, "[a#0001] B")
	cancel(errors.New("cut"))
	for _, m := range []*Member[string]{a, b} {
		_, err := m.Wait()
		require.EqualError(t, err, "cut")
	}
	assert.Zero(t, clock.waiting())
	next := c.Join(t.Context(), "[a#0001] C")
	clock.advance(Window)
	_, err := next.Wait()
	require.NoError(t, err)
	assert.Equal(t, []string{"1:[a#0001] C"}, *applied)
}

func TestAbortedBefore(t *testing.T) {
	c, clock, applied := recorded(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range []string{"[a#0001] A", "no tag"} {
		_, err := c.Apply(ctx, text)
		require.ErrorIs(t, err, context.Canceled)
	}
	assert.Zero(t, clock.waiting())
	assert.Empty(t, *applied)
}

// The news of an abort comes from another goroutine, and may come after the window has closed.
func TestAbortWhoseNewsIsLate(t *testing.T) {
	c, clock, applied := recorded(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := c.Join(ctx, "[a#0001] A")
	stays := c.Join(t.Context(), "[a#0001] B")
	c.mu.Lock() // nobody can be taken out
	cancel(errors.New("cut"))
	go clock.advance(Window)
	c.mu.Unlock()
	_, err := gone.Wait()
	require.EqualError(t, err, "cut")
	_, err = stays.Wait()
	require.NoError(t, err)
	assert.Equal(t, []string{"1:[a#0001] B"}, *applied)
}

func TestAbortWhileApplying(t *testing.T) {
	clock := &clock{}
	applying := make(chan struct{})
	c := NewCoalescer(Window, clock.after, func(ctx context.Context, _ string, _ int) (string, error) {
		close(applying)
		<-ctx.Done()
		return "", context.Cause(ctx)
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	a, b := c.Join(t.Context(), "[a#0001] A"), c.Join(ctx, "[a#0001] B")
	go clock.advance(Window)
	<-applying
	cancel(errors.New("cut"))
	for _, m := range []*Member[string]{a, b} {
		_, err := m.Wait()
		require.EqualError(t, err, "cut")
	}
}

func TestErrorIsThatOfAll(t *testing.T) {
	clock, broken := &clock{}, errors.New("broken")
	c := NewCoalescer(Window, clock.after, func(context.Context, string, int) (int, error) { return 0, broken })
	a, b, u := c.Join(t.Context(), "[a#0001]"), c.Join(t.Context(), "[a#0001]"), c.Join(t.Context(), "")
	clock.advance(Window)
	for _, m := range []*Member[int]{a, b, u} {
		_, err := m.Wait()
		assert.ErrorIs(t, err, broken)
	}
}

// Every patch is applied once, or left out because it was aborted, however the goroutines run.
func TestManyAtOnce(t *testing.T) {
	var mu sync.Mutex
	applied := map[string]int{}
	c := NewCoalescer(time.Millisecond, nil, func(_ context.Context, merged string, size int) (int, error) {
		lines := strings.Split(merged, "\n")
		mu.Lock()
		defer mu.Unlock()
		for _, line := range lines {
			applied[line]++
		}
		if len(lines) != size {
			return 0, fmt.Errorf("%d patches in %d lines", size, len(lines))
		}
		return size, nil
	})
	var wg sync.WaitGroup
	for n := range 400 {
		wg.Go(func() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			text := fmt.Sprintf("[f%d#000%d] %d", n%3, n%4, n)
			m := c.Join(ctx, text)
			if n%5 == 0 {
				cancel()
			}
			_, err := m.Wait()
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				assert.Equal(t, 1, applied[text], text)
			case n%5 == 0:
				assert.ErrorIs(t, err, context.Canceled)
			default:
				assert.NoError(t, err, text)
			}
		})
	}
	wg.Wait()
	assert.Empty(t, c.groups)
}
