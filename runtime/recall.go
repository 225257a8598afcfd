package runtime

import (
	"context"
	"crypto/sha256"
)

// Recall returns the answer to a call if it was given before in the same session and is remembered; an
// empty value is an answer of nothing. It runs nothing, and it does not ask whether the guest is in
// quarantine: what was right once is right again. The value is CBOR.
//
// Answers are remembered if they depend on nothing but the request: those of guests without state that
// were granted neither clock nor random nor kv. Calls without a session, calls with a payload, and errors
// are not remembered. [Options] bound the memory; EndSession and Close forget.
func (g *Guest) Recall(c Call) (value string, ok bool) {
	if !g.remembers(&c) {
		return "", false
	}
	value, ok, _ = g.runtime.memo.recall(g, &c, c.sum())
	return value, ok
}

// Ask is Call with the value as a string, empty for nothing. It needs no copy of its own where the answer
// is remembered.
func (g *Guest) Ask(ctx context.Context, c Call) (value string, err error) {
	out := sink{asText: true}
	err = g.do(ctx, c, &out)
	return out.text, err
}

// remembers reports whether the answer to a call may be remembered.
func (g *Guest) remembers(c *Call) bool {
	return g.sessions == nil && g.granted.pure() && c.Session != "" && c.PayloadBytes == 0
}

// question is a call that is not remembered yet.
type question struct {
	guest *Guest // nil: it is not going to be
	sum   [sha256.Size]byte
	stamp uint64
}

// lookUp asks the memory for the answer to a call. If ok is true it is the value, empty for nothing.
func (g *Guest) lookUp(ctx context.Context, c *Call) (q question, value string, ok bool) {
	if !g.remembers(c) {
		return question{}, "", false
	}
	q = question{guest: g, sum: c.sum()}
	value, ok, q.stamp = g.runtime.memo.recall(g, c, q.sum)
	if u := usageOf(ctx); ok && u != nil {
		u.Calls++
		u.Remembered++
	}
	return q, value, ok
}

// answered keeps the answer, which a sink has taken.
func (q *question) answered(c *Call, value []byte, out *sink) {
	if q.guest == nil {
		return
	}
	kept := out.text
	if !out.asText {
		kept = string(value)
	}
	q.guest.runtime.memo.remember(q.guest, c, q.sum, kept, q.stamp)
}

// A sink takes values out of the guest's memory: as a text, which the memory of answers can share, or
// behind the bytes that are there.
type sink struct {
	bytes  []byte
	asText bool
	text   string
}

func (s *sink) take(value []byte) {
	if s.asText {
		s.text = string(value)
	} else {
		s.bytes = append(s.bytes, value...)
	}
}

func (s *sink) recall(value string) {
	if s.asText {
		s.text = value
	} else {
		s.bytes = append(s.bytes, value...)
	}
}

// head and sum together are the identity of a request.
func (c *Call) head() []byte {
	if c.Shared == nil {
		return nil
	}
	return c.Request
}

func (c *Call) sum() [sha256.Size]byte {
	if c.Shared == nil {
		return sha256.Sum256(c.Request)
	}
	return c.Shared.sum()
}
