package auth

import (
	"slices"
	"sync"
)

// A Store is where a plugin finds and keeps its credential. It is in memory and has one credential, by
// whatever id the plugin asks for it. The zero Store is empty. All methods may be called at the same
// time.
type Store struct {
	mu      sync.RWMutex
	current *Credential
	// keys are those of the host that stand for the credential, the last used one last: it may go on with
	// the key of one that the plugin has replaced since.
	keys     []Secret
	redactor Redactor
}

// mostKeys is how many keys stand for a credential.
const mostKeys = 8

// Get returns the credential, nil if there is none.
func (s *Store) Get() *Credential {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.current
}

// Set stores a credential in the place of the one before. It is for the plugin: the new one is of the same
// user as the one before, be it with another access token. A host logs in with [Account.Login].
func (s *Store) Set(c *Credential) {
	s.redactor.AddCredential(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current = c; c == nil {
		s.keys = nil
	}
}

// Remove forgets the credential.
func (s *Store) Remove() { s.Set(nil) }

// All returns the credential under the id of a provider, and an empty map if there is none.
func (s *Store) All(provider string) map[string]*Credential {
	all := map[string]*Credential{}
	if c := s.Get(); c != nil {
		all[provider] = c
	}
	return all
}

// Redactor knows the secrets of the credential and of those that were stored before it, see [Redactor].
func (s *Store) Redactor() *Redactor { return &s.redactor }

// of returns the credential if a key stands for it, else nil.
func (s *Store) of(key Secret) *Credential {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.has(key) || s.had(key) {
		return s.current
	}
	return nil
}

// has says whether the credential has a key, and had whether the key stands for one that has another by
// now. Both are for who holds mu.
func (s *Store) has(key Secret) bool {
	return s.current != nil && s.current.Secret().IsSet() && s.current.Secret().is(key)
}

func (s *Store) had(key Secret) bool {
	return s.current != nil && s.current.Secret().IsSet() && !s.has(key) && slices.ContainsFunc(s.keys, key.is)
}

// login stores the credential of a login, which no key of the host stands for but its own.
func (s *Store) login(c *Credential) {
	s.redactor.AddCredential(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current, s.keys = c, []Secret{c.Secret()}
}

// begin stores a credential that the host has for a key. What the plugin has put in the place of one with
// this key stays, and if the host has nothing but the key, what the store has for it does too.
func (s *Store) begin(key Secret, c *Credential, bare bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.had(key), bare && s.has(key):
	case s.has(key):
		s.current = c
	default:
		s.current, s.keys = c, nil
	}
	s.keys = append(slices.DeleteFunc(s.keys, key.is), key)
	s.keys = s.keys[max(0, len(s.keys)-mostKeys):]
	s.redactor.AddCredential(s.current)
}
