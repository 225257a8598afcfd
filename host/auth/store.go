package auth

import "sync"

// A Store is where a plugin finds and keeps its credential. It is in memory and has one credential, by
// whatever id the plugin asks for it. The zero Store is empty. All methods may be called at the same
// time.
type Store struct {
	mu       sync.RWMutex
	current  *Credential
	redactor Redactor
}

// Get returns the credential, nil if there is none.
func (s *Store) Get() *Credential {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.current
}

// Set stores a credential in the place of the one before.
func (s *Store) Set(c *Credential) {
	s.redactor.AddCredential(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = c
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

// Redactor knows the secrets of every credential that was stored, those that are no longer in it
// included.
func (s *Store) Redactor() *Redactor { return &s.redactor }
