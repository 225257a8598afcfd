package hashline

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/host/profile/internal/toolargs"
)

// A tail is the path of a header among others that are sorted by what they end in.
type tail struct {
	header
	// asked is its place among those that are asked for, nobody if it is one that is remembered.
	asked int
	// relative says that it ends in a relative path that is remembered, and first is the first one asked for
	// that is relative and that it ends in, nobody if there is none.
	relative bool
	first    int
}

// nobody is behind every place in a list.
const nobody = int(^uint(0) >> 1)

// firstTail returns the place of the first header that is a remembered one by another path: one of the two
// is absolute and ends in the other, which is relative. It is nobody if there is none.
//
// Paths that are sorted from their ends, with slashes in front of all other characters, come right behind
// those that they end in. So none has to be compared with all the others.
func firstTail(asked []header, remembered iter.Seq[header]) int {
	var all []tail
	for i, h := range asked {
		all = append(all, tail{header: h, asked: i, first: nobody})
	}
	for h := range remembered {
		all = append(all, tail{header: h, asked: nobody, first: nobody})
	}
	slices.SortFunc(all, func(a, b tail) int {
		return cmp.Or(strings.Compare(a.tag, b.tag), compareTails(a.path, b.path))
	})
	found := nobody
	var inside []tail // those that the one at hand ends in, the longest last
	for _, t := range all {
		for len(inside) > 0 && !t.endsIn(inside[len(inside)-1].header) {
			inside = inside[:len(inside)-1]
		}
		if len(inside) > 0 {
			longest := inside[len(inside)-1]
			t.relative, t.first = longest.relative, longest.first
		}
		switch absolute := toolargs.IsAbsolute(t.path); {
		case absolute && t.asked == nobody:
			found = min(found, t.first)
		case absolute && t.relative:
			found = min(found, t.asked)
		case absolute || t.path == "":
		case t.asked == nobody:
			t.relative = true
		default:
			t.first = min(t.first, t.asked)
		}
		inside = append(inside, t)
	}
	return found
}

// endsIn says that a path ends in another one, in whole segments, and that their tags are the same.
func (t *tail) endsIn(h header) bool {
	rest, ok := strings.CutSuffix(t.path, h.path)
	return ok && (rest == "" || strings.HasSuffix(rest, "/")) && t.tag == h.tag
}

// compareTails compares paths from their ends.
func compareTails(a, b string) int {
	for i := 1; i <= min(len(a), len(b)); i++ {
		x, y := a[len(a)-i], b[len(b)-i]
		switch {
		case x == y:
		case x == '/':
			return -1
		case y == '/':
			return 1
		default:
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(len(a), len(b))
}
