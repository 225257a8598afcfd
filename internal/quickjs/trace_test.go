package quickjs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// stackOf makes a stack of letters: each is a function of that name.
func stackOf(names string) (stack []Frame) {
	for _, name := range names {
		stack = append(stack, Frame{Function: string(name), File: "x.js", Line: 1})
	}
	return stack
}

func asTheyAre(f Frame) (Frame, bool) { return f, true }

func TestTraceFoldsRecursions(t *testing.T) {
	for names, want := range map[string]string{
		"":                              "",
		"abc":                           "a b c",
		"aab":                           "a ×2 b",
		"bbb":                           "b ×3 or more",
		"ababa":                         "a b a b a",
		"ababab":                        "a b (these 2 ×3 or more)",
		"abababa":                       "a b (these 2 ×3 or more)",
		"abababc":                       "a b (these 2 ×3) c",
		strings.Repeat("d", 62) + "c":   "d ×62 c",
		"x" + strings.Repeat("ab", 20):  "x a b (these 2 ×20 or more)",
		strings.Repeat("aab", 20) + "c": "a a b (these 3 ×20) c",
		strings.Repeat("a", 9) + strings.Repeat("b", 9) + "c":          "a ×9 b ×9 c",
		strings.Repeat("abcdefghijklmnop", 3) + "z":                    "a b c d e f g h i j k l m n o p (these 16 ×3) z",
		strings.Repeat("b", 3) + "a" + strings.Repeat("bbba", 3) + "b": "b b b a (these 4 ×4 or more)",
	} {
		lines, whole := Trace(stackOf(names), asTheyAre)
		assert.Equal(t, want, strings.ReplaceAll(strings.Join(lines, " "), " (x.js:1)", ""), names)
		assert.False(t, whole)
	}
}

// What the lines say is the stack.
func TestTraceSaysWhatTheStackSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stack := stackOf(rapid.StringMatching(`[abc]{0,64}`).Draw(t, "stack") + "z")
		lines, _ := Trace(stack, asTheyAre)
		var names []string
		for _, line := range lines {
			name, how, _ := strings.Cut(line, " (x.js:1)")
			names = append(names, name)
			period, times := 1, 1
			if n, _ := fmt.Sscanf(how, " ×%d", &times); n == 0 {
				_, _ = fmt.Sscanf(how, " (these %d ×%d)", &period, &times)
			}
			block := names[len(names)-period:]
			for range times - 1 {
				names = append(names, block...)
			}
		}
		var want []string
		for _, f := range stack {
			want = append(want, f.Function)
		}
		assert.Equal(t, want, names)
	})
}

func TestTraceLeavesOut(t *testing.T) {
	for names, want := range map[string]string{
		"xaxaxab":  "a ×3 b",
		"aax":      "a ×2, whole",
		"aaax":     "a ×3, whole",
		"aabx":     "a ×2 b, whole",
		"nnx":      "n ×2 or more",
		"nax":      "n a, whole",
		"x":        "",
		"abababax": "a b (these 2 ×3) a, whole",
	} {
		lines, whole := Trace(stackOf(names), func(f Frame) (Frame, bool) {
			if f.Function != "n" {
				f.File = "index.ts"
			}
			return f, f.Function != "x"
		})
		got := strings.NewReplacer(" (x.js:1)", "", " (index.ts:1)", "").Replace(strings.Join(lines, " "))
		if whole {
			got += ", whole"
		}
		assert.Equal(t, want, got, names)
	}
}
