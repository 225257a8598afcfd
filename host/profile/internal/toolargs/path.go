package toolargs

import "strings"

// IsAbsolute says whether a path is absolute on any system, as a provider may think of another one than
// this: it begins with a slash, with two backslashes, or with a drive's letter, a colon and one of them.
func IsAbsolute(path string) bool {
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, `\\`) {
		return true
	}
	if len(path) < 3 || path[1] != ':' || path[2] != '/' && path[2] != '\\' {
		return false
	}
	letter := path[0] | 0x20
	return letter >= 'a' && letter <= 'z'
}
