// Package collate compares strings as JavaScript's localeCompare does in the root locale: the Unicode
// collation algorithm with the root order of CLDR, three levels, punctuation not ignored, no numeric
// ordering. English and most other locales of the Latin script change nothing in it. The Pi
// prompt-envelope extension orders the ids of its contribution registry by it.
package collate

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
)

// collators holds *collate.Collator, which is not safe for concurrent use and costly to make.
var collators = sync.Pool{New: func() any { return collate.New(language.Und) }}

// Compare returns a negative number if a sorts before b, a positive one if behind, and 0 if the order
// makes no difference between them: canonically equivalent spellings and strings that differ in control
// characters only are equal without being the same. White space comes first, then punctuation and
// symbols, digits, and letters; upper and lower case (lower first) and accents count only where nothing
// else differs. It is safe for concurrent use.
func Compare(a, b string) int {
	c := collators.Get().(*collate.Collator)
	defer collators.Put(c)
	a, newA := known(c, a)
	b, newB := known(c, b)
	if order := c.CompareString(a, b); order != 0 {
		return order
	}
	return strings.Compare(newA, newB)
}

// Stand-ins for symbols that the tables do not know.
const (
	someSymbol   = '\U0001F6C5' // the last of the emoji that they know
	someCurrency = '₺'          // likewise of the currency signs, which sort behind all other symbols
)

// known makes up for the age of golang.org/x/text's collation tables, which are those of Unicode 6.2.
// They sort what came later, most emoji among it, behind all letters, where the root order has symbols
// in front of the digits; and they give weight to format characters that are ignored since. So later
// symbols are compared as one symbol that the tables know, and only if all else is equal by code point;
// those format characters are left out. Later letters stay behind the other letters.
func known(c *collate.Collator, s string) (mapped, symbols string) {
	if strings.IndexFunc(s, mayBeNew) < 0 {
		return s, ""
	}
	var replaced strings.Builder
	mapped = strings.Map(func(r rune) rune {
		switch {
		case !mayBeNew(r):
			return r
		case !unicode.IsSymbol(r):
			return -1
		case c.CompareString(string(r), "\u4e00") < 0: // unknown ones sort behind the ideographs
			return r
		}
		replaced.WriteRune(r)
		if unicode.Is(unicode.Sc, r) {
			return someCurrency
		}
		return someSymbol
	}, s)
	return mapped, replaced.String()
}

func mayBeNew(r rune) bool {
	return r >= 0x80 && unicode.IsSymbol(r) || r == 0x180e || 0x2066 <= r && r <= 0x2069
}
