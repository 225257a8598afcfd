package history

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

var hostNames = map[string]string{"find": "glob", "glob": "find", "ask": "question", "a.b-c_1": "x", "no tool": "y", "ünder": "z"}

func TestRestateNames(t *testing.T) {
	for in, want := range map[string]string{
		"":                           "",
		"find glob":                  "find glob",
		"`find` `glob`":              "`glob` `find`",
		"`find``glob`":               "`find``glob`", // one span, with two backticks in it
		"``find`` ```ask```":         "``glob`` ```question```",
		"`` `find` ``":               "`` `find` ``",
		"` find` `find ` `find\n`":   "` find` `find ` `find\n`",
		"`Find` `finds` `find x`":    "`Find` `finds` `find x`",
		"`no tool` `ünder`":          "`y` `z`",
		"`` `find`":                  "`` `glob`", // nothing closes the two
		"` ``find``":                 "` ``glob``",
		"`find":                      "`find",
		"`a\n\nb` `find`":            "`a\n\nb` `glob`",
		"\\`find`":                   "\\`find`",
		"\\`find` x`":                "\\`find` x`", // the second one opens a span
		"\\\\`find`":                 "\\\\`glob`",
		"\\\\\\`find`":               "\\\\\\`find`",
		"\\``find`":                  "\\``glob`",
		"\\`` `find`` `":             "\\`` `find`` `",
		"`find\\`":                   "`find\\`",
		"`\\` `find`":                "`\\` `glob`", // in a span a backslash is only that
		"\\a`find`":                  "\\a`glob`",
		"`find`\\":                   "`glob`\\",
		"- find: x":                  "- glob: x",
		"- find: ":                   "- glob: ",
		"- find:":                    "- find:",
		"- find:  x":                 "- find:  x",
		"-  find: x":                 "-  find: x",
		"-\tfind: x":                 "-\tfind: x",
		"- find : x":                 "- find : x",
		"x - find: x":                "x - find: x",
		" \t - find: `ask`":          " \t - glob: `question`",
		"- a.b-c_1: x":               "- x: x",
		"- no tool: x":               "- no tool: x",
		"- ünder: x":                 "- ünder: x",
		"- ask: a\n- find: b\n- ask": "- question: a\n- glob: b\n- ask",
		"\r\n- find: \r\n":           "\r\n- glob: \r\n",
		"`x\n- find: y`":             "`x\n- glob: y`",
		"> - find: x\n* find: x":     "> - find: x\n* find: x",

		"```\n`find`\n- find: x\n```\n`find`":        "```\n`find`\n- find: x\n```\n`glob`",
		"`find`\n```\n`find`":                        "`glob`\n```\n`find`",
		"~~~ `x`\n`find`\n~~~\n`find`":               "~~~ `x`\n`find`\n~~~\n`glob`",
		"   ~~~\n`find`\n   ~~~~ \t\r\n`find`":       "   ~~~\n`find`\n   ~~~~ \t\r\n`glob`",
		"    ~~~\n`find`":                            "    ~~~\n`glob`",
		"~~~\n    ~~~\n`find`":                       "~~~\n    ~~~\n`find`",
		"~~~\n~~~ x\n`find`":                         "~~~\n~~~ x\n`find`",
		"~~~\n```\n`find`":                           "~~~\n```\n`find`",
		"~~~~\n~~~\n`find`":                          "~~~~\n~~~\n`find`",
		"~~\n`find`":                                 "~~\n`glob`",
		"x ~~~\n`find`":                              "x ~~~\n`glob`",
		"\t~~~\n`find`":                              "\t~~~\n`glob`",
		"```go\n`find`\n```":                         "```go\n`find`\n```",
		"```find``` `ask`":                           "```glob``` `question`",
		"`x\n~~~\nx` `find`\n~~~\n`find`":            "`x\n~~~\nx` `find`\n~~~\n`glob`",
		"~~~\n~~~\n`find`\n~~~\n`find`\n~~~\n`find`": "~~~\n~~~\n`glob`\n~~~\n`find`\n~~~\n`glob`",
		"~~~":                    "~~~",
		"~~~\n":                  "~~~\n",
		"\xff`find`\xed\xa0\x80": "\xff`glob`\xed\xa0\x80",
	} {
		assert.Equal(t, want, RestateNames(in, hostNames, true), "%q", in)
	}
}

func TestRestateNamesWithoutListItems(t *testing.T) {
	assert.Equal(t, "- find: `glob`\n  - ask: x", RestateNames("- find: `find`\n  - ask: x", hostNames, false))
}

// Names of tools are outside data too.
func TestRestateNamesOfStrangeTools(t *testing.T) {
	strange := map[string]string{"": "empty", "x\n- find: y": "whole", "find": "glob", "a`b": "c"}
	assert.Equal(t, "`whole` `` `` `c", RestateNames("`x\n- find: y` `` `` `c", strange, true))
	assert.Equal(t, "`x\n- glob: z` ``c``", RestateNames("`x\n- find: z` ``a`b``", strange, true))
	assert.Equal(t, "- : x", RestateNames("- : x", strange, true))
}

// restateNaively does the same by looking for every end from its beginning.
func restateNaively(text string, renames map[string]string, listItems bool) string {
	var out, part strings.Builder
	flush := func() {
		s := part.String()
		part.Reset()
		for s != "" {
			n := len(s) - len(strings.TrimLeft(s, "`"))
			switch {
			case strings.HasPrefix(s, "\\\\") || strings.HasPrefix(s, "\\`"):
				out.WriteString(s[:2])
				s = s[2:]
			case n == 0:
				out.WriteString(s[:1])
				s = s[1:]
			default:
				end := -1
				for i := n; i < len(s) && end < 0; {
					m := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
					if m == n {
						end = i
					}
					i += max(m, 1)
				}
				if end < 0 {
					out.WriteString(s[:n])
					s = s[n:]
					continue
				}
				inside := s[n:end]
				if name, ok := renames[inside]; ok {
					inside = name
				}
				out.WriteString(s[:n] + inside + s[:n])
				s = s[end+n:]
			}
		}
	}
	open := ""
	for _, line := range strings.SplitAfter(text, "\n") {
		bare := strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		trimmed := strings.TrimLeft(bare, " ")
		mark := ""
		for _, c := range []string{"`", "~"} {
			if rest := strings.TrimLeft(trimmed, c); len(trimmed)-len(rest) >= 3 && len(bare)-len(trimmed) < 4 {
				mark = trimmed[:len(trimmed)-len(rest)]
			}
		}
		rest := strings.TrimPrefix(trimmed, mark)
		switch {
		case open != "":
			out.WriteString(line)
			if strings.HasPrefix(mark, open) && strings.Trim(rest, " \t") == "" {
				open = ""
			}
			continue
		case mark != "" && (mark[0] == '~' || !strings.Contains(rest, "`")):
			flush()
			out.WriteString(line)
			open = mark
			continue
		}
		if name, after, ok := strings.Cut(strings.TrimLeft(line, " \t"), ": "); ok && listItems && !strings.HasPrefix(after, " ") {
			if new, ok := renames[strings.TrimPrefix(name, "- ")]; ok && strings.HasPrefix(name, "- ") && !strings.Contains(name, "no tool") && !strings.Contains(name, "ü") {
				line = line[:strings.Index(line, "- ")+2] + new + ": " + after
			}
		}
		part.WriteString(line)
	}
	flush()
	return out.String()
}

func markdown() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"`", "``", "```", "~~~", "\\", "\n", "\r\n", " ", "    ", "\t", "- ", ": ", "find", "glob", "ask", "x", "- find: ", "`find`", "\\`", "\n~~~\n", "\n```\n",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
	})
}

func TestRestateNamesAgainstNaiveWay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, items := markdown().Draw(t, "text"), rapid.Bool().Draw(t, "items")
		assert.Equal(t, restateNaively(text, hostNames, items), RestateNames(text, hostNames, items), "%q", text)
	})
}

// Each place is looked at once and the rest stays, so that exchanging names twice changes nothing.
func TestRestateNamesTwice(t *testing.T) {
	exchange := map[string]string{"find": "glob", "glob": "find", "ask": "ask"}
	rapid.Check(t, func(t *rapid.T) {
		text := markdown().Draw(t, "text")
		once := RestateNames(text, exchange, true)
		assert.Len(t, once, len(text))
		assert.Equal(t, text, RestateNames(once, exchange, true))
	})
}

// Were it not linear, these would take hours.
func TestRestateNamesOfHostileText(t *testing.T) {
	const size = 1 << 22
	var rising strings.Builder
	for n := 1; rising.Len() < size; n++ {
		rising.WriteString(strings.Repeat("`", n) + "x")
	}
	repeated := func(s string) string { return strings.Repeat(s, size/len(s)) }
	for _, text := range []string{
		repeated("\\``"), repeated("\\``") + "x`", repeated("`x"), repeated("``x`"), repeated("`\n"), repeated("```x\n"), repeated("```x`\n"),
		repeated("- "), repeated("- find: \n"), repeated(" \t"), repeated("\\"), repeated("~~~\n`x\n~~~\n``x\n"), rising.String(),
	} {
		got := RestateNames(text, hostNames, true)
		if !strings.Contains(text, "find") {
			assert.True(t, text == got, "%.20q", text)
		}
	}
}
