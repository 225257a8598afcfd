package pisession

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2024-12-03T14:00:00.000Z","cwd":"/p"}`

// entry is one of a user's messages.
func entry(id, parent string) string {
	link := "null"
	if parent != "" {
		link = `"` + parent + `"`
	}
	return fmt.Sprintf(`{"type":"message","id":"%s","parentId":%s,"timestamp":"2024-12-03T14:00:00.000Z","message":{"role":"user","content":"x","timestamp":1}}`, id, link)
}

func read(t *testing.T, lines ...string) (*File, []Loss) {
	var losses []Loss
	f, err := Read(t.Context(), strings.NewReader(strings.Join(lines, "\n")), func(l Loss) error {
		losses = append(losses, l)
		return nil
	}, nil)
	require.NoError(t, err)
	return f, losses
}

func TestLinesThatHoldNoEntry(t *testing.T) {
	broken := entry("b", "a")[:60]
	f, losses := read(t, header, entry("a", ""), broken, "null", " \u00a0\r", "5", `{"type":"session"}`, header, entry("c", "b"))
	kinds := []LossKind{}
	for _, l := range losses {
		kinds = append(kinds, l.Kind)
	}
	assert.Equal(t, []LossKind{NotJSON, NullValue, NoObject, BadHeader, SecondHeader}, kinds)
	assert.Equal(t, Loss{Line: 3, Offset: losses[0].Offset, ID: "b", Parent: "a"}, losses[0])
	assert.Equal(t, int64(len(header)+len(entry("a", ""))+2), losses[0].Offset)
	require.Len(t, f.Entries, 2)
	assert.False(t, f.Entries[0].AfterLoss)
	assert.True(t, f.Entries[1].AfterLoss)
	assert.Equal(t, int64(9), f.Lines)
	assert.True(t, f.Open)

	text := strings.Join([]string{header, entry("a", ""), broken}, "\n")
	e := &f.Entries[0]
	got, err := e.Text(strings.NewReader(text), nil)
	require.NoError(t, err)
	assert.Equal(t, entry("a", ""), string(got))
}

func TestHeaders(t *testing.T) {
	f, _ := read(t, "\ufeff"+header, "")
	assert.True(t, f.Mark)
	assert.Equal(t, int64(3), f.Header.Offset)
	assert.Equal(t, int64(len(header)), f.Header.Length)
	assert.False(t, f.Open)
	f, _ = read(t, entry("a", ""), header)
	assert.True(t, f.Header.Late)
	f, _ = read(t, "{", header)
	assert.False(t, f.Header.Late, "Pi passes over what is not JSON")
	for version, want := range map[string]int64{`1`: 1, `null`: 1, `4`: 4, `"3"`: 0, `-1`: 0} {
		f, _ = read(t, fmt.Sprintf(`{"type":"session","version":%s,"id":"s"}`, version))
		assert.Equal(t, want, f.Header.Version, version)
	}
}

// A line that is too long is passed over, and what comes behind it is read.
func TestLongLine(t *testing.T) {
	r := strings.NewReader(header + "\n" + strings.Repeat(" ", MaxLine+1) + "\n" + entry("a", "") + "\n")
	var losses []Loss
	f, err := Read(t.Context(), r, func(l Loss) error { losses = append(losses, l); return nil }, nil)
	require.NoError(t, err)
	require.Len(t, losses, 1)
	assert.Equal(t, TooLong, losses[0].Kind)
	require.Len(t, f.Entries, 1)
	assert.Equal(t, int64(len(header)+1+MaxLine+2), f.Entries[0].Offset)
}

// In version 1 each entry is the child of the one before it, and a compaction names a place.
func TestVersion1(t *testing.T) {
	f, _ := read(t, `{"type":"session","id":"s"}`, `{"type":"message"}`, "5", `{"type":"message"}`, `{"type":"compaction","firstKeptEntryIndex":3}`, `{"type":"message"}`)
	tree := Grow(f.Entries)
	assert.Equal(t, []int{0, 1, 2, 3}, tree.Branch)
	assert.Equal(t, []int{2, 1, 3}, tree.Context().Entries)
}

func grow(t *testing.T, lines ...string) *Tree {
	f, _ := read(t, append([]string{header}, lines...)...)
	return Grow(f.Entries)
}

func TestTree(t *testing.T) {
	tree := grow(t, entry("a", ""), entry("b", "a"), entry("c", "a"), entry("d", "gone"), entry("e", ""), `{"type":"x"}`, entry("f", "c"))
	assert.Equal(t, []int{0, 2, 6}, tree.Branch)
	assert.Equal(t, []int{3}, tree.Orphans)
	assert.Equal(t, []int{5}, tree.Nameless)
	assert.Equal(t, 2, tree.Roots)
	assert.Empty(t, tree.Cycles)

	tree = grow(t, entry("a", ""), entry("b", "d"), entry("c", "b"), entry("d", "c"), entry("e", "d"))
	assert.Equal(t, []Cycle{{1, 3}}, tree.Cycles)
	assert.True(t, tree.Circular)
	assert.Equal(t, []int{1, 2, 3, 4}, tree.Branch)
	tree = grow(t, entry("a", "a"), entry("b", ""))
	assert.Equal(t, []Cycle{{0, 1}}, tree.Cycles)
	assert.False(t, tree.Circular)

	// The last entry with an id is the one that others hang on, which can make a circle.
	tree = grow(t, entry("a", ""), entry("b", "a"), entry("a", "b"))
	assert.Equal(t, []Repeat{{2, 0}}, tree.Repeats)
	assert.Equal(t, []Cycle{{1, 2}}, tree.Cycles)
	assert.Equal(t, -1, Grow(nil).Leaf)
}

func TestContext(t *testing.T) {
	compaction := func(id, parent, kept string) string {
		return fmt.Sprintf(`{"type":"compaction","id":"%s","parentId":"%s","timestamp":"t","summary":"s","firstKeptEntryId":"%s"}`, id, parent, kept)
	}
	for kept, c := range map[string]struct {
		entries []int
		lost    bool
	}{
		"b": {[]int{2, 1, 3}, false}, "k": {[]int{2, 3}, false}, "c": {[]int{2, 3}, true}, "": {[]int{2, 3}, true},
	} {
		in := grow(t, entry("a", ""), entry("b", "a"), compaction("k", "b", kept), entry("c", "k")).Context()
		assert.Equal(t, 2, in.Compaction)
		assert.Equal(t, c.entries, in.Entries, kept)
		assert.Equal(t, c.lost, in.KeptLost, kept)
	}
	in := grow(t, entry("a", ""), `{"type":"context_edit","id":"x","parentId":"a","targetId":"a","replacement":null}`).Context()
	assert.Equal(t, map[string]int{"a": 1}, in.Edits)
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]bool{
		header:                                   true,
		"\ufeff" + header:                        true,
		"{\n" + entry("a", ""):                   true,
		`{"type":"session","id":"s","cwd":"/p"}`: true,
		"":                                       false, "5": false, "x": false,
		`{"type":"session","version":3,"id":"s","createdAt":1,"delegationDepth":0,"cwd":"/p"}`: false,
		`{"type":"session","version":0,"id":"s"}`:                                              false,
		`{"type":"turn/start","seq":0,"time":1,"data":{}}` + "\n" + header:                     false,
		strings.Repeat("{\n", 200) + header:                                                    false,
	} {
		pi, err := Detect(strings.NewReader(text))
		require.NoError(t, err)
		assert.Equal(t, want, pi, "%.100q", text)
	}
}

// What real versions of Pi have written is read without a loss.
func TestReadsTraces(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/vectors/payloads/traces/*.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		f, losses := read(t, traceLines(t, path)...)
		assert.Empty(t, losses, path)
		tree := Grow(f.Entries)
		assert.Len(t, tree.Branch, len(f.Entries), path)
		for i := range f.Entries {
			e := &f.Entries[i]
			assert.Empty(t, e.Misses(), path)
			assert.True(t, KnownType(e.Type), e.Type)
			_, dated := e.Time()
			assert.True(t, dated)
		}
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Read(ctx, strings.NewReader(header), nil, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// A walk that any parents can lead astray: the cycles that are found are those that following the parents
// of each entry, one by one, comes to.
func TestCyclesOfAnyParents(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 1 + random.IntN(12)
		var lines []string
		for i := range n {
			parent := ""
			if random.IntN(5) > 0 {
				parent = fmt.Sprint("e", random.IntN(n))
			}
			lines = append(lines, entry(fmt.Sprint("e", i), parent))
		}
		tree := grow(t, lines...)
		inCycle := 0
		for i := range n {
			at, ok := tree.Parent(i)
			for steps := 0; ok && at != i && steps < n; steps++ {
				at, ok = tree.Parent(at)
			}
			if ok && at == i {
				inCycle++
			}
		}
		for _, c := range tree.Cycles {
			inCycle -= c.Length
		}
		require.Zero(t, inCycle, lines)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(header + "\n" + entry("a", "") + "\n" + entry("b", "a")[:50])
	f.Add(entry("a", "b") + "\n" + entry("b", "a") + "\nnull\n\xff")
	f.Fuzz(func(t *testing.T, text string) {
		lost := 0
		file, err := Read(t.Context(), strings.NewReader(text), func(Loss) error { lost++; return nil }, nil)
		require.NoError(t, err)
		require.LessOrEqual(t, int64(len(file.Entries)+lost), file.Lines)
		for i := range file.Entries {
			e := &file.Entries[i]
			got, err := e.Text(strings.NewReader(text), nil)
			require.NoError(t, err)
			require.NotContains(t, string(got), "\n")
		}
		tree := Grow(file.Entries)
		require.LessOrEqual(t, len(tree.Context().Entries), len(file.Entries)+1)
	})
}

func traceLines(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var doc struct{ SessionEntries []json.RawMessage }
	require.NoError(t, json.Unmarshal(text, &doc))
	var lines []string
	for _, e := range doc.SessionEntries {
		var line bytes.Buffer
		require.NoError(t, json.Compact(&line, e))
		lines = append(lines, line.String())
	}
	return lines
}
