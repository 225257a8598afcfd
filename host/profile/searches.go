package profile

import (
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// callGlob joins the folder and the pattern, which the host takes as one path.
func callGlob(v *conversion) {
	key := v.key("pattern")
	if pattern, ok := v.args.Text(key); ok && pattern != "" {
		v.joinPath(pattern)
		v.remove(key)
	}
}

// callGrep joins the folder and the pattern of the files to look into.
func callGrep(v *conversion) {
	key := v.key("include")
	if include, ok := v.args.Text(key); ok {
		v.joinPath(include)
		v.remove(key)
	}
}

// joinPath puts a pattern behind the path.
func (v *conversion) joinPath(pattern string) {
	pattern = slashes(pattern)
	key := v.key("path")
	root, _ := v.args.Text(key)
	switch root = slashes(root); root {
	case "", ".", "./":
		v.setText(key, pattern)
		return
	}
	folder := strings.TrimRight(root, "/")
	pattern = strings.TrimLeft(pattern, "/")
	if folder == "" && v.toolset.reference {
		v.setText(key, pattern) // the root of the file system is lost
		return
	}
	v.setText(key, folder+"/"+pattern)
}

func slashes(path string) string { return strings.ReplaceAll(path, `\`, "/") }

// splitPath parts a path in front of its first segment that is a pattern. hasFolder is false where there is
// nothing in front of it, and ok where no segment is a pattern.
func (v *conversion) splitPath(path string) (folder string, hasFolder bool, pattern string, ok bool) {
	at := strings.IndexAny(path, "*?[{")
	if at < 0 {
		return "", false, "", false
	}
	at = strings.LastIndexByte(path[:at], '/') + 1
	if at == 0 {
		return "", false, path, true
	}
	folder = path[:at-1]
	if folder == "" && !v.toolset.reference {
		folder = "/"
	}
	return folder, true, path[at:], true
}

// restateGlob parts the path.
func restateGlob(v *conversion) {
	path, ok := v.args.Text(v.key("path"))
	if !ok {
		return
	}
	path = slashes(path)
	folder, hasFolder, pattern, ok := v.splitPath(path)
	if !ok {
		folder, hasFolder, pattern = path, path != "" && path != ".", "**/*"
	}
	w := jsonvalue.Begin(nil)
	w.Text("pattern", pattern)
	if hasFolder {
		w.Text("path", folder)
	}
	for _, key := range [...]string{"gitignore", "hidden"} {
		if value := v.args.Get(v.key(key)); isBool(value) {
			w.Raw(key, value)
		}
	}
	if limit := v.args.Get(v.key("limit")); isNumber(limit) {
		w.Raw("limit", limit)
	}
	v.built = w.End()
}

// restateGrep takes the pattern of the files out of the path.
func restateGrep(v *conversion) {
	v.useProviderKeys()
	key := v.rule.alias(v.key("path"))
	path, ok := v.args.Text(key)
	if !ok {
		return
	}
	folder, hasFolder, include, ok := v.splitPath(slashes(path))
	if !ok {
		return
	}
	v.setText("include", include)
	if hasFolder {
		v.setText(key, folder)
	} else {
		v.remove(key)
	}
}
