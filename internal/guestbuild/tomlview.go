package guestbuild

import (
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
)

// selector is one table [[adapters.view]].
type selector struct {
	Path    []any    `toml:"path"`
	Where   []filter `toml:"where"`
	Members []string `toml:"members"`
	Clip    *uint64  `toml:"clip"`
}

type filter struct {
	Of       *uint64 `toml:"of"`
	Member   string  `toml:"member"`
	Equals   any     `toml:"equals"`
	Prefix   *string `toml:"prefix"`
	Suffix   *string `toml:"suffix"`
	Contains *string `toml:"contains"`
}

// places translates what an adapter of version 2 wants to see and to write.
func (a *adapter) places(out *abi.Adapter) error {
	for i, steps := range a.Write {
		p, err := path(steps)
		if err != nil {
			return below(fmt.Sprintf("write[%d]", i), err)
		}
		out.Write = append(out.Write, p)
	}
	for i, s := range a.View {
		p, err := path(s.Path)
		if err != nil {
			return below(fmt.Sprintf("view[%d].path", i), err)
		}
		selector := abi.Selector{Path: p, Members: s.Members, Clip: s.Clip}
		for j, f := range s.Where {
			filter := abi.Filter{Of: f.Of, Member: f.Member, Prefix: f.Prefix, Suffix: f.Suffix, Contains: f.Contains}
			if f.Equals != nil {
				if filter.Equals, err = abi.ScalarOf(f.Equals); err != nil {
					return below(fmt.Sprintf("view[%d].where[%d].equals", i, j), err)
				}
			}
			selector.Where = append(selector.Where, filter)
		}
		out.View = append(out.View, selector)
	}
	return nil
}

func path(steps []any) (abi.Path, error) {
	var p abi.Path
	for i, v := range steps {
		s, err := abi.StepOf(v)
		if err != nil {
			return nil, &abi.ManifestError{Field: fmt.Sprintf("[%d]", i), Reason: err.Error()}
		}
		p = append(p, s)
	}
	return p, nil
}
