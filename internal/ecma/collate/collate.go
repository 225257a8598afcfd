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
	"golang.org/x/text/unicode/norm"
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
	a, variantsA := known(c, apart(a))
	b, variantsB := known(c, apart(b))
	if order := c.CompareString(a, b); order != 0 {
		return order
	}
	return strings.Compare(variantsA, variantsB)
}

// Stand-ins for symbols that the tables do not know.
const (
	someSymbol   = '\U0001F0DF' // the last before the emoji that they know
	someCurrency = '₺'          // the last of the currency signs, which sort behind all other symbols
)

// The blocks of emoji and some other pictures.
const (
	firstEmoji = '\U0001F300'
	lastEmoji  = '\U0001FAFF'
)

// An emoji is compared as a number of two digits, which are emoji that the tables know without a gap.
const (
	emojiZero = '\U0001F340'
	emojiBase = '\U0001F37C' - emojiZero + 1
)

// known makes up for the age of golang.org/x/text's collation tables, which are those of Unicode 6.2.
// They sort what came later, most emoji among it, behind all letters, where the root order has symbols
// in front of the digits; they give weight to format characters that are ignored since; and they tell
// curved quotation marks from the straight ones, of which these are variants now. So emoji are written as
// numbers; other later symbols are compared as one symbol that the tables know, curved quotation marks as
// straight ones, and both only if all else is equal by code point; those format characters are left out.
// Later letters stay behind the other letters.
func known(c *collate.Collator, s string) (mapped, variants string) {
	if strings.IndexFunc(s, mayBeNew) < 0 {
		return s, ""
	}
	var text, replaced strings.Builder
	for _, r := range s {
		switch as := quote(r); {
		case !mayBeNew(r):
			text.WriteRune(r)
		case as != 0:
			text.WriteRune(as)
			replaced.WriteRune(r)
		case firstEmoji <= r && r <= lastEmoji:
			n := place(r)
			text.WriteRune(emojiZero + n/emojiBase)
			text.WriteRune(emojiZero + n%emojiBase)
		case !unicode.IsSymbol(r): // a format character
		case c.CompareString(string(r), "\u4e00") < 0: // unknown ones sort behind the ideographs
			text.WriteRune(r)
		case unicode.Is(unicode.Sc, r):
			text.WriteRune(someCurrency)
			replaced.WriteRune(r)
		default:
			text.WriteRune(someSymbol)
			replaced.WriteRune(r)
		}
	}
	return text.String(), replaced.String()
}

// apart keeps Cyrillic letters and the marks on them apart. The tables take many such pairs for letters of their
// own; in the root order й is the only one left, and ї is і with an accent.
func apart(s string) string {
	if !strings.ContainsFunc(s, isCyrillic) {
		return s
	}
	const joiner = '\u034f' // ignored, but not looked across
	var text strings.Builder
	var last rune
	for _, r := range norm.NFD.String(s) {
		if unicode.Is(unicode.Mn, r) && isCyrillic(last) && !(r == '\u0306' && unicode.ToLower(last) == 'и') {
			text.WriteRune(joiner)
		}
		text.WriteRune(r)
		last = r
	}
	return text.String()
}

func isCyrillic(r rune) bool { return 0x0400 <= r && r <= 0x052f }

// place returns the place of an emoji among all. They are in the order of their code points, but those of
// the blocks that came last are in front of the faces.
func place(r rune) rune {
	const faces, late, end = '\U0001F600', '\U0001F900', lastEmoji + 1
	switch {
	case r >= late:
		r -= late - faces
	case r >= faces:
		r += end - late
	}
	return r - firstEmoji
}

func mayBeNew(r rune) bool {
	return r >= 0x80 && unicode.IsSymbol(r) || firstEmoji <= r && r <= lastEmoji || quote(r) != 0 ||
		r == 0x061c || r == 0x180e || 0x2066 <= r && r <= 0x2069
}

// quote returns the straight quotation mark of which r is a variant, and 0 if it is none.
func quote(r rune) rune {
	switch {
	case 0x2018 <= r && r <= 0x201b:
		return '\''
	case 0x201c <= r && r <= 0x201f:
		return '"'
	}
	return 0
}
