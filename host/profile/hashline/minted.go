package hashline

import (
	"iter"
	"slices"
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
	h = header{strings.Clone(h.path), strings.Clone(h.tag)} // not to keep the whole result
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
	return m.first([]header{{plainPath(path), strings.ToUpper(tag)}}) == 0
}

// Restate says what a rejection means that takes a tag for one of another session though it is known here:
// it returns the text for the model, and whether the rejection is one. The tag is that of a header in
// it. The cost is that of sorting its headers and the paths that are remembered with their tags.
func (m *Minted) Restate(rejection string) (text string, ok bool) {
	if !strings.Contains(strings.ToLower(rejection), "not from this session") {
		return rejection, false
	}
	named := slices.Collect(tagged(rejection))
	asked := make([]header, len(named))
	for i, h := range named {
		asked[i] = header{plainPath(h.path), h.tag}
	}
	i := m.first(asked)
	if i == nobody {
		return rejection, false
	}
	return "The snapshot [" + named[i].path + "#" + named[i].tag + "] is of this session, but too old: the file has " +
		"changed since. Read the file again, and make the edit with the new tag.", true
}

// first returns the place of the first header that is known, nobody if none is.
func (m *Minted) first(asked []header) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	same := slices.IndexFunc(asked, func(h header) bool { return m.paths[h.tag][h.path] })
	if same < 0 {
		same = nobody
	} else {
		asked = asked[:same]
	}
	return min(same, firstTail(asked, m.tagged(asked)))
}

// tagged goes through what is remembered with the tags of some headers.
func (m *Minted) tagged(asked []header) iter.Seq[header] {
	return func(yield func(header) bool) {
		done := map[string]bool{}
		for _, h := range asked {
			if done[h.tag] {
				continue
			}
			done[h.tag] = true
			for path := range m.paths[h.tag] {
				if !yield(header{path, h.tag}) {
					return
				}
			}
		}
	}
}

// plainPath is a path in the form in which paths are compared.
func plainPath(path string) string {
	path = strings.TrimPrefix(strings.ReplaceAll(path, `\`, "/"), "./")
	return strings.TrimSuffix(path, "/")
}
