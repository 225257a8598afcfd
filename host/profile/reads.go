package profile

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pintle-wasm/pintle/host/profile/internal/toolargs"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// callSelector puts the range of lines to read, which providers give as two numbers, behind the path, and
// reads each of several paths by itself.
func callSelector(v *conversion) {
	at, offset, limit := v.key("filePath"), v.key("offset"), v.key("limit")
	path, ok := v.args.Text(at)
	if !ok {
		return
	}
	parts := joinedPaths(path)
	hasRange := v.args.Has(offset) || v.args.Has(limit)
	selector := ""
	if hasRange {
		selector = lineSelector(v.args.Get(offset), v.args.Get(limit))
	}
	rest := 0
	for key, value := range v.args.All() {
		if key != at && key != offset && key != limit {
			rest += len(key) + len(value)
		}
	}
	if len(parts) < 2 || len(parts) > manyPaths && rest > shortRest {
		if hasRange {
			v.remove(offset)
			v.remove(limit)
			v.setText(at, withSelector(path, selector))
		}
		return
	}
	v.remove(offset)
	v.remove(limit)
	v.several = make([]json.RawMessage, len(parts))
	for i, part := range parts {
		v.setText(at, withSelector(part, selector))
		v.several[i] = v.args.JSON()
	}
}

// Every path gets a copy of the other arguments. More than so many paths are not parted where those are
// longer than so many bytes: what comes out stays in proportion to what came in.
const (
	manyPaths = 64
	shortRest = 256
)

// joinedPaths parts absolute paths with semicolons between them; nil if there are not two, or if one of
// them is not absolute.
func joinedPaths(path string) []string {
	if !strings.Contains(path, ";") {
		return nil
	}
	var parts []string
	for part := range strings.SplitSeq(path, ";") {
		part = ecma.Trim(part)
		if part == "" {
			continue
		}
		if !toolargs.IsAbsolute(part) {
			return nil
		}
		parts = append(parts, part)
	}
	if len(parts) < 2 {
		return nil
	}
	return parts
}

// lineSelector is the suffix of a path for a range of lines, "" for all of them. A range of which one
// number is neither a positive integer nor zero is no range: it is not widened to what is left of it.
func lineSelector(offset, limit json.RawMessage) string {
	from, ok := rangeNumber(offset)
	if !ok {
		return ""
	}
	count, ok := rangeNumber(limit)
	if !ok {
		return ""
	}
	switch {
	case from == 0 && count == 0:
		return ""
	case count == 0:
		return ":raw:" + strconv.FormatInt(from, 10)
	case from == 0:
		from = 1
	}
	to := from + count - 1
	if to > jsonvalue.MaxSafe {
		return ""
	}
	return ":raw:" + strconv.FormatInt(from, 10) + "-" + strconv.FormatInt(to, 10)
}

// rangeNumber reads a number of a range: 0 for none.
func rangeNumber(value json.RawMessage) (n int64, ok bool) {
	if value == nil {
		return 0, true
	}
	n, ok = jsonvalue.WholeOf(value)
	return n, ok && n >= 0
}

// withSelector puts a selector behind a path, or behind the path of a URL.
func withSelector(path, selector string) string {
	if selector == "" {
		return path
	}
	end := pathEnd(path)
	if bareAuthority(path[:end]) {
		selector = "/" + selector
	}
	return path[:end] + selector + path[end:]
}

// pathEnd is where the path ends: in a URL, in front of the query and the fragment.
func pathEnd(path string) int {
	if schemeLen(path) > 0 {
		if at := strings.IndexAny(path, "?#"); at >= 0 {
			return at
		}
	}
	return len(path)
}

// schemeLen is how long the beginning of a URL of the web is, its slashes included, 0 for other paths.
func schemeLen(path string) int {
	for _, scheme := range [...]string{"http://", "https://"} {
		if len(path) >= len(scheme) && strings.EqualFold(path[:len(scheme)], scheme) {
			return len(scheme)
		}
	}
	return 0
}

// bareAuthority says that a text is a URL without a path.
func bareAuthority(url string) bool {
	n := schemeLen(url)
	return n > 0 && len(url) > n && !strings.Contains(url[n:], "/")
}

// restateSelector takes the range out of the path.
func restateSelector(v *conversion) {
	path, ok := v.args.Text(v.key("filePath"))
	if !ok {
		return
	}
	end := pathEnd(path)
	base, from, to := cutSelector(path[:end])
	if len(base) < end {
		if root, ok := strings.CutSuffix(base, "/"); ok && bareAuthority(root) {
			base = root // it was put there for the selector
		}
	}
	w := jsonvalue.Begin(nil)
	w.Text("filePath", base+path[end:])
	if from > 0 {
		w.Whole("offset", from)
		if to >= from {
			w.Whole("limit", to-from+1)
		}
	}
	v.built = w.End()
}

// cutSelector parts a path from a selector behind it: ":N" or ":N-M", with "raw:" in front of N or
// without. from is 0 where the selector says nothing, to where it has no end.
func cutSelector(path string) (base string, from, to int64) {
	head, last := cutDigits(path)
	if last == "" {
		return path, 0, 0
	}
	first := last
	if before, ok := strings.CutSuffix(head, "-"); ok {
		if head, first = cutDigits(before); first == "" {
			return path, 0, 0
		}
		to = safe(last)
	}
	base, ok := strings.CutSuffix(head, ":")
	if !ok {
		return path, 0, 0
	}
	if at := len(base) - len(":raw"); at >= 0 && strings.EqualFold(base[at:], ":raw") {
		base = base[:at]
	}
	return base, safe(first), to
}

func cutDigits(s string) (head, digits string) {
	head = strings.TrimRight(s, "0123456789")
	return head, s[len(head):]
}

// safe is the number that digits denote, 0 if JavaScript does not tell it from its neighbours.
func safe(digits string) int64 {
	digits = strings.TrimLeft(digits, "0")
	if len(digits) > len("9007199254740991") {
		return 0
	}
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n <= jsonvalue.MaxSafe {
		return n
	}
	return 0
}

// restateFile keeps the path and some other arguments.
func restateFile(v *conversion, keep ...string) {
	path := v.args.Get("filePath")
	if path == nil || string(path) == "null" {
		path = v.args.Get(v.key("filePath"))
	}
	if !isText(path) {
		return
	}
	w := jsonvalue.Begin(nil)
	w.Raw("filePath", path)
	for _, key := range keep {
		if value := v.args.Get(v.key(key)); value != nil {
			w.Raw(key, value)
		}
	}
	v.built = w.End()
}
