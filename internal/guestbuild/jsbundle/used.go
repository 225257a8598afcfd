package jsbundle

import (
	"regexp"
	"strings"
)

// Author returns the part of a bundle that the author's modules and packages make: what is behind the prelude's
// line, without comments. It answers false if the bundle is not one of [Bundle]'s.
func Author(code string) (string, bool) {
	front, author, more := strings.Cut(code, "\n")
	if !more || !strings.HasPrefix(front, strict) || !strings.Contains(front, asksCall) {
		return "", false
	}
	return withoutComments(author), true
}

// esbuild writes comments at the beginning of lines. So may an author in a text of several lines, which is why
// what may be the end or a value of one stays.
var comments = regexp.MustCompile("(?m)^[ \t]*(//.*$|/\\*[^`]*?\\*/)")

func withoutComments(code string) string {
	return comments.ReplaceAllStringFunc(code, func(comment string) string {
		if strings.Contains(comment, "${") {
			return comment
		}
		return ""
	})
}

// Imports tells whether the author's part of a bundle imports a name from "pintle" and uses it: what is only
// imported is not in a bundle.
func Imports(author, name string) bool {
	return regexp.MustCompile(`\bpintle_api\d*\("` + regexp.QuoteMeta(name) + `"\)`).MatchString(author)
}
