package profile

import (
	"fmt"
	"strconv"
	"strings"
)

// instead says what a word could have been.
func instead(word string, known []string) string {
	text := shortened(strconv.AppendQuote(nil, word))
	if near := nearest(word, known); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return text + fmt.Sprintf(", use one of %q", known)
}

// nearest is the word that is at most two slips away, "" for none.
func nearest(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := slips(strings.ToLower(word), k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// slips counts the characters to add, to leave out or to change that make b of a; limit for that many or
// more.
func slips(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return min(row[len(b)], limit)
}
