package collate

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

func TestVectors(t *testing.T) {
	data, err := os.ReadFile("../../../testdata/vectors/developer-messages/id-order.json")
	require.NoError(t, err)
	var cases []struct {
		Name   string
		Input  struct{ IDs []string }
		Expect struct{ Order []string }
	}
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		got := slices.Clone(c.Input.IDs)
		slices.SortStableFunc(got, Compare)
		assert.Equal(t, c.Expect.Order, got, c.Name)
	}
}

// In each list every string sorts before every later one, by itself and with something in front and
// behind. The lists were checked against ICU 78.
func TestOrder(t *testing.T) {
	for name, list := range map[string]string{
		"punctuation": `_ - , ; : ! ? . ' " ( ) [ ] { } @ * / \ & # % ` + "`" + ` ^ + < = > | ~ ☃ $ 0 1 9 a b z α 日`,
		"symbols":     `^ © → + ~ ★ $ 0 a`,
		"emoji":       `~ 😀 🛅 $ 0 a`,
		"later emoji": `~ 🤖 🧪 🫠 $ 0 a`,
		"old and new": `~ ☃ 🌀 🌱 🌶 🌷 🍼 🍽 🎀 🐍 👍 🕵 🤖 🦀 🧪 🪐 🫠 😀 🙂 🚀 🛅 🛠 🟢 $`,
		"currency":    `~ ☃ ¢ $ £ ¥ € ₿ 0`,
		"accents":     `cote coté côte côté cotf`,
		"case":        `a A ä Ä b B`,
		"prefixes":    `a a1 a10 a2 ab abc abcd b`,
		"digits":      `1 10 100 2 9 91`,
		"Cyrillic":    `е ё ж и і ї й к ќ ҡ л у ў ф`,
		"scripts":     `z ω я ア 日`,
	} {
		words := strings.Fields(list)
		for i, a := range words {
			assert.Zero(t, Compare(a, a), name)
			for _, b := range words[i+1:] {
				for _, around := range [][2]string{{}, {"x/", ""}, {"", "/y"}, {"🤖", "é"}} {
					if around[1] != "" && strings.HasPrefix(b, a) {
						continue // a prefix is none any more
					}
					assert.Negative(t, Compare(around[0]+a+around[1], around[0]+b+around[1]), "%s: %q %q %q", name, a, b, around)
					assert.Positive(t, Compare(around[0]+b+around[1], around[0]+a+around[1]), "%s: %q %q %q", name, b, a, around)
				}
			}
		}
	}
	assert.Negative(t, Compare(" ", "_"), "white space comes first")
	assert.Negative(t, Compare("\t", " "))
	assert.Negative(t, Compare("", "\t"))
}

// A Cyrillic letter with an accent is no letter of its own, but й is.
func TestCyrillicAccents(t *testing.T) {
	for letter, base := range map[string]string{"ї": "і", "ќ": "к", "ѓ": "г", "ў": "у", "ӥ": "и", "ӂ": "ж", "ё": "е", "ѷ": "ѵ"} {
		for _, accented := range []string{letter, norm.NFD.String(letter)} {
			assert.Positive(t, Compare(accented, base))
			assert.Positive(t, Compare(accented+"а", base+"а"))
			assert.Negative(t, Compare(accented+"а", base+"б"))
			assert.Negative(t, Compare(accented, strings.ToUpper(accented)))
		}
	}
	assert.Positive(t, Compare("йа", "иб"))
	assert.Positive(t, Compare("Йа", "ия"))
}

// Curved quotation marks are variants of the straight ones, as capitals are of small letters.
func TestQuotationMarks(t *testing.T) {
	for _, marks := range []string{"'‘’‚‛", "\"“”„‟"} {
		list := strings.Split(marks, "")
		for i, a := range list {
			for _, b := range list[i+1:] {
				assert.Negative(t, Compare(a, b), "%s %s", a, b)
				assert.Negative(t, Compare(a+"x", b+"x"), "%s %s", a, b)
				assert.Negative(t, Compare(b+"x", a+"y"), "%s %s: what follows decides first", a, b)
				assert.Negative(t, Compare(b, a+"x"), "%s %s: the shorter one comes first", a, b)
			}
		}
	}
	assert.Negative(t, Compare("‛", "\""))
	assert.Negative(t, Compare("‟", "("))
}

func TestIgnored(t *testing.T) {
	for _, r := range "\x00\x01\x08\x0e\x1f\x7f\u0080\u009f\u00ad\u061c\u180e\u200b\u200d\u2060\u2066\u2069\ufe0f\ufeff" {
		for _, s := range []string{"", "a", "_"} {
			assert.Zero(t, Compare(s+string(r), s), "%U behind %q", r, s)
			assert.Zero(t, Compare(string(r)+s, s), "%U before %q", r, s)
		}
	}
	assert.Zero(t, Compare("caf\u00e9", "cafe\u0301"))
	assert.Zero(t, Compare("\u212b", "A\u030a"))
	assert.Zero(t, Compare("\u0457", "\u0456\u0308"))
}

// characters are of every kind that the order tells apart.
const characters = "_-,.$09azAZ éèÉe\u0301\u0308ñ日αЖїі\u0306Йи\x01\t😀🤖🧪₿€“\"🌶🌱\ufe0f\u2066→"

func TestIsAnOrder(t *testing.T) {
	word := rapid.StringOfN(rapid.RuneFrom([]rune(characters)), 0, 5, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		assert.Equal(t, Compare(a, b), -Compare(b, a))
		if Compare(a, b) <= 0 && Compare(b, c) <= 0 {
			assert.LessOrEqual(t, Compare(a, c), 0)
		}
		assert.Zero(t, Compare(norm.NFC.String(a), norm.NFD.String(a)))
	})
}

func TestConcurrentUse(t *testing.T) {
	words := strings.Split(characters, "")
	want := slices.Clone(words)
	slices.SortStableFunc(want, Compare)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got := slices.Clone(words)
			slices.SortStableFunc(got, Compare)
			assert.Equal(t, want, got)
		})
	}
	wg.Wait()
}

func FuzzCompare(f *testing.F) {
	f.Add("a\xff", "\xff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if Compare(a, b) != -Compare(b, a) {
			t.Fatalf("%q %q", a, b)
		}
	})
}
