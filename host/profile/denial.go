package profile

import "strings"

// A Denial is how errors of a package's tools are told to its provider (section "Cursor tools"): a provider
// understands that the user has refused something only if it is said in its own words.
type Denial struct {
	// Words are what makes an error read like a denial, each one or several words of lower case.
	Words []string `json:"words"`
	// Verbatim are the beginnings of errors that are told as they are, in lower case: that a plan was not
	// approved.
	Verbatim []string `json:"verbatim"`
	// Restated is what is told in the place of all others.
	Restated string `json:"restated"`
}

// Restate is what a provider is told in the place of an error: Restated for one that reads like a denial,
// whatever its case, else the same text. Words count only where they are not part of longer ones.
func (d *Denial) Restate(text string) string {
	lower := strings.ToLower(text)
	for _, beginning := range d.Verbatim {
		if strings.HasPrefix(lower, beginning) {
			return text
		}
	}
	for _, word := range d.Words {
		if hasWord(lower, word) {
			return d.Restated
		}
	}
	return text
}

// hasWord says whether a word is in a text, and not in a longer one.
func hasWord(text, word string) bool {
	for word != "" {
		before, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		if !endsInWord(before) && (after == "" || !isWordByte(after[0])) {
			return true
		}
		text = text[len(before)+1:]
	}
	return false
}

func endsInWord(text string) bool { return text != "" && isWordByte(text[len(text)-1]) }

func isWordByte(c byte) bool {
	return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
