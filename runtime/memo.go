package runtime

import (
	"container/list"
	"crypto/sha256"
	"sync"
)

// A Remember bounds the memory of answers: a guest whose answer depends on nothing but the request is
// not asked twice the same within a session. Zero fields mean the defaults; a negative one means that
// nothing is remembered.
type Remember struct {
	SessionBytes int // of one session; default 1 MiB
	HostBytes    int // of all sessions together; default 32 MiB
}

func (r Remember) withDefaults() Remember {
	if r.SessionBytes < 0 || r.HostBytes < 0 {
		return Remember{}
	}
	if r.SessionBytes == 0 {
		r.SessionBytes = 1 << 20
	}
	if r.HostBytes == 0 {
		r.HostBytes = 32 << 20
	}
	return r
}

// A Shared is the end of a request that several calls have in common. It is hashed once for all of them.
type Shared struct {
	bytes []byte
	once  sync.Once
	hash  [sha256.Size]byte
}

// Share makes a Shared of bytes, which must not be changed any more.
func Share(bytes []byte) *Shared { return &Shared{bytes: bytes} }

// Bytes returns the bytes, which must not be changed; none of a nil Shared.
func (s *Shared) Bytes() []byte {
	if s == nil {
		return nil
	}
	return s.bytes
}

func (s *Shared) sum() [sha256.Size]byte {
	s.once.Do(func() { s.hash = sha256.Sum256(s.bytes) })
	return s.hash
}

// A memo is the memory of answers of a runtime. It forgets what was asked for the longest time ago: of a
// session that has too much its own answers, of all sessions together those of the session that was idle
// the longest.
type memo struct {
	bounds Remember

	mu       sync.Mutex
	sessions map[string]*memoSession
	recent   list.List // of *memoSession, the last one used in front
	bytes    int
	ends     uint64 // how often a session was forgotten
}

type memoSession struct {
	id      string
	place   *list.Element
	entries map[memoKey]*list.Element // of *memoEntry
	recent  list.List                 // of *memoEntry, the last one used in front
	bytes   int
}

// A memoKey is a question: the guest stands for its artifact, grants and configuration, since a guest
// that is loaded again is another one. The sum is that of the request without its head.
type memoKey struct {
	guest    *Guest
	op, head string
	sum      [sha256.Size]byte
}

type memoEntry struct {
	key   memoKey
	value string // CBOR; empty for an answer of nothing
}

// What an entry and a session cost beside their texts, roughly.
const (
	memoEntryBytes   = 384
	memoSessionBytes = 512
)

func (e *memoEntry) cost() int { return memoEntryBytes + len(e.key.head) + len(e.value) }

func (s *memoSession) cost() int { return memoSessionBytes + len(s.id) }

func newMemo(bounds Remember) *memo {
	return &memo{bounds: bounds.withDefaults(), sessions: map[string]*memoSession{}}
}

// recall returns what was answered to a call before, empty for nothing. The stamp is for remember.
func (m *memo) recall(g *Guest, c *Call, sum [sha256.Size]byte) (value string, ok bool, stamp uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[c.Session]
	if s == nil {
		return "", false, m.ends
	}
	e, ok := s.entries[memoKey{g, c.Op, string(c.head()), sum}]
	if !ok {
		return "", false, m.ends
	}
	s.recent.MoveToFront(e)
	m.recent.MoveToFront(s.place)
	return e.Value.(*memoEntry).value, true, m.ends
}

// remember keeps the answer to a call that recall knew nothing of. If a session has ended since, it may
// have been this one, and nothing is kept.
func (m *memo) remember(g *Guest, c *Call, sum [sha256.Size]byte, value string, stamp uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := &memoEntry{key: memoKey{g, c.Op, string(c.head()), sum}, value: value}
	if stamp != m.ends || e.cost() > m.bounds.SessionBytes/2 {
		return
	}
	s := m.sessions[c.Session]
	if s == nil {
		s = &memoSession{id: c.Session, entries: map[memoKey]*list.Element{}}
		s.place = m.recent.PushFront(s)
		m.sessions[s.id] = s
		m.bytes += s.cost()
	}
	if known, ok := s.entries[e.key]; ok { // a call beside this one was faster
		m.drop(s, known)
	}
	s.entries[e.key] = s.recent.PushFront(e)
	s.bytes += e.cost()
	m.bytes += e.cost()
	m.recent.MoveToFront(s.place)
	for s.bytes > m.bounds.SessionBytes {
		m.drop(s, s.recent.Back())
	}
	for m.bytes > m.bounds.HostBytes {
		idle := m.recent.Back().Value.(*memoSession)
		if m.drop(idle, idle.recent.Back()); len(idle.entries) == 0 {
			m.end(idle)
		}
	}
}

// drop takes an entry out. The lock is held.
func (m *memo) drop(s *memoSession, at *list.Element) {
	e := s.recent.Remove(at).(*memoEntry)
	delete(s.entries, e.key)
	s.bytes -= e.cost()
	m.bytes -= e.cost()
}

// end takes a session out. The lock is held.
func (m *memo) end(s *memoSession) {
	m.recent.Remove(s.place)
	delete(m.sessions, s.id)
	m.bytes -= s.cost() + s.bytes
}

// endSession forgets a session's answers, those of one guest or of all (nil), and those that calls which
// run now are going to give.
func (m *memo) endSession(id string, g *Guest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ends++
	if s := m.sessions[id]; s != nil {
		m.forget(s, g)
	}
}

// endGuest forgets a guest's answers. None of its calls runs any more.
func (m *memo) endGuest(g *Guest) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sessions {
		m.forget(s, g)
	}
}

func (m *memo) forget(s *memoSession, g *Guest) {
	for key, at := range s.entries {
		if g == nil || key.guest == g {
			m.drop(s, at)
		}
	}
	if len(s.entries) == 0 {
		m.end(s)
	}
}
