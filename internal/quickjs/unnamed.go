package quickjs

import (
	"regexp"
	"strings"
)

// Hint tells what a guest does not have if the code at the place of the error takes it from the global object, as in
// globalThis.fetch(url), "" otherwise. There it is undefined, and the engine says nothing but "not a function", with
// the place of the last argument. code is that of the script file.
func (e *Exception) Hint(file, code string) string {
	if len(e.Stack) == 0 || e.Stack[0].File != file {
		return ""
	}
	at := offset(code, e.Stack[0].Line, e.Stack[0].Column)
	name := ""
	switch {
	case at < 0:
	case strings.HasPrefix(e.Reason, "TypeError: not a function"):
		name = called(code, at)
	case strings.HasPrefix(e.Reason, "TypeError: cannot read property "):
		if found := member.FindStringSubmatch(code[at:min(at+maxExpression, len(code))]); found != nil {
			name = found[1]
		}
	}
	hint := missing[name]
	if hint == "" || defines(code, name) {
		return ""
	}
	return ": globalThis." + name + " is undefined: " + hint
}

// defines tells whether a program may have a member of the global object of its own. Code is as the bundler writes it.
func defines(code, name string) bool {
	for _, way := range []string{
		"globalThis." + name + " = ", "globalThis." + name + " ??= ", "globalThis." + name + " ||= ",
		`globalThis["` + name + `"]`, `(globalThis, "` + name + `"`, "Object.assign(globalThis, ",
		"Object.defineProperties(globalThis, ",
	} {
		if strings.Contains(code, way) {
			return true
		}
	}
	return false
}

// maxExpression is how far from the place of an error is looked.
const maxExpression = 2 << 10

var (
	member     = regexp.MustCompile(`^globalThis\.(\w+)\.`)
	memberCall = regexp.MustCompile(`\bglobalThis\??\.(\w+)\(`)
)

// called is the member of the global object in whose call a place is: at its name or among its arguments.
func called(code string, at int) (name string) {
	start := max(at-maxExpression, 0)
	around := code[start:min(at+maxExpression, len(code))]
	for _, found := range memberCall.FindAllStringSubmatchIndex(around, -1) {
		begins, open := start+found[2], start+found[3]
		if begins <= at && (at < open || !closes(code[open:at])) {
			name = code[begins:open]
		}
	}
	return name
}

// closes tells whether a text closes the parenthesis that it begins with. It does not look for those in strings: an
// error goes without a hint then, or has one that is true of the code beside it.
func closes(text string) bool {
	depth := 0
	for _, c := range text {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return true
			}
		}
	}
	return false
}

// offset is the place of a line and a column in a text, both from 1; -1 if it has no such place.
func offset(text string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			return -1
		}
		at += end + 1
	}
	if at += column - 1; line < 1 || column < 1 || at >= len(text) {
		return -1
	}
	return at
}
