package bridge

import (
	"slices"
	"strings"
)

// DeriveName makes the id of a provider of the name, path or URL of its package: "@Foo/Bar.Baz" is
// "foo-bar-baz", "../x/Plugin.ts" is "plugin". Versions stay, "pkg@1.2" is "pkg-1-2".
func DeriveName(pkg string) string {
	pkg = withoutExtension(pkg)
	if isPath(pkg) {
		if segments := pathSegments(pkg); len(segments) > 0 {
			pkg = segments[len(segments)-1]
		}
	} else {
		pkg = strings.TrimPrefix(pkg, "@")
	}
	return slug(pkg)
}

// isPath says whether a package is given by its path or URL.
func isPath(pkg string) bool {
	return strings.HasPrefix(pkg, ".") || strings.HasPrefix(pkg, "/") || strings.Contains(pkg, "://")
}

func withoutExtension(name string) string {
	for _, extension := range [...]string{".js", ".mjs", ".cjs", ".ts"} {
		if rest, ok := strings.CutSuffix(name, extension); ok {
			return rest
		}
	}
	return name
}

// pathSegments are the segments of a path that are not empty.
func pathSegments(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// slug puts one dash for each run of characters that are neither ASCII letters, digits nor dashes, and
// writes the letters small.
func slug(name string) string {
	out := make([]byte, 0, len(name))
	run := false
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-':
		default:
			if !run {
				out = append(out, '-')
			}
			run = true
			continue
		}
		run = false
		out = append(out, c)
	}
	return string(out)
}

// stem is what the exports of a package are expected to be called after, as in createStem and
// StemPlugin: the first part of its name, "cursor-opencode-provider" is "Cursor". Folders and files of
// builds are no names.
func stem(pkg string) string {
	built := []string{"index", "dist", "src"}
	name := DeriveName(pkg)
	if slices.Contains(built, name) {
		for _, segment := range slices.Backward(pathSegments(pkg)) {
			s := slug(strings.TrimPrefix(withoutExtension(segment), "@"))
			if strings.Trim(s, "-") != "" && !slices.Contains(built, s) { // "." is no name either
				name = s
				break
			}
		}
	}
	first, _, _ := strings.Cut(strings.TrimLeft(name, "-"), "-")
	if first == "" {
		return ""
	}
	return strings.ToUpper(first[:1]) + first[1:]
}
