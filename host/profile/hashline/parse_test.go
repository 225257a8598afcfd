package hashline

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

func TestParseHeader(t *testing.T) {
	for text, want := range map[string]Patch{
		"":                         {},
		"[":                        {},
		"[]":                       {},
		"[][x]":                    {Headed: true, Path: "x"},
		"[#1234]":                  {},
		"[#1234][b]":               {Headed: true, Path: "b"},
		"[a":                       {},
		"[a#":                      {},
		"[a#12":                    {},
		"[a#1234":                  {},
		"[a#1234[b]":               {Headed: true, Path: "b"},
		"[a#1234[b#12aF] [c#0000]": {Headed: true, Path: "b", Tag: "12AF"},
		"[a[b#00ff]":               {Headed: true, Path: "a[b", Tag: "00FF"},
		"[a\nb]":                   {Headed: true, Path: "a\nb"},
		"[\ufeff a b\u00a0#abcd]":  {Headed: true, Path: "a b", Tag: "ABCD"},
		"[ #ABCD]":                 {Headed: true, Tag: "ABCD"},
		"[a#12345] [b#1234 ] [c]":  {Headed: true, Path: "c"},
		"[a#12g4] # [c]":           {Headed: true, Path: "c"},
		"] # [a#1234]":             {Headed: true, Path: "a", Tag: "1234"},
	} {
		assert.Equal(t, want, Parse(text), "%q", text)
	}
}

func TestParseRanges(t *testing.T) {
	for text, want := range map[string][]Range{
		"PUT 1.=2":                      {{1, 2}},
		"put\n\t3.=1":                   {{3, 3}},
		"Cut\u2003007*":                 {{7, Open}},
		"cut 5* PUT 1.=1 put 9* x":      {{1, 1}, {5, Open}, {9, Open}},
		"PUT1.=2":                       nil,
		"PUT 1 .=2":                     nil,
		"PUT 1.=":                       nil,
		"PUT 1.= 2":                     nil,
		"PUT .=2":                       nil,
		"PUT -1.=2":                     nil,
		"OUTPUT 1.=2 shortcut 3*":       nil,
		"_CUT 1*":                       nil,
		"+PUT 1*":                       {{1, Open}},
		"éPUT 1*":                       {{1, Open}},
		"PAT 1* PUX 1* CAT 1*":          nil,
		"zPUT 1* ZCUT 1* 9PUT 1*":       nil,
		"PUT1.=2 PUT 2*":                {{2, Open}},
		"PUT PUT 1.=2":                  {{1, 2}},
		"PUT 1 CUT 2*":                  {{2, Open}},
		"PUT 1.=2CUT 3*":                {{1, 2}},
		"PUT 1*CUT 3*":                  {{1, Open}, {3, Open}},
		"PUT 99999999999999999999.=1":   {{1<<53 - 1, 1<<53 - 1}},
		"PUT 1.=9007199254740993":       {{1, 1<<53 - 1}},
		"PUT 0.=0":                      {{0, 0}},
		"PU":                            nil,
		"PUT":                           nil,
		"PUT ":                          nil,
		"CUT 12":                        nil,
		"PUT 1.=2.=3":                   {{1, 2}},
		"[a#0001]\n+PUT\n PUT 4.=4 [b]": {{4, 4}},
	} {
		assert.Equal(t, want, Parse(text).Ranges, "%q", text)
	}
}

// space is a class of what ECMAScript takes for white space.
var space = func() string {
	var b strings.Builder
	for r := rune(0); r <= 0xFFFF; r++ {
		if ecma.IsSpace(r) {
			b.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
		}
	}
	return "[" + b.String() + "]"
}()

var (
	headerForm = regexp.MustCompile(`\[([^\]#]+)(?:#([0-9A-Fa-f]{4}))?\]`)
	closedForm = regexp.MustCompile(`(?i)\b(?:PUT|CUT)` + space + `+(\d+)\.=(\d+)`)
	openForm   = regexp.MustCompile(`(?i)\b(?:PUT|CUT)` + space + `+(\d+)\*`)
)

// asWritten says the rules once more, as patterns.
func asWritten(text string) (p Patch) {
	if m := headerForm.FindStringSubmatch(text); m != nil {
		p.Headed, p.Path, p.Tag = true, ecma.Trim(m[1]), strings.ToUpper(m[2])
	}
	line := func(digits string) int64 {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n > 1<<53-1 {
			return 1<<53 - 1
		}
		return n
	}
	for _, m := range closedForm.FindAllStringSubmatch(text, -1) {
		p.Ranges = append(p.Ranges, Range{line(m[1]), max(line(m[1]), line(m[2]))})
	}
	for _, m := range openForm.FindAllStringSubmatch(text, -1) {
		p.Ranges = append(p.Ranges, Range{line(m[1]), Open})
	}
	return p
}

func TestParseIsThatOfThePatterns(t *testing.T) {
	token := rapid.SampledFrom([]string{
		"[", "]", "#", "a", " ", "\u00a0", "\n", "1", "23", "1A2b", ".=", "*", "PUT", "cut", "put ", "CUT 4", "é", "_", "\xff",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(token, 0, 40).Draw(t, "text"), "")
		assert.Equal(t, asWritten(text), Parse(text), "%q", text)
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"[a#0001]\nPUT 1.=2\nCUT 9.=9\nput 20*", "[ a b.go #AbCd ]\nCUT 1.=1", "[[[[#]#[#[", "PUT\u2028 1.=0", "[#\n]#0000]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		assert.Equal(t, asWritten(text), Parse(text))
	})
}
