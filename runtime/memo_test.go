package runtime

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// check counts again what a memo says that it holds.
func (m *memo) check(t require.TestingT) {
	require.Len(t, m.sessions, m.recent.Len())
	total := 0
	for id, s := range m.sessions {
		require.Equal(t, id, s.id)
		require.NotEmpty(t, s.entries, "a session without answers costs nothing")
		require.Len(t, s.entries, s.recent.Len())
		sum := 0
		for key, at := range s.entries {
			e := at.Value.(*memoEntry)
			require.Equal(t, key, e.key)
			sum += e.cost()
		}
		require.Equal(t, sum, s.bytes)
		require.LessOrEqual(t, s.bytes, m.bounds.SessionBytes)
		total += sum + s.cost()
	}
	require.Equal(t, total, m.bytes)
	require.LessOrEqual(t, m.bytes, m.bounds.HostBytes)
}

type knownCall struct {
	session, op, head, tail string
	guest                   *Guest
}

func (k knownCall) call() *Call {
	return &Call{Session: k.session, Op: k.op, Request: []byte(k.head), Shared: Share([]byte(k.tail))}
}

// Whatever happens, what is recalled is the last answer to that question, and the bounds hold.
func TestMemoAgainstModel(t *testing.T) {
	guests := []*Guest{{}, {}}
	question := rapid.Custom(func(t *rapid.T) knownCall {
		from := func(label string, names ...string) string { return rapid.SampledFrom(names).Draw(t, label) }
		return knownCall{from("session", "s", "t", "u"), from("op", "a", "b"), from("head", "", "x", "xy"), from("tail", "", "y", "z"),
			rapid.SampledFrom(guests).Draw(t, "guest")}
	})
	rapid.Check(t, func(t *rapid.T) {
		bounds := Remember{rapid.IntRange(0, 4_000).Draw(t, "session bytes"), rapid.IntRange(0, 8_000).Draw(t, "host bytes")}
		m := &memo{bounds: bounds, sessions: map[string]*memoSession{}}
		last := map[knownCall]string{}
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			k := question.Draw(t, "question")
			c := k.call()
			value, ok, stamp := m.recall(k.guest, c, c.sum())
			if ok {
				require.Equal(t, last[k], value)
			}
			switch rapid.SampledFrom([]string{"remember", "remember", "remember", "end", "end guest", "close"}).Draw(t, "step") {
			case "remember":
				answer := fmt.Sprint(i) + strings.Repeat("x", rapid.IntRange(0, 2_000).Draw(t, "length"))
				m.remember(k.guest, c, c.sum(), answer, stamp)
				last[k] = answer
				entry := (&memoEntry{key: memoKey{head: k.head}, value: answer}).cost()
				_, ok, _ := m.recall(k.guest, c, c.sum())
				fits := entry <= bounds.SessionBytes/2 && entry+memoSessionBytes+len(k.session) <= bounds.HostBytes
				require.Equal(t, fits, ok && fits, "an answer that fits is remembered first of all")
				if !fits {
					delete(last, k)
					m.endSession(k.session, nil) // an older answer may have stayed
					for q := range last {
						if q.session == k.session {
							delete(last, q)
						}
					}
				}
			case "end":
				m.endSession(k.session, nil)
				for q := range last {
					if q.session == k.session {
						delete(last, q)
					}
				}
				require.NotContains(t, m.sessions, k.session)
			case "end guest":
				m.endSession(k.session, k.guest)
				for q := range last {
					if q.session == k.session && q.guest == k.guest {
						delete(last, q)
					}
				}
			case "close":
				m.endGuest(k.guest)
				for q := range last {
					if q.guest == k.guest {
						delete(last, q)
					}
				}
			}
			m.check(t)
			for q := range last {
				c := q.call()
				if value, ok, _ := m.recall(q.guest, c, c.sum()); ok {
					require.Equal(t, last[q], value)
				}
			}
			for _, s := range m.sessions {
				for key := range s.entries {
					found := false
					for q := range last {
						c := q.call()
						found = found || key == memoKey{q.guest, q.op, q.head, c.sum()} && q.session == s.id
					}
					require.True(t, found, "what was forgotten is not there")
				}
			}
		}
	})
}

func TestMemoForgetsTheOldest(t *testing.T) {
	g := &Guest{}
	value := strings.Repeat("x", 600)
	put := func(m *memo, session, op string) {
		c := &Call{Session: session, Op: op}
		_, _, stamp := m.recall(g, c, c.sum())
		m.remember(g, c, c.sum(), value, stamp)
		m.check(t)
	}
	has := func(m *memo, session, op string) bool {
		c := &Call{Session: session, Op: op}
		_, ok, _ := m.recall(g, c, c.sum())
		return ok
	}
	m := newMemo(Remember{SessionBytes: 3_000, HostBytes: 100_000}) // three answers
	for _, op := range []string{"a", "b", "c"} {
		put(m, "s", op)
	}
	require.True(t, has(m, "s", "a"), "it is the newest now")
	put(m, "s", "d")
	assert.False(t, has(m, "s", "b"))
	assert.True(t, has(m, "s", "a") && has(m, "s", "c") && has(m, "s", "d"))
	put(m, "t", "b")
	assert.True(t, has(m, "s", "a"), "a session's own bound")

	m = newMemo(Remember{SessionBytes: 100_000, HostBytes: 5_000}) // of two sessions two each
	put(m, "s", "a")
	put(m, "t", "a")
	put(m, "t", "b")
	require.True(t, has(m, "s", "a"), "its session is the newest now")
	put(m, "u", "a")
	assert.False(t, has(m, "t", "a"), "the session that was idle the longest gives first")
	assert.True(t, has(m, "s", "a") && has(m, "t", "b") && has(m, "u", "a"))
}

func TestMemoWithoutRoom(t *testing.T) {
	for _, bounds := range []Remember{{SessionBytes: -1}, {HostBytes: -1}, {SessionBytes: 500}, {HostBytes: 500}} {
		m := newMemo(bounds)
		c := &Call{Session: "s"}
		m.remember(nil, c, c.sum(), "", 0)
		_, ok, _ := m.recall(nil, c, c.sum())
		assert.False(t, ok, bounds)
		m.bounds = Remember{1 << 20, 1 << 20}
		m.check(t)
	}
}

// A call that was running when its session ended leaves nothing behind.
func TestMemoOfASessionThatEndedMeanwhile(t *testing.T) {
	m := newMemo(Remember{})
	c := &Call{Session: "s"}
	_, _, stamp := m.recall(nil, c, c.sum())
	m.endSession("s", nil)
	m.remember(nil, c, c.sum(), "x", stamp)
	assert.Empty(t, m.sessions)
	_, _, stamp = m.recall(nil, c, c.sum())
	m.remember(nil, c, c.sum(), "x", stamp)
	value, ok, _ := m.recall(nil, c, c.sum())
	assert.True(t, ok)
	assert.Equal(t, "x", value)
}

func TestSharedIsPartOfTheQuestion(t *testing.T) {
	whole := &Call{Request: []byte("ab")}
	split := &Call{Request: []byte("a"), Shared: Share([]byte("b"))}
	assert.Equal(t, sha256.Sum256([]byte("ab")), whole.sum())
	assert.Empty(t, whole.head())
	assert.Equal(t, sha256.Sum256([]byte("b")), split.sum())
	assert.Equal(t, "a", string(split.head()))
	assert.Nil(t, whole.Shared.Bytes())
}

func BenchmarkRecall(b *testing.B) {
	g := &Guest{runtime: &Runtime{memo: newMemo(Remember{})}}
	for _, c := range []Call{
		{Op: "developer_messages_v1_render", Session: "s", Request: make([]byte, 20), Shared: Share(make([]byte, 1<<10))},
		{Op: "developer_messages_v1_render", Session: "s", Request: make([]byte, 1<<10)},
	} {
		b.Run(fmt.Sprint("shared=", c.Shared != nil), func(b *testing.B) {
			g.runtime.memo.remember(g, &c, c.sum(), strings.Repeat("x", 1<<10), 0)
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := g.Recall(c); !ok {
					b.Fatal("forgotten")
				}
			}
		})
	}
}
