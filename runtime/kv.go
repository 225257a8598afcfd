package runtime

import (
	"container/list"
	"context"
	"sync"
)

// A StoreKey names what one guest keeps in one session. Ids of guests are claims: two guests of the same
// id from different sources have nothing in common.
type StoreKey struct {
	Source  string // see GuestOptions
	Guest   string // id in the manifest
	Session string
}

// A Store keeps what guests with the capability kv write. A call of a guest loads at most once and saves
// at most once; calls with the same key follow each other from Load to Save. The methods are safe for
// concurrent use and return when the context ends. A store may forget a key at any time.
type Store interface {
	// Load returns the entries of a key; none is no error. Nobody changes the map or the values.
	Load(ctx context.Context, key StoreKey) (map[string][]byte, error)
	// Save puts entries in the place of those that were there, all or none. No entries forget the key.
	// Nobody changes the map or the values afterwards.
	Save(ctx context.Context, key StoreKey, entries map[string][]byte) error
	// EndSession forgets all keys of a session.
	EndSession(ctx context.Context, session string) error
}

// Bounds of what a guest keeps in one session, and of the memory that a runtime spends on all of them.
const (
	maxKVValueBytes = 16 << 10
	maxKVBytes      = 64 << 10 // keys and values
	maxKVEntries    = 256
	maxKVMemory     = 16 << 20
)

// What an entry, and a key, cost in the memory store on top of their bytes, about.
const (
	kvEntryCost = 64
	kvKeyCost   = 512
)

// A memoryStore is the store of a runtime that was given none. Beyond its memory the keys that were used
// the longest ago are forgotten.
type memoryStore struct {
	limit int

	mu       sync.Mutex
	sessions map[string]map[StoreKey]*list.Element // of *kept
	recent   list.List                             // front: used last
	used     int
}

type kept struct {
	key     StoreKey
	entries map[string][]byte
	cost    int
}

func newMemoryStore(limit int) *memoryStore {
	return &memoryStore{limit: limit, sessions: map[string]map[StoreKey]*list.Element{}}
}

func (s *memoryStore) Load(_ context.Context, key StoreKey) (map[string][]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.sessions[key.Session][key]
	if !ok {
		return nil, nil
	}
	s.recent.MoveToFront(at)
	return at.Value.(*kept).entries, nil
}

func (s *memoryStore) Save(_ context.Context, key StoreKey, entries map[string][]byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at, ok := s.sessions[key.Session][key]; ok {
		s.forget(at)
	}
	if len(entries) == 0 {
		return nil
	}
	k := &kept{key, entries, kvKeyCost + len(key.Source) + len(key.Guest) + len(key.Session)}
	for name, value := range entries {
		k.cost += kvEntryCost + len(name) + len(value)
	}
	if s.sessions[key.Session] == nil {
		s.sessions[key.Session] = map[StoreKey]*list.Element{}
	}
	s.sessions[key.Session][key] = s.recent.PushFront(k)
	s.used += k.cost
	for s.used > s.limit && s.recent.Len() > 1 {
		s.forget(s.recent.Back())
	}
	return nil
}

func (s *memoryStore) EndSession(_ context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, at := range s.sessions[session] {
		s.forget(at)
	}
	return nil
}

// forget takes a key out. The caller holds the lock.
func (s *memoryStore) forget(at *list.Element) {
	k := s.recent.Remove(at).(*kept)
	s.used -= k.cost
	session := s.sessions[k.key.Session]
	delete(session, k.key)
	if len(session) == 0 {
		delete(s.sessions, k.key.Session)
	}
}
