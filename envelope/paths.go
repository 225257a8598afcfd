package envelope

import (
	"path"
	"strings"
)

// pathRules are one platform's rules for file names, whatever the platform is that the process runs on.
type pathRules struct{ windows bool }

func (r pathRules) separator(c byte) bool { return c == '/' || r.windows && c == '\\' }

// base returns the last element of p. Separators at the end do not count, nor does a drive on Windows.
func (r pathRules) base(p string) string {
	start, end := r.last(p)
	return p[start:end]
}

// dir returns p without its last element, as an absolute, normalised path.
func (r pathRules) dir(workingDir, p string) string {
	start, _ := r.last(p)
	return r.resolve(workingDir, p[:start])
}

// last finds the last element of p.
func (r pathRules) last(p string) (start, end int) {
	first := 0
	if r.windows && hasDrive(p) {
		first = 2
	}
	end = len(p)
	for end > first && r.separator(p[end-1]) {
		end--
	}
	start = end
	for start > first && !r.separator(p[start-1]) {
		start--
	}
	return start, end
}

// resolve makes p absolute and normalises it.
func (r pathRules) resolve(workingDir, p string) string {
	if !r.windows {
		if !path.IsAbs(p) {
			p = workingDir + "/" + p
		}
		return path.Clean("/" + p)
	}
	root, rest, absolute := windowsRoot(p)
	if !absolute {
		wdRoot, wdRest, _ := windowsRoot(workingDir)
		if root == "" || strings.EqualFold(root, wdRoot) {
			root, rest = wdRoot, wdRest+`\`+rest
		}
	} else if root == "" {
		root, _, _ = windowsRoot(workingDir)
	}
	var parts []string
	for _, part := range strings.FieldsFunc(rest, func(c rune) bool { return c == '/' || c == '\\' }) {
		switch part {
		case ".":
		case "..":
			parts = parts[:max(0, len(parts)-1)]
		default:
			parts = append(parts, part)
		}
	}
	return root + `\` + strings.Join(parts, `\`)
}

// same compares two resolved paths.
func (r pathRules) same(a, b string) bool {
	if r.windows {
		return strings.EqualFold(a, b)
	}
	return a == b
}

func hasDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z')
}

// windowsRoot splits a drive (C:) or a share (\\server\share) off and says whether the rest starts at
// the root. A path from the root of the current drive is absolute with an empty root.
func windowsRoot(p string) (root, rest string, absolute bool) {
	p = strings.ReplaceAll(p, "/", `\`)
	switch {
	case hasDrive(p):
		return p[:2], p[2:], len(p) > 2 && p[2] == '\\'
	case strings.HasPrefix(p, `\\`):
		server, after, _ := strings.Cut(p[2:], `\`)
		share, tail, _ := strings.Cut(after, `\`)
		if server != "" && share != "" {
			return `\\` + server + `\` + share, tail, true
		}
	}
	return "", p, strings.HasPrefix(p, `\`)
}
