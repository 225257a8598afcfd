package hashline

import (
	"strings"
	"sync"
)

// Minted remembers the tags that a session's own results have named, so that a rejection of one of them can
// say what is the matter: the snapshot has aged out. The zero value is ready to use. It is safe for
// concurrent use. It remembers the last 65,536.
type Minted struct {
	mu    sync.Mutex
	paths map[string]map[string]bool // by tag, in the form of plainPath
	order []header                   // from oldest on
}

const mintedAtMost = 1 << 16

// Record remembers the tag of a path.
func (m *Minted) Record(path, tag string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.record(header{plainPath(path), strings.ToUpper(tag)})
}

func (m *Minted) record(h header) {
	paths := m.paths[h.tag]
	if paths[h.path] {
		return
	}
	if paths == nil {
		paths = map[string]bool{}
		if m.paths == nil {
			m.paths = map[string]map[string]bool{}
		}
		m.paths[h.tag] = paths
	}
	paths[h.path] = true
	m.order = append(m.order, h)
	if len(m.order) <= mintedAtMost {
		return
	}
	oldest := m.order[0]
	m.order = m.order[1:]
	if delete(m.paths[oldest.tag], oldest.path); len(m.paths[oldest.tag]) == 0 {
		delete(m.paths, oldest.tag)
	}
}

// Note remembers every [path#TAG] in the text of a result that is not an error.
func (m *Minted) Note(result string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for h := range tagged(result) {
		m.record(header{plainPath(h.path), h.tag})
	}
}

// Reset forgets all tags, as a new session does.
func (m *Minted) Reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.paths, m.order = nil, nil
}

// Known says whether a tag was one of a path. A relative path is the same as an absolute one that ends in
// it, and slashes lean either way.
func (m *Minted) Known(path, tag string) bool {
	path = plainPath(path)
	m.mu.Lock()
	defer m.mu.Unlock()
	paths := m.paths[strings.ToUpper(tag)]
	if paths[path] {
		return true
	}
	for other := range paths {
		if samePath(path, other) {
			return true
		}
	}
	return false
}

// Restate says what a rejection means that takes a tag for one of another session though it is known here:
// it returns the text for the model, and whether the rejection is one. The tag is that of a header in
// it.
func (m *Minted) Restate(rejection string) (text string, ok bool) {
	if !strings.Contains(strings.ToLower(rejection), "not from this session") {
		return rejection, false
	}
	for h := range tagged(rejection) {
		if m.Known(h.path, h.tag) {
			return "The snapshot [" + h.path + "#" + h.tag + "] is of this session, but too old: the file has changed " +
				"since. Read the file again, and make the edit with the new tag.", true
		}
	}
	return rejection, false
}

// plainPath is a path in the form in which paths are compared.
func plainPath(path string) string {
	path = strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./")
	return strings.TrimSuffix(path, "/")
}

// samePath compares plain paths.
func samePath(a, b string) bool {
	if isAbsolute(a) == isAbsolute(b) {
		return a == b
	}
	if isAbsolute(b) {
		a, b = b, a
	}
	return b != "" && strings.HasSuffix(a, "/"+b)
}

// isAbsolute knows the paths of every system.
func isAbsolute(path string) bool {
	if strings.HasPrefix(path, "/") {
		return true
	}
	return len(path) >= 3 && path[1] == ':' && path[2] == '/' && path[0]|0x20 >= 'a' && path[0]|0x20 <= 'z'
}
