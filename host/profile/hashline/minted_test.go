package hashline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/profile/internal/toolargs"
)

func TestKnownPaths(t *testing.T) {
	var m Minted
	for path, want := range map[string]map[string]bool{
		"/w/src/a.go": {
			"/w/src/a.go": true, "src/a.go": true, "a.go": true, `.\src\a.go`: true, "/w/src/a.go/": true, "c/a.go": false,
			"/src/a.go": false, "": false, "./": false, ".": false, "../src/a.go": false,
		},
		`C:\w\b.go`: {"c:/w/b.go": false, "C:/w/b.go": true, "w/b.go": true, "b.go": true, "/w/b.go": false},
		"./lib/d.go": {
			"lib/d.go": true, "d.go": false, "/w/lib/d.go": true, "/w/mylib/d.go": false, "x/lib/d.go": false, `Z:\lib\d.go`: true,
		},
	} {
		m.Record(path, "00fF")
		for other, known := range want {
			assert.Equal(t, known, m.Known(other, "00Ff"), "%s is %s", other, path)
			assert.False(t, m.Known(other, "0000"))
		}
		m.Reset()
		assert.False(t, m.Known(path, "00FF"))
	}
}

func TestNoteReadsAllHeaders(t *testing.T) {
	var m Minted
	m.Note("Edited.\n[a.go#0001] [b.go]\n[c.go#12345] [ d.go #] [e.go#00fF]")
	assert.True(t, m.Known("a.go", "0001"))
	assert.True(t, m.Known("e.go", "00ff"))
	assert.Len(t, m.order, 2)
	m.Note("[a.go#0001]")
	assert.Len(t, m.order, 2)
}

func TestOldestIsForgotten(t *testing.T) {
	var m Minted
	for n := range mintedAtMost + 2 {
		m.Record(fmt.Sprintf("f%d", n/4), fmt.Sprintf("%04x", n%4))
	}
	assert.Len(t, m.order, mintedAtMost)
	assert.False(t, m.Known("f0", "0001"))
	assert.True(t, m.Known("f0", "0002"))
	m = Minted{}
	m.Record("only", "0001")
	for n := range mintedAtMost {
		m.Record(fmt.Sprint(n), "0002")
	}
	assert.NotContains(t, m.paths, "0001")
}

// samePath is the rule by its words.
func samePath(a, b string) bool {
	if toolargs.IsAbsolute(a) == toolargs.IsAbsolute(b) {
		return a == b
	}
	if toolargs.IsAbsolute(b) {
		a, b = b, a
	}
	return b != "" && strings.HasSuffix(a, "/"+b)
}

func TestKnownByTheLetter(t *testing.T) {
	path := rapid.Custom(func(t *rapid.T) string {
		segments := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "a", "b", "ba", "C:", "."}), 0, 4).Draw(t, "segments")
		return strings.Join(segments, rapid.SampledFrom([]string{"/", "/", `\`}).Draw(t, "slash"))
	})
	tag := rapid.SampledFrom([]string{"000A", "000B"})
	rapid.Check(t, func(t *rapid.T) {
		var m Minted
		var recorded []header
		for range rapid.IntRange(0, 6).Draw(t, "recorded") {
			h := header{path.Draw(t, "path"), tag.Draw(t, "tag")}
			m.Record(h.path, h.tag)
			recorded = append(recorded, h)
		}
		known := func(h header) bool {
			return slices.ContainsFunc(recorded, func(r header) bool {
				return r.tag == h.tag && samePath(plainPath(r.path), h.path)
			})
		}
		var asked []header
		for range rapid.IntRange(1, 6).Draw(t, "asked") {
			raw := path.Draw(t, "path")
			h := header{plainPath(raw), tag.Draw(t, "tag")}
			assert.Equal(t, known(h), m.Known(raw, h.tag), "%v of %v", h, recorded)
			asked = append(asked, h)
		}
		want := slices.IndexFunc(asked, known)
		if want < 0 {
			want = nobody
		}
		assert.Equal(t, want, m.first(asked), "%v of %v", asked, recorded)
	})
}

// What is remembered is looked at once for a rejection, however many headers that has.
func TestRestateIsLinear(t *testing.T) {
	const n = 20_000
	var asked []header
	for i := range n {
		asked = append(asked, header{fmt.Sprint("y", i), "000A"}, header{fmt.Sprintf("/z/y%d", i), "000A"})
	}
	looked := 0
	assert.Equal(t, nobody, firstTail(asked, func(yield func(header) bool) {
		for i := 0; i < n && yield(header{fmt.Sprintf("/w/x%d", i), "000A"}); i++ {
			looked++
		}
	}))
	assert.Equal(t, n, looked)

	var m Minted
	var result, rejection strings.Builder
	for i := range n {
		fmt.Fprintf(&result, "[/w/x%d#000A]", i)
		fmt.Fprintf(&rejection, "[x%d#000A]", n+i)
	}
	m.Note(result.String())
	_, ok := m.Restate("not from this session: " + rejection.String())
	assert.False(t, ok)
	text, ok := m.Restate("not from this session: " + rejection.String() + "[x7#000a]")
	assert.True(t, ok)
	assert.Contains(t, text, "[x7#000A]")
}

func TestRestate(t *testing.T) {
	var m Minted
	m.Note("[/w/a.go#0001]")
	for rejection, aged := range map[string]bool{
		"[a.go#0001] is Not from this Session.":           true,
		"[b.go#0002] [a.go#0001] not from this session":   true,
		"[a.go#0002] is not from this session":            false,
		"[a.go#0001] is stale":                            false,
		"[a.go] is not from this session, 0001":           false,
		"tag 0001 of a.go: snapshot not from our session": false,
	} {
		text, ok := m.Restate(rejection)
		assert.Equal(t, aged, ok, rejection)
		assert.Equal(t, aged, text != rejection, rejection)
		if aged {
			assert.Contains(t, text, "[a.go#0001]")
		}
	}
}
