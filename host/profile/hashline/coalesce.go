package hashline

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

// Window is how long the first patch for a snapshot waits for others.
const Window = 25 * time.Millisecond

// A Coalescer applies patches for the same snapshot, which models like to send side by side, as one: the
// host would take each by itself for one of an outdated file after the first. R is the result of
// applying. It is safe for concurrent use.
type Coalescer[R any] struct {
	window time.Duration
	after  AfterFunc
	apply  func(ctx context.Context, merged string, size int) (R, error)

	mu     sync.Mutex
	groups map[string]*group[R] // those whose window is open, by path and tag
}

// An AfterFunc calls f once when a time has passed, and not before it returns, unless it is stopped, as
// [time.AfterFunc] does.
type AfterFunc func(d time.Duration, f func()) (stop func() bool)

// NewCoalescer makes a coalescer. apply applies a merged patch of a number of patches; its context ends
// when that of any of them does, because what is merged cannot be parted again. after is nil for the
// real time.
func NewCoalescer[R any](
	window time.Duration, after AfterFunc, apply func(ctx context.Context, merged string, size int) (R, error),
) *Coalescer[R] {
	if after == nil {
		after = func(d time.Duration, f func()) func() bool { return time.AfterFunc(d, f).Stop }
	}
	return &Coalescer[R]{window: window, after: after, apply: apply, groups: map[string]*group[R]{}}
}

// group are the patches for one snapshot that wait for each other.
type group[R any] struct {
	members []*Member[R]
	left    int // how many of them have left
	stop    func() bool
}

// A Member is one patch on its way.
type Member[R any] struct {
	ctx   context.Context
	input string
	left  bool        // before the window closed
	leave func() bool // stops watching ctx

	done   chan struct{}
	result R
	err    error
}

// Apply is Join and Wait.
func (c *Coalescer[R]) Apply(ctx context.Context, input string) (R, error) {
	return c.Join(ctx, input).Wait()
}

// Join hands a patch in. The first one for a path and tag opens a window; those for the same that come
// before it closes are applied with it: in order of arrival, without white space at their ends, joined by
// line feeds. If a patch's context ends meanwhile, it is left out. Afterwards the patches share the
// result or error, and if the context of one of them ends, all fail. A patch without a path or a tag is
// applied alone and as it is, before Join returns. One whose context has ended already is not applied.
func (c *Coalescer[R]) Join(ctx context.Context, input string) *Member[R] {
	m := &Member[R]{ctx: ctx, input: input, done: make(chan struct{})}
	if ctx.Err() != nil {
		m.fail(context.Cause(ctx))
		return m
	}
	h, _, _ := nextHeader(input)
	patch := Patch{Path: h.path, Tag: h.tag}
	key := patch.key()
	if key == "" {
		m.result, m.err = c.apply(ctx, input, 1)
		close(m.done)
		return m
	}
	m.input = strings.TrimRightFunc(input, ecma.IsSpace)
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.groups[key]
	if g == nil {
		g = &group[R]{}
		c.groups[key] = g
		g.stop = c.after(c.window, func() { c.flush(key, g) })
	}
	g.members = append(g.members, m)
	m.leave = context.AfterFunc(ctx, func() { c.remove(key, g, m) })
	return m
}

// Wait waits until the patch has been applied, or left out. It returns what apply has returned, or why the
// patch's context ended. Any number of goroutines may wait.
func (m *Member[R]) Wait() (R, error) {
	<-m.done
	return m.result, m.err
}

func (m *Member[R]) fail(err error) {
	m.err = err
	close(m.done)
}

// remove leaves a patch out whose window is still open.
func (c *Coalescer[R]) remove(key string, g *group[R], m *Member[R]) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.groups[key] != g {
		return
	}
	m.left = true
	if g.left++; g.left == len(g.members) {
		g.stop()
		delete(c.groups, key)
	}
	m.fail(context.Cause(m.ctx))
}

// flush closes the window.
func (c *Coalescer[R]) flush(key string, g *group[R]) {
	members := c.close(key, g)
	if len(members) == 0 {
		return
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(members[0].ctx))
	defer cancel(nil)
	inputs := make([]string, len(members))
	for i, m := range members {
		inputs[i] = m.input
		stop := context.AfterFunc(m.ctx, func() { cancel(context.Cause(m.ctx)) })
		defer stop()
	}
	result, err := c.apply(ctx, strings.Join(inputs, "\n"), len(members))
	for _, m := range members {
		m.result, m.err = result, err
		close(m.done)
	}
}

// close takes a group out and returns its patches, but for those whose contexts have ended: the news may
// still be on its way.
func (c *Coalescer[R]) close(key string, g *group[R]) []*Member[R] {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.groups[key] != g {
		return nil
	}
	delete(c.groups, key)
	var members []*Member[R]
	for _, m := range g.members {
		if m.left {
			continue
		}
		m.leave()
		if m.ctx.Err() != nil {
			m.fail(context.Cause(m.ctx))
			continue
		}
		members = append(members, m)
	}
	return members
}
