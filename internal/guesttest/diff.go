package guesttest

import (
	"fmt"
	"strings"

	anchored "github.com/rogpeppe/go-internal/diff"
)

// diff compares two texts line by line. Of what is the same only the lines around a difference are there; "…"
// stands for the others.
func diff(want, got string) []string {
	text := anchored.Diff("", ended(want), "", ended(got))
	var lines []string
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		switch {
		case i < 3: // the head, with names of files
		case strings.HasPrefix(line, "@@"):
			from := 0
			if _, err := fmt.Sscanf(line, "@@ -%d,", &from); err == nil && from > 1 {
				lines = append(lines, "…")
			}
		default:
			lines = append(lines, line[:1]+" "+line[1:])
		}
	}
	return lines
}

// ended is a text whose last line has an end, as all lines of a diff have. An empty text has no line.
func ended(s string) []byte {
	if s == "" {
		return nil
	}
	return []byte(s + "\n")
}
