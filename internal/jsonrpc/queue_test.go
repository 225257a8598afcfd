package jsonrpc

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A gate is a handler that tells of each request and holds it until the test lets it through.
type gate struct {
	came chan string // ids
	open chan struct{}
}

func newGate() *gate { return &gate{came: make(chan string, 10_000), open: make(chan struct{})} }

func (g *gate) serve(ctx context.Context, req *Request) (any, error) {
	g.came <- req.ID.String()
	select {
	case <-g.open:
		return req.ID, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestOneKeyIsInOrder(t *testing.T) {
	g := newGate()
	p := newPeer(t, patient(), oneMethod(g.serve))
	for id := range 5 {
		p.request(id, "s")
	}
	p.request(5, "other")
	first, second := receive(t, g.came), receive(t, g.came)
	assert.ElementsMatch(t, []string{"0", "5"}, []string{first, second}, "another key does not wait")
	assert.Empty(t, g.came)
	close(g.open)
	var answered []int
	for range 6 {
		var m struct{ ID int }
		require.NoError(t, json.Unmarshal([]byte(p.receive()), &m))
		if m.ID < 5 {
			answered = append(answered, m.ID)
		}
	}
	assert.Equal(t, []int{0, 1, 2, 3, 4}, answered)
}

func TestWithoutKeySideBySide(t *testing.T) {
	limits := patient()
	limits.Workers = 3
	g := newGate()
	p := newPeer(t, limits, oneMethod(g.serve))
	for id := range 9 {
		p.request(id, "")
	}
	for range 3 {
		receive(t, g.came)
	}
	assert.Empty(t, g.came, "no more than there are workers")
	close(g.open)
	for range 9 {
		p.receive()
	}
}

// One key with much to do does not keep the others from their turn.
func TestKeysTakeTurns(t *testing.T) {
	limits := patient()
	limits.Workers = 1
	g := newGate()
	p := newPeer(t, limits, oneMethod(g.serve))
	for id := range 4 {
		p.request(id, "much")
	}
	p.request(10, "little")
	p.request(11, "little")
	receive(t, g.came)
	for range 2 { // all have been read before it opens
		p.send(`{"jsonrpc":"2.0","id":99,"method":"m","params":"much"}`)
	}
	p.wantsError("null", CodeInvalidRequest) // the second 99
	close(g.open)
	var order []string
	for range 6 {
		order = append(order, receive(t, g.came))
		p.receive()
	}
	assert.Equal(t, []string{"10", "1", "11", "2", "3", "99"}, order)
	p.receive()
}

func TestBounds(t *testing.T) {
	for name, c := range map[string]struct {
		limits Limits
		keys   func(int) string
		taken  int // beside the one that is being served
		limit  int
	}{
		"per key": {Limits{PerKey: 4, Waiting: 100, Bytes: 1 << 20}, func(int) string { return "s" }, 4, 4},
		"waiting": {Limits{PerKey: 4, Waiting: 6, Bytes: 1 << 20}, func(i int) string { return fmt.Sprint("k", i%3) }, 6, 6},
		"no key":  {Limits{PerKey: 4, Waiting: 6, Bytes: 1 << 20}, func(int) string { return "" }, 6, 6},
		"bytes":   {Limits{PerKey: 4, Waiting: 100, Bytes: 500}, func(int) string { return strings.Repeat("x", 100) }, 2, 500},
	} {
		t.Run(name, func(t *testing.T) {
			c.limits.Message, c.limits.Workers, c.limits.Outgoing = 1<<20, 1, 1<<20
			g := newGate()
			p := newPeer(t, c.limits, oneMethod(g.serve))
			p.request(0, c.keys(0))
			receive(t, g.came)
			for id := 1; id <= c.taken; id++ {
				p.request(id, c.keys(id))
			}
			p.request(1000, c.keys(c.taken+1))
			var m struct {
				ID    int
				Error struct {
					Code int
					Data struct{ Limit int }
				}
			}
			require.NoError(t, json.Unmarshal([]byte(p.receive()), &m))
			assert.Equal(t, 1000, m.ID)
			assert.Equal(t, CodeTooMuch, m.Error.Code)
			assert.Equal(t, c.limit, m.Error.Data.Limit)
			p.send(`{"jsonrpc":"2.0","method":"m","params":%q}`, c.keys(c.taken+1)) // refused without a word
			p.cancel(c.taken)                                                       // makes room
			p.wantsError(fmt.Sprint(c.taken), CodeCancelled)
			p.request(1001, c.keys(c.taken))
			p.request(1002, c.keys(c.taken))
			p.wantsError("1002", CodeTooMuch)
			close(g.open)
			for range c.taken + 1 {
				assert.NotContains(t, p.receive(), "error")
			}
			p.request(1003, c.keys(0)) // all is as at the beginning
			assert.NotContains(t, p.receive(), "error")
			p.conn.queue.mu.Lock()
			defer p.conn.queue.mu.Unlock()
			assert.Zero(t, p.conn.queue.waiting)
			assert.Empty(t, p.conn.queue.ready)
		})
	}
}

// When every worker waits for the peer, which first wants something itself, that is served all the same.
func TestAtOnce(t *testing.T) {
	limits := patient()
	limits.Workers, limits.Waiting = 2, 2
	g := newGate()
	p := newPeer(t, limits, func(req *Request) (Handler, string, error) {
		var kind string
		_ = json.Unmarshal(req.Params, &kind)
		if req.AtOnce = kind != "held"; kind == "quick" {
			return echo, "", nil
		}
		return g.serve, "", nil
	})
	for id := range 4 {
		p.request(id, "held")
		if id < limits.Workers { // until a worker has it, it is one of those that wait
			receive(t, g.came)
		}
	}
	p.request(10, "held")
	p.wantsError("10", CodeTooMuch)
	for id := 20; id < 30; id++ {
		p.request(id, "quick")
		p.wants(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":"quick"}`, id))
		p.awaitWorkers(limits.Workers) // one more ends behind its answer
	}
	assert.Empty(t, g.came, "the others still wait for a worker")
	for id := 30; id < 32; id++ {
		p.request(id, "slow")
		assert.Equal(t, fmt.Sprint(id), receive(t, g.came))
	}
	p.request(32, "quick")
	p.wantsError("32", CodeTooMuch) // there is an end to it
	close(g.open)
	for range 6 {
		assert.NotContains(t, p.receive(), "error")
	}
}

// awaitWorkers waits until no more workers are left than a number.
func (p *rawPeer) awaitWorkers(n int) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		p.conn.queue.mu.Lock()
		defer p.conn.queue.mu.Unlock()
		return p.conn.queue.workers <= n
	}, slack, time.Millisecond)
}

func TestLargeAlone(t *testing.T) {
	limits := patient()
	limits.Bytes = 10
	p := newPeer(t, limits, oneMethod(echo))
	p.request(1, "larger than the bound, and nothing else is held")
	assert.NotContains(t, p.receive(), "error")
}

func TestCancel(t *testing.T) {
	g := newGate()
	limits := patient()
	limits.Workers = 1
	p := newPeer(t, limits, oneMethod(g.serve))
	p.request(1, "s")
	receive(t, g.came)
	p.request(2, "s")
	p.request(3, "t")
	p.request(4, "")
	for _, waiting := range []int{2, 4, 3} {
		p.cancel(waiting)
		p.wantsError(fmt.Sprint(waiting), CodeCancelled)
	}
	p.request(2, "s") // the id is free again
	p.cancel(1)
	p.wantsError("1", CodeCancelled)
	assert.Equal(t, "2", receive(t, g.came))
	p.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":"2"}}`) // another id
	p.request(1, "")
	close(g.open)
	p.wants(`{"jsonrpc":"2.0","id":2,"result":2}`)
	p.wants(`{"jsonrpc":"2.0","id":1,"result":1}`)
	p.cancel(1) // too late
	p.request(5, "")
	p.wants(`{"jsonrpc":"2.0","id":5,"result":5}`)
}

// What a handler asks the peer is cancelled with the request that it serves.
func TestCancelGoesOn(t *testing.T) {
	var conn *Conn
	p := newPeer(t, patient(), oneMethod(func(ctx context.Context, _ *Request) (any, error) {
		return nil, conn.Call(ctx, "render", nil, nil)
	}))
	conn = p.conn
	p.request(8, "s")
	p.wants(`{"jsonrpc":"2.0","id":1,"method":"render"}`)
	p.cancel(8)
	p.wants(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	p.wantsError("8", CodeCancelled)
}

// A result that came in spite of a cancellation is sent: something may have changed.
func TestCancelTooLate(t *testing.T) {
	came := make(chan struct{})
	p := newPeer(t, patient(), oneMethod(func(ctx context.Context, _ *Request) (any, error) {
		close(came)
		<-ctx.Done()
		return "done", nil
	}))
	p.request(1, "")
	receive(t, came)
	p.cancel(1)
	p.wants(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
}

func TestDuplicateIDs(t *testing.T) {
	g := newGate()
	p := newPeer(t, patient(), oneMethod(g.serve))
	p.request(1, "s")
	receive(t, g.came)
	p.request(2, "s")
	for _, id := range []int{1, 2} {
		p.request(id, "other")
		p.wantsError("null", CodeInvalidRequest)
	}
	close(g.open)
	p.wants(`{"jsonrpc":"2.0","id":1,"result":1}`)
	p.wants(`{"jsonrpc":"2.0","id":2,"result":2}`)
	p.request(1, "other")
	p.wants(`{"jsonrpc":"2.0","id":1,"result":1}`)
}

// Whatever comes in whatever order: each key is served one by one in the order of arrival, each request is
// ended once, and nothing is left over.
func TestQueueProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limits := Limits{Workers: rapid.IntRange(1, 4).Draw(t, "workers"), PerKey: 3, Waiting: 8, Bytes: 40}
		var mu sync.Mutex
		served, busy := map[string][]int{}, map[string]bool{}
		ends := map[int]int{}
		q := newQueue(limits, nil)
		q.serve = func(in *incoming) {
			key := in.lane.key
			mu.Lock()
			assert.False(t, busy[key] && key != "")
			busy[key] = true
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			defer mu.Unlock()
			busy[key] = false
			n := int(in.Params[0])
			served[key] = append(served[key], n)
			ends[n]++
		}
		taken := 0
		for n := range rapid.IntRange(1, 100).Draw(t, "requests") {
			in := &incoming{Request: Request{ID: numberID(uint64(n)), Params: []byte{byte(n)}}, size: rapid.IntRange(1, 20).Draw(t, "size")}
			in.ctx, in.cancel = context.WithCancelCause(t.Context())
			if q.add(in, rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "key")) == nil {
				taken++
			}
			if rapid.Bool().Draw(t, "cancel") {
				if q.cancel(numberID(uint64(rapid.IntRange(0, n).Draw(t, "which")))) != nil {
					taken--
				}
			}
		}
		taken -= len(q.close())
		assert.Len(t, ends, taken)
		for n, times := range ends {
			assert.Equal(t, 1, times, n)
		}
		for key, order := range served {
			assert.True(t, key == "" || slices.IsSorted(order), "%s: %v", key, order)
		}
		assert.Zero(t, q.workers)
		assert.Equal(t, CodeCancelled, q.add(&incoming{}, "").Code, "it is closed")
	})
}
