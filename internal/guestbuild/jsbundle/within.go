package jsbundle

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// within keeps the bundle of a guest to files that are meant for it. A bundle is published, and most of its code
// was written by people that the author does not know: what an import can name is the author's disk.
func within(f files) api.Plugin {
	return api.Plugin{Name: "within", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			reason := neverIn(a.Path)
			if reason == "" && strings.HasPrefix(a.Path, ".") {
				reason = f.refuses(a.Importer, filepath.Join(a.ResolveDir, filepath.FromSlash(a.Path)))
			} else if reason == "" && filepath.IsAbs(a.Path) {
				reason = f.refuses(a.Importer, a.Path)
			}
			if reason == "" {
				return api.OnResolveResult{}, nil
			}
			return api.OnResolveResult{Errors: []api.Message{{Text: a.Path + ": " + reason}}}, nil
		})
		// Links, and the maps in package.json and tsconfig.json, lead to other files than it seems.
		build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: "file"}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
			if f.has(a.Path) {
				return api.OnLoadResult{}, nil
			}
			return api.OnLoadResult{Errors: []api.Message{{Text: filepath.ToSlash(a.Path) + ": " + outside}}}, nil
		})
	}}
}

// neverIn says why an import is in no bundle, by its name.
func neverIn(path string) string {
	switch {
	case strings.HasPrefix(path, "https://"), strings.HasPrefix(path, "http://"), strings.HasPrefix(path, "//"):
		return noNetwork + "; install the package with npm and import it by its name"
	case strings.HasSuffix(path, ".css"):
		return "a guest has no style sheets"
	}
	return ""
}

// files are those that a guest may consist of, without symbolic links in their paths.
type files struct {
	dir     string   // the guest's folder
	root    string   // the same, or the workspace that it is in
	modules []string // folders node_modules in which packages are found
}

func filesOf(dir string) files {
	f := files{dir: dir, root: dir}
	for at := dir; ; at = filepath.Dir(at) {
		f.modules = append(f.modules, filepath.Join(at, "node_modules"))
		if isWorkspace(at) {
			f.root = at
		}
		if at == filepath.Dir(at) {
			return f
		}
	}
}

// isWorkspace tells whether packages in a folder share their code.
func isWorkspace(dir string) bool {
	if isFile(filepath.Join(dir, "pnpm-workspace.yaml")) {
		return true
	}
	var manifest struct {
		Workspaces json.RawMessage `json:"workspaces"`
	}
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	return err == nil && json.Unmarshal(text, &manifest) == nil && len(manifest.Workspaces) > 0
}

const (
	outside = "it is outside of the guest's folder; a guest imports its own files and those of node_modules"
	notNPM  = "code in node_modules may not import what is outside of node_modules"
)

// refuses says why one file may not import another one.
func (f files) refuses(importer, path string) string {
	switch {
	case !f.has(path):
		return outside
	case f.ofNPM(importer) && !f.ofNPM(path):
		return notNPM
	}
	return ""
}

// check looks through what esbuild has put into a bundle for imports that only the maps of packages lead to.
func (f files) check(metafile string) error {
	var m struct {
		Inputs map[string]struct {
			Imports []struct {
				Path     string `json:"path"`
				Original string `json:"original"`
			} `json:"imports"`
		} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &m); err != nil {
		return err
	}
	var problems []Problem
	for _, importer := range slices.Sorted(maps.Keys(m.Inputs)) {
		for _, i := range m.Inputs[importer].Imports {
			_, isFile := m.Inputs[i.Path]
			if !isFile || strings.HasPrefix(i.Path, namespace+":") {
				continue
			}
			if reason := f.refuses(f.path(importer), f.path(i.Path)); reason != "" {
				problems = append(problems, Problem{Text: importer + ": " + i.Original + ": " + reason})
			}
		}
	}
	if len(problems) > 0 {
		return &SourceError{problems}
	}
	return nil
}

// path is that of a file as esbuild names it.
func (f files) path(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(f.dir, name)
}

func (f files) has(path string) bool {
	return inside(f.root, path) || f.inModules(path)
}

func (f files) inModules(path string) bool {
	for _, dir := range f.modules {
		if inside(dir, path) {
			return true
		}
	}
	return false
}

// ofNPM tells whether a file came with a package, and not from the author.
func (f files) ofNPM(path string) bool {
	rel, err := filepath.Rel(f.root, path)
	return f.inModules(path) || err == nil && strings.Contains("/"+filepath.ToSlash(rel), "/node_modules/")
}

func inside(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
