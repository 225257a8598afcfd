// Package guesttrace shows the functions in which a guest failed to people: what the author wrote in full, the rest
// in few lines.
package guesttrace

import (
	"fmt"
	"regexp"
	"slices"
)

// told is how many functions of a guest an engine tells at most; those further out are not known.
const told = 30

// Lines puts a trace, innermost first, into at most so many lines and one: "at main.sink". Functions of
// the runtime that follow each other are counted in one line, so that the author's are in sight; one that follows
// itself is written once, with how often it does. The host's own functions are left out.
//
// A trace without any function of the author's is shown with all that it has. Signatures are WebAssembly's, and not
// what anybody wrote: they are left out.
func Lines(trace []string, most int) (lines []string) {
	cut := len(trace) == told
	hide := slices.ContainsFunc(trace, func(frame string) bool { return whose(frame) == author })
	if hide {
		trace = slices.DeleteFunc(slices.Clone(trace), func(frame string) bool { return whose(frame) == host })
	}
	for len(trace) > 0 {
		if len(lines) == most {
			return append(lines, "… "+count(len(trace), "more function"))
		}
		n := equal(trace)
		line := "at " + signature.ReplaceAllString(trace[0], "")
		if n > 1 {
			line += fmt.Sprintf(" ×%d", n)
			if n == len(trace) && cut {
				line += " or more"
			}
		}
		if all := runtimes(trace); hide && all > 1 {
			n, line = all, "… "+count(all, "frame")+" of the runtime"
		}
		lines, trace = append(lines, line), trace[n:]
	}
	if !hide && cut {
		lines = append(lines, "… what called them is not known")
	}
	return lines
}

// signature is that of a function as engines write it: (i32,i64) f64, several results in parentheses. References have
// no short names: externref, (ref null 3).
var signature = regexp.MustCompile(fmt.Sprintf(`\((%[1]s(,%[1]s)*)?\)( %[1]s| \(%[1]s(,%[1]s)*\))?$`,
	`([if]\d\d|v128|\w*ref|\(ref [^()]*\)|unknown)`))

// equal counts how often the first frame follows itself.
func equal(trace []string) int {
	n := 1
	for n < len(trace) && trace[n] == trace[0] {
		n++
	}
	return n
}

// runtimes counts the frames of the runtime in front.
func runtimes(trace []string) int {
	n := slices.IndexFunc(trace, func(frame string) bool { return whose(frame) != runtime })
	if n < 0 {
		return len(trace)
	}
	return n
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
