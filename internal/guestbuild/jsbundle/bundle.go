// Package jsbundle makes one script of a guest's TypeScript or JavaScript: its modules, what they import from
// node_modules, and the part of the SDK that answers the host.
package jsbundle

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/pintle-wasm/pintle/abi"
)

// A Script is a bundled guest.
type Script struct {
	Code string // ASCII, in strict mode; it leaves the global __pintle behind
	// Map is the source map of Code, without the sources' text. Paths are relative to the guest's folder. The
	// SDK's part has no mappings.
	Map      string
	Warnings []string // each with file, line and column
}

// Bundle bundles the modules that the file entry of the folder dir leads to.
//
// The error is a [*SourceError] if the sources cannot be bundled, and that of ctx once it is done.
//
// Sources are trusted not to exhaust the bundler: one that nests brackets a million deep ends the process.
func Bundle(ctx context.Context, dir, entry string, asks Asks) (*Script, error) {
	dir, err := realPath(dir)
	if err != nil {
		return nil, err
	}
	start, err := startModule(entry)
	if err != nil {
		return nil, err
	}
	own := filesOf(dir)
	result, err := build(ctx, api.BuildOptions{
		Stdin:         &api.StdinOptions{Contents: start, ResolveDir: dir, Sourcefile: startFile, Loader: api.LoaderJS},
		AbsWorkingDir: dir,
		Outfile:       filepath.Join(dir, "guest.js"), // not written; the map's paths are relative to it
		Bundle:        true,
		Write:         false,
		Format:        api.FormatIIFE,
		Target:        api.ES2023,
		Platform:      api.PlatformBrowser,
		// Packages ask for it; there is no process.
		Define: map[string]string{"process.env.NODE_ENV": `"production"`},
		Loader: map[string]api.Loader{
			".md": api.LoaderText, ".html": api.LoaderText, ".mts": api.LoaderTS, ".cts": api.LoaderTS,
		},
		Banner:         map[string]string{"js": strict}, // a line of its own, which the prelude goes into
		Sourcemap:      api.SourceMapExternal,
		SourcesContent: api.SourcesContentExclude,
		Metafile:       true,
		Plugins:        []api.Plugin{sdk(), within(own)},
		LegalComments:  api.LegalCommentsInline, // not behind the end
		LogLevel:       api.LogLevelSilent,
		LogLimit:       0,
	})
	if err != nil {
		return nil, err
	}
	if len(result.Errors) > 0 {
		return nil, sourceError(dir, result)
	}
	if err := own.check(result.Metafile); err != nil {
		return nil, err
	}
	s := &Script{}
	for _, m := range result.Warnings {
		s.Warnings = append(s.Warnings, describe(dir, m).String())
	}
	for _, f := range result.OutputFiles {
		switch filepath.Base(f.Path) {
		case "guest.js":
			s.Code = string(f.Contents)
		case "guest.js.map":
			s.Map = string(f.Contents)
		}
	}
	if s.Code == "" || s.Map == "" {
		return nil, errors.New("esbuild made no script")
	}
	if s.Code, err = withPrelude(s.Code, asks); err != nil {
		return nil, err
	}
	if size := len(s.Code) + len(s.Map); size > abi.MaxBundleBytes {
		return nil, fmt.Errorf("the bundle has %d KiB with its source map, at most %d KiB are allowed; most of it is %s",
			size>>10, abi.MaxBundleBytes>>10, strings.Join(largest(result.Metafile), ", "))
	}
	return s, nil
}

// build runs esbuild until it is done or ctx is.
func build(ctx context.Context, options api.BuildOptions) (api.BuildResult, error) {
	b, failed := api.Context(options)
	if failed != nil {
		return api.BuildResult{Errors: failed.Errors}, nil
	}
	defer b.Dispose()
	stop := context.AfterFunc(ctx, b.Cancel)
	defer stop()
	result := b.Rebuild()
	return result, ctx.Err()
}

// withPrelude puts the prelude into the first line of a bundle.
func withPrelude(code string, asks Asks) (string, error) {
	front, err := prelude(partsFor(code))
	if err != nil {
		return "", err
	}
	told, err := asks.call()
	if err != nil {
		return "", err
	}
	code, err = called(strings.TrimSuffix(strings.TrimPrefix(code, strict+"\n"), "\n"), "(() => {")
	if err != nil {
		return "", err
	}
	return strict + front + told + "\n" + code + "\n", nil
}

// largest names the packages and files that most of a bundle comes from.
func largest(metafile string) []string {
	var m struct {
		Outputs map[string]struct {
			Inputs map[string]struct {
				Bytes int `json:"bytesInOutput"`
			} `json:"inputs"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &m); err != nil {
		return []string{err.Error()}
	}
	sizes := map[string]int{}
	for _, out := range m.Outputs {
		for file, in := range out.Inputs {
			if _, inside, found := strings.Cut(file, "node_modules/"); found {
				file = "the package " + packageOf(inside)
			}
			sizes[file] += in.Bytes
		}
	}
	names := slices.SortedFunc(maps.Keys(sizes), func(a, b string) int { return cmp.Or(sizes[b]-sizes[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s (%d KiB)", name, sizes[name]>>10)
	}
	return names[:min(3, len(names))]
}

// realPath is the folder without symbolic links: esbuild resolves them in the paths that it reports.
func realPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", fmt.Errorf("the guest's folder: %w", err)
	}
	return dir, nil
}
