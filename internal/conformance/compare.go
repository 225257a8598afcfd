package conformance

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Difference is one place in which a result is not what the vector expects.
type Difference struct {
	// At is the place, "" for the whole result.
	At string `json:"at"`
	// Expected and Got are JSON texts, cut in the middle if long; "" means that there is nothing.
	Expected string `json:"expected"`
	Got      string `json:"got"`
	// Note says what is meant if the two do not show it.
	Note string `json:"note,omitempty"`
}

// maxDifferences bounds a report: one mistake often shows in many places.
const maxDifferences = 6

// comparison collects differences by the kit's rules.
type comparison struct {
	// ordered names the members of a result whose objects must have their keys in the expected order.
	ordered map[string]bool
	// doubles compares numbers as IEEE doubles, else by their exact values.
	doubles bool
	// exact compares null as a value.
	exact bool
	found []Difference
}

// nullable are the result fields at which null means absent.
var nullable = [...]string{"read", "systemPrompt", "content", "match", "envelope", "hookResult", "rendered", "role", "instructions"}

// result compares a result object: null at some of its members means absent, unless the family is exact.
func (c *comparison) result(at string, expected, got Value) {
	if c.exact {
		if expected.present() || got.present() {
			c.value(at, expected, got, false)
		}
		return
	}
	drop := func(key string, item Value) bool {
		if item.kind == jsonspan.Null {
			for _, name := range nullable {
				if key == name {
					return true
				}
			}
		}
		return false
	}
	expected, got = expected.without(drop), got.without(drop)
	if empty(expected) && empty(got) {
		return
	}
	c.value(at, expected, got, false)
}

// empty says whether a result says nothing.
func empty(v Value) bool {
	return !v.present() || v.kind == jsonspan.Object && len(v.items) == 0
}

func (c *comparison) value(at string, expected, got Value, ordered bool) {
	if len(c.found) > maxDifferences {
		return
	}
	if expected.kind != got.kind {
		c.differ(at, expected, got, "")
		return
	}
	switch expected.kind {
	case jsonspan.Object:
		c.object(at, expected, got, ordered)
	case jsonspan.Array:
		for i := 0; i < len(expected.items) && i < len(got.items); i++ {
			c.value(at+"["+strconv.Itoa(i)+"]", expected.items[i], got.items[i], ordered)
		}
		if len(expected.items) != len(got.items) {
			c.differ(at, expected, got, fmt.Sprintf("%d members expected, got %d", len(expected.items), len(got.items)))
		}
	case jsonspan.String:
		if expected.text != got.text {
			c.differ(at, expected, got, "")
		}
	default:
		same := c.doubles && expected.kind == jsonspan.Number && expected.number() == got.number()
		if !same && !jsonspan.Equal(expected.raw, got.raw) {
			c.differ(at, expected, got, "")
		}
	}
}

func (c *comparison) object(at string, expected, got Value, ordered bool) {
	same := true
	for i, key := range expected.keys {
		if !got.Has(key) {
			c.differ(join(at, key), expected.items[i], Value{}, "")
			same = false
			continue
		}
		c.value(join(at, key), expected.Get(key), got.Get(key), ordered || c.ordered[key])
	}
	for i, key := range got.keys {
		if !expected.Has(key) {
			c.differ(join(at, key), Value{}, got.items[i], "")
			same = false
		}
	}
	if ordered && same && strings.Join(expected.keys, "\x00") != strings.Join(got.keys, "\x00") {
		c.found = append(c.found, Difference{
			At: at, Note: "order of keys",
			Expected: strings.Join(expected.keys, ", "), Got: strings.Join(got.keys, ", "),
		})
	}
}

func (c *comparison) differ(at string, expected, got Value, note string) {
	c.found = append(c.found, Difference{At: at, Expected: show(expected, got), Got: show(got, expected), Note: note})
}

func join(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// show writes a value for a report. Of two long texts it shows the part around the first difference.
func show(v, other Value) string {
	const most = 400
	if v.kind == jsonspan.Absent {
		return ""
	}
	s := string(v.appendTo(nil))
	if len(s) <= most {
		return s
	}
	o, from := string(other.appendTo(nil)), 0
	for from < len(s) && from < len(o) && s[from] == o[from] {
		from++
	}
	from = max(0, from-most/4)
	to := min(len(s), from+most)
	head, tail := "", ""
	if from > 0 {
		head = "…"
	}
	if to < len(s) {
		tail = "…"
	}
	return head + strings.ToValidUTF8(s[from:to], "") + tail
}
