package hashline

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
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
