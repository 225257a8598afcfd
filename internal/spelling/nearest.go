// Package spelling finds the word that is meant by one that is not known.
package spelling

import "strings"

// Nearest is the word that is at most two slips away, characters to add, to leave out or to change, "" for
// none. Of several it is the nearest, and the first of those. Known words are of lower case if the other's
// case is not to count.
func Nearest(word string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := min(slips(word, k, least), slips(strings.ToLower(word), k, least)); d < least {
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
