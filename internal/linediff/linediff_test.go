package linediff_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/linediff"
)

// text writes hunks as a unified diff has them.
func text(hunks []linediff.Hunk) string {
	var b strings.Builder
	for i := range hunks {
		b.WriteString(hunks[i].Head() + "\n" + strings.Join(hunks[i].Lines, "\n") + "\n")
	}
	return b.String()
}

func TestHunks(t *testing.T) {
	letters := strings.Split("a b c d e f g h i j k l m n o p q r s t", " ")
	changed := func(change func([]string) []string) []string { return change(append([]string(nil), letters...)) }
	for name, c := range map[string]struct {
		old, new []string
		want     string
	}{
		"nothing":   {nil, nil, ""},
		"the same":  {letters, letters, ""},
		"new":       {nil, []string{"a", "b"}, "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"gone":      {[]string{"a", "b"}, nil, "@@ -1,2 +0,0 @@\n-a\n-b\n"},
		"another":   {[]string{"a"}, []string{"b"}, "@@ -1,1 +1,1 @@\n-a\n+b\n"},
		"no unique": {[]string{"a", "a", "b", "b"}, []string{"b", "b", "a", "a"}, "@@ -1,4 +1,4 @@\n-a\n-a\n-b\n-b\n+b\n+b\n+a\n+a\n"},
		"moved":     {[]string{"a", "b", "c"}, []string{"c", "a", "b"}, "@@ -1,3 +1,3 @@\n+c\n a\n b\n-c\n"},
		"the first": {letters, letters[1:], "@@ -1,4 +1,3 @@\n-a\n b\n c\n d\n"},
		"the last":  {letters[:19], letters, "@@ -17,3 +17,4 @@\n q\n r\n s\n+t\n"},
		"two that are far apart": {letters, changed(func(l []string) []string { l[4], l[12] = "E", "M"; return l }),
			"@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n@@ -10,7 +10,7 @@\n j\n k\n l\n-m\n+M\n n\n o\n p\n"},
		"two that meet": {letters, changed(func(l []string) []string { l[4], l[11] = "E", "L"; return l }),
			"@@ -2,14 +2,14 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n i\n j\n k\n-l\n+L\n m\n n\n o\n"},
		"lines that are not unique are found from those that are": {
			strings.Split("{ x } { y } { z }", " "), strings.Split("{ x } { z }", " "), "@@ -2,8 +2,5 @@\n x\n }\n {\n-y\n-}\n-{\n z\n }\n"},
	} {
		assert.Equal(t, c.want, text(linediff.Hunks(c.old, c.new)), name)
	}
}

func TestSplit(t *testing.T) {
	assert.Empty(t, linediff.Split(""))
	assert.Equal(t, []string{"a"}, linediff.Split("a"))
	assert.Equal(t, []string{"a", ""}, linediff.Split("a\n"))
}

// Hunks carried out in the old lines make the new ones, whatever the lines are.
func TestHunksMakeTheNewOfTheOld(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "e", "f", "g", "h"}), 0, 40)
	rapid.Check(t, func(t *rapid.T) {
		old, new := lines.Draw(t, "old"), lines.Draw(t, "new")
		if rapid.Bool().Draw(t, "alike") {
			new = append([]string(nil), old...)
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				if len(new) > 0 {
					new[rapid.IntRange(0, len(new)-1).Draw(t, "at")] = "x"
				}
			}
		}
		var made []string
		at := 0
		for _, h := range linediff.Hunks(old, new) {
			require.GreaterOrEqual(t, h.Old, at)
			made = append(made, old[at:h.Old]...)
			require.Len(t, made, h.New)
			olds, news, changes := 0, 0, 0
			for _, line := range h.Lines {
				if line[0] != '+' {
					require.Equal(t, old[h.Old+olds], line[1:])
					olds++
				}
				if line[0] != '-' {
					made = append(made, line[1:])
					news++
				}
				if line[0] != ' ' {
					changes++
				}
			}
			require.Equal(t, []int{h.OldLines, h.NewLines}, []int{olds, news})
			require.Positive(t, changes)
			at = h.Old + olds
		}
		made = append(made, old[at:]...)
		require.Equal(t, strings.Join(new, "\n"), strings.Join(made, "\n"))
		require.Len(t, made, len(new))
	})
}

// The work is not the square of the lines.
func TestHunksOfManyLines(t *testing.T) {
	old, new := make([]string, 200_000), make([]string, 200_000)
	for i := range old { // every second line is unique, and they are in another order
		old[i], new[i] = "x", "y"
		if i%2 == 0 {
			old[i], new[i] = strconv.Itoa(i), strconv.Itoa((i*7919)%len(old))
		}
	}
	assert.NotEmpty(t, linediff.Hunks(old, new))
}
