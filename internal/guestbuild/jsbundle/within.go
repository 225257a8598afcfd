package jsbundle

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// within keeps the bundle of a guest in the folder dir to files that are meant for it. A bundle is published, and
// most of its code was written by people that the author does not know: what an import can name is the author's
// disk.
func within(dir string) api.Plugin {
	f := filesOf(dir)
	return api.Plugin{Name: "within", Setup: func(build api.PluginBuild) {
		build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
			_, asking := a.PluginData.(resolving)
			if asking || a.Kind == api.ResolveEntryPoint {
				return api.OnResolveResult{}, nil
			}
			if reason := neverIn(a.Path); reason != "" {
				return refused(a.Path, reason), nil
			}
			found := build.Resolve(a.Path, api.ResolveOptions{Importer: a.Importer, Namespace: a.Namespace, ResolveDir: a.ResolveDir,
				Kind: a.Kind, With: a.With, PluginData: resolving{}})
			if len(found.Errors) > 0 || found.External || found.Namespace != "file" {
				return api.OnResolveResult{}, nil // esbuild says so again, or there is no file
			}
			switch {
			case !f.has(found.Path):
				return refused(a.Path, "it is outside of the guest's folder; a guest imports its own files and those of node_modules"), nil
			case f.ofNPM(a.Importer) && !f.ofNPM(found.Path):
				return refused(a.Path, "code in node_modules may not import what is outside of node_modules"), nil
			}
			return api.OnResolveResult{}, nil
		})
	}}
}

// resolving marks the questions of within itself.
type resolving struct{}

func refused(path, reason string) api.OnResolveResult {
	return api.OnResolveResult{Errors: []api.Message{{Text: path + ": " + reason}}}
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
	root    string   // the guest's folder, or the workspace that it is in
	modules []string // folders node_modules that packages are found in
}

func filesOf(dir string) files {
	f := files{root: dir}
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
