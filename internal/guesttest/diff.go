package guesttest

import "github.com/pintle-wasm/pintle/internal/linediff"

// diff compares two texts line by line. Of what is the same only the lines around a difference are there; "…"
// stands for the others.
func diff(want, got string) []string {
	var lines []string
	for _, h := range linediff.Hunks(linediff.Split(want), linediff.Split(got)) {
		if h.Old > 0 {
			lines = append(lines, "…")
		}
		for _, line := range h.Lines {
			lines = append(lines, line[:1]+" "+line[1:])
		}
	}
	return lines
}
