// Package sourcemap reads source maps, version 3, as far as a stack needs them: which place of the sources
// a place of a script comes from. Maps come with guests, so nothing in them is trusted: what cannot be
// read is a place that is not known. A map is read once; asking it afterwards costs little, however large
// it is.
package sourcemap

import (
	"encoding/json"
	"errors"
	"fmt"
)

// A Map is a source map without the texts of the sources. It is safe for concurrent use.
type Map struct {
	root     string
	sources  []*string
	mappings string
	marks    []segment // one every few KiB of mappings, in their order
	useful   bool      // some segment has a place
}

// Parse reads the JSON of a source map. Mappings are used up to the first fault in them.
func Parse(text string) (*Map, error) {
	var m struct {
		Version    int             `json:"version"`
		Sources    []*string       `json:"sources"`
		SourceRoot string          `json:"sourceRoot"`
		Mappings   *string         `json:"mappings"`
		Sections   json.RawMessage `json:"sections"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			if wrong.Field == "" {
				return nil, errors.New("source map: it is no JSON object")
			}
			return nil, fmt.Errorf("source map: %q is of another type (%s)", wrong.Field, wrong.Value)
		}
		return nil, fmt.Errorf("source map: %w", err)
	}
	switch {
	case m.Version != 3:
		return nil, fmt.Errorf("source map: its version is %d instead of 3", m.Version)
	case m.Sections != nil:
		return nil, errors.New("source map: it is made of sections, which are not supported")
	case m.Mappings == nil:
		return nil, errors.New("source map: it has no mappings")
	}
	out := &Map{root: m.SourceRoot, sources: m.Sources, mappings: *m.Mappings}
	out.index()
	return out, nil
}

// Useful tells whether the map knows any place at all.
func (m *Map) Useful() bool { return m.useful }

// A Position is a place of the script.
type Position struct{ Line, Column int } // from 1

// A Place is a place of a source. The zero value stands for one that is not known.
type Place struct {
	Source       string
	Line, Column int // from 1
}

// Locate returns the place that a position of the script comes from: that of the last segment on its line
// that does not begin behind it.
func (m *Map) Locate(p Position) Place {
	s := m.before(p)
	for next := s; m.step(&next) && !next.behind(p); {
		s = next
	}
	if s.line != p.Line || !s.known {
		return Place{}
	}
	return m.place(&s)
}
