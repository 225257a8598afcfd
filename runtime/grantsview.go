package runtime

import (
	"bytes"
	"slices"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/listing"
)

// view compares what two adapters of version 2 see of a payload and where they edit. A selector or path
// that no earlier one covers counts as new, even if several together would cover it.
func (w *widening) view(in func(field string) Widening, name string, from, to *abi.Adapter) {
	for i := range to.View {
		s := &to.View[i]
		if !slices.ContainsFunc(from.View, func(old abi.Selector) bool { return selects(&old, s) }) {
			w.add(in("view"), "%s sees more of %q", name, s.Path.String())
		}
	}
	for _, path := range to.Write {
		if !slices.ContainsFunc(from.Write, func(old abi.Path) bool { return below(path, old) }) {
			w.add(in("write"), "%s edits %q", name, path.String())
		}
	}
}

// selects reports whether a selector shows everything that a narrower one does.
func selects(wide, narrow *abi.Selector) bool {
	return slices.Equal(wide.Path, narrow.Path) &&
		clipOf(wide) >= clipOf(narrow) &&
		len(listing.Missing(wide.Members, narrow.Members)) == 0 &&
		!slices.ContainsFunc(wide.Where, func(f abi.Filter) bool {
			return !slices.ContainsFunc(narrow.Where, func(g abi.Filter) bool { return sameFilter(&f, &g, wide.Path) })
		})
}

func clipOf(s *abi.Selector) uint64 {
	if s.Clip == nil {
		return abi.MaxClip
	}
	return *s.Clip
}

// sameFilter compares values as they are written, so 1 and 1.0 are two.
func sameFilter(a, b *abi.Filter, path abi.Path) bool {
	return a.Depth(path) == b.Depth(path) && a.Member == b.Member && bytes.Equal(a.Equals.JSON(), b.Equals.JSON()) &&
		sameText(a.Prefix, b.Prefix) && sameText(a.Suffix, b.Suffix) && sameText(a.Contains, b.Contains)
}

func sameText(a, b *string) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// below reports whether a path is another one or leads on from it.
func below(path, top abi.Path) bool {
	return len(path) >= len(top) && slices.Equal(path[:len(top)], top)
}
