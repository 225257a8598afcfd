// Package listing compares lists of names and writes them for people.
package listing

import (
	"fmt"
	"strings"
)

// Missing returns the names of in that from lacks, each once and in their order.
func Missing(from, in []string) []string {
	known := make(map[string]bool, len(from))
	for _, s := range from {
		known[s] = true
	}
	var list []string
	for _, s := range in {
		if !known[s] {
			known[s] = true
			list = append(list, s)
		}
	}
	return list
}

// most is how many names of a list are written out.
const most = 8

// Quoted writes names in quotation marks, and of a long list how many more there are.
func Quoted(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(list)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", s)
	}
	return b.String()
}
