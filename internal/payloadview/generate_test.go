package payloadview

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

// generator draws documents of few names, so that selectors and edits often find something, with odd
// spacing, escapes and, now and then, a member twice.
type generator struct{ t *rapid.T }

var names = []string{"a", "b", "role", "input", "é"}

func (g generator) pick(from ...string) string { return rapid.SampledFrom(from).Draw(g.t, "pick") }

func (g generator) chance(percent int) bool {
	return rapid.IntRange(0, 99).Draw(g.t, "chance") < percent
}

func (g generator) space() string {
	if g.chance(85) {
		return ""
	}
	return g.pick(" ", "\n\t", "  ")
}

func (g generator) name() string {
	s := g.pick(names...)
	switch {
	case g.chance(5):
		return g.pick(`"\u0061"`, `"\u00e9"`, `"r\u006fle"`, `"\ud800"`, `"\ufffd"`, `""`)
	case g.chance(5):
		return g.pick(`"other"`, `"`+strings.Repeat("n", 70)+`"`)
	}
	return `"` + s + `"`
}

func (g generator) scalar() string {
	return g.pick(`1`, `1.0`, `-0`, `10e-1`, `2`, `true`, `false`, `null`, `"x"`, `"system"`, `"sys\u0074em"`, `""`, `"\ud800"`, `"\ufffd"`,
		`"ab😀cd"`, `"a\n\"b\u00e9"`, `"`+strings.Repeat("long ", 20)+`"`, `"`+strings.Repeat(`\n`, 30)+`end"`, `"`+strings.Repeat(`é\ud83d\ude00`, 9)+`"`,
		`18446744073709551615`, `-9223372036854775809`, `1e400`, `0.5`)
}

func (g generator) value(depth int) string {
	if depth == 0 || g.chance(35) {
		return g.scalar()
	}
	var items []string
	object := g.chance(60)
	var used []string
	for range rapid.IntRange(0, 4).Draw(g.t, "items") {
		item := g.space() + g.value(depth-1) + g.space()
		if object {
			name := g.name()
			if slices.Contains(used, name) && g.chance(90) {
				continue
			}
			used = append(used, name)
			item = g.space() + name + g.space() + ":" + item
		}
		items = append(items, item)
	}
	body := strings.Join(items, ",")
	if len(items) == 0 {
		body = g.space()
	}
	if object {
		return "{" + body + "}"
	}
	return "[" + body + "]"
}

func (g generator) document() []byte { return []byte(g.space() + g.value(5) + g.space()) }

func (g generator) path(most int) abi.Path {
	var p abi.Path
	for range rapid.IntRange(1, most).Draw(g.t, "steps") {
		if g.chance(40) {
			p = append(p, abi.Step{Each: true})
		} else {
			p = append(p, abi.Step{Member: g.pick(names...)})
		}
	}
	return p
}

func (g generator) filter(path abi.Path) abi.Filter {
	f := abi.Filter{Member: g.pick(names...)}
	if g.chance(50) {
		of := uint64(rapid.IntRange(0, len(path)).Draw(g.t, "of"))
		f.Of = &of
	}
	if g.chance(60) {
		var err error
		f.Equals, err = abi.ScalarOf(rapid.SampledFrom([]any{"x", "system", "", nil, true, int64(1), 0.5, "\ufffd"}).Draw(g.t, "equals"))
		if err != nil {
			panic(err)
		}
		return f
	}
	affix := func() *string {
		s := g.pick("", "s", "x", "ab", "em", "d", "cd", "end", "\ufffd", "é😀")
		return &s
	}
	if g.chance(70) {
		f.Prefix = affix()
	}
	if f.Prefix == nil || g.chance(50) {
		f.Suffix = affix()
	}
	if g.chance(30) {
		f.Contains = affix()
	}
	return f
}

func (g generator) selector() abi.Selector {
	s := abi.Selector{Path: g.path(4)}
	for g.chance(30) && len(s.Where) < 8 {
		s.Where = append(s.Where, g.filter(s.Path))
	}
	for _, name := range names {
		if g.chance(30) {
			s.Members = append(s.Members, name)
		}
	}
	if g.chance(60) {
		clip := rapid.SampledFrom([]uint64{0, 1, 2, 3, 5, 8, 13, 100, 1024}).Draw(g.t, "clip")
		s.Clip = &clip
	}
	return s
}

func (g generator) adapter() *abi.Adapter {
	a := &abi.Adapter{Interface: abi.ProviderPayloadAdaptersV2, ID: "a", APIs: []string{"x"}}
	for range rapid.IntRange(1, 4).Draw(g.t, "selectors") {
		a.View = append(a.View, g.selector())
	}
	for range rapid.IntRange(1, 3).Draw(g.t, "writes") {
		a.Write = append(a.Write, g.path(3))
	}
	return a
}

// addresses lists all of a document, the ends of lists and members that are not there included.
func addresses(it *item, at adaptersv2.Address) []adaptersv2.Address {
	var list []adaptersv2.Address
	step := func(s adaptersv2.Step, child *item) {
		here := append(slices.Clone(at), s)
		list = append(list, here)
		if child != nil {
			list = append(list, addresses(child, here)...)
		}
	}
	switch it.open {
	case '[':
		for i, child := range it.items {
			step(adaptersv2.Index(uint64(i)), child)
		}
		step(adaptersv2.Index(uint64(len(it.items))), nil)
	case '{':
		for _, child := range it.items {
			if utf8.ValidString(child.name) { // there is no address of a name with half a surrogate pair
				step(adaptersv2.Member(child.name), child)
			}
		}
		step(adaptersv2.Member("new"), nil)
		step(adaptersv2.Member("a"), nil)
	}
	return list
}

func (g generator) edit(where []adaptersv2.Address) adaptersv2.Edit {
	e := adaptersv2.Edit{At: rapid.SampledFrom(where).Draw(g.t, "at")}
	e.Op = rapid.SampledFrom([]adaptersv2.Op{adaptersv2.OpSet, adaptersv2.OpRemove, adaptersv2.OpInsert, adaptersv2.OpAppend}).Draw(g.t, "op")
	if last := e.At[len(e.At)-1]; e.Op == adaptersv2.OpInsert && !last.InList && g.chance(95) {
		e.Op = adaptersv2.OpSet
	}
	if g.chance(3) {
		e.At = append(slices.Clone(e.At), adaptersv2.Index(7))
	}
	if e.Op != adaptersv2.OpRemove {
		e.Value = adaptersv2.JSON(g.space() + g.value(1))
	}
	if e.Op == adaptersv2.OpAppend && g.chance(90) {
		e.Value = adaptersv2.JSON(g.space() + g.pick(`""`, `"x"`, `"\u00e9 \""`) + g.space())
	}
	return e
}

func jsonOf(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
