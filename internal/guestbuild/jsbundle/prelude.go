package jsbundle

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"
)

//go:embed prelude/*.js
var preludeFiles embed.FS

// What the modules of the SDK are called in source maps: they begin with "pintle:".
const (
	namespace = "pintle"
	startFile = "pintle:start"
)

// prelude is the part of the SDK that stands in front of the author's code. It is a script of its own, so
// that none of its names meets one of the author's and renames it.
func prelude() (string, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"main.js"},
		Bundle:      true,
		Write:       false,
		Format:      api.FormatIIFE,
		Target:      api.ES2023,
		// It is in every guest and in every stack, and traces leave it out.
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		Plugins:           []api.Plugin{{Name: "prelude", Setup: embedded}},
		LogLevel:          api.LogLevelSilent,
	})
	if len(result.Errors) > 0 {
		return "", fmt.Errorf("the SDK's own code: %s", result.Errors[0].Text)
	}
	code := strings.TrimSuffix(string(result.OutputFiles[0].Contents), "\n")
	if !strings.HasPrefix(code, `"use strict";`) {
		code = `"use strict";` + code
	}
	return code, nil
}

// embedded serves the prelude's modules to esbuild.
func embedded(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: ".*"}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		return api.OnResolveResult{Path: path.Base(a.Path), Namespace: namespace}, nil
	})
	build.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace}, func(a api.OnLoadArgs) (api.OnLoadResult, error) {
		return preludeFile(a.Path)
	})
}

func preludeFile(name string) (api.OnLoadResult, error) {
	text, err := preludeFiles.ReadFile("prelude/" + name)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	contents := string(text)
	return api.OnLoadResult{Contents: &contents, Loader: api.LoaderJS}, nil
}

// startModule is the entry of the bundle: it runs the author's modules and then tells the prelude.
func startModule(entry string) (string, error) {
	from, err := json.Marshal("./" + entry)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("import * as pintle_guest from %s;\n__pintle.start(pintle_guest);\n", from), nil
}

// Asks is what pintle.toml asks for. The SDK warns at run time of what code uses without it: to the code, not
// to have asked looks like not to have been given.
type Asks struct {
	Needs  map[string][]string `json:"needs"`  // context fields by contribution
	Config []string            `json:"config"` // keys of the configuration
	KV     bool                `json:"kv"`
}

// call is the statement that tells the prelude.
func (a Asks) call() (string, error) {
	if a.Needs == nil {
		a.Needs = map[string][]string{}
	}
	if a.Config == nil {
		a.Config = []string{}
	}
	text, err := json.Marshal(a) // maps in order, so builds are alike
	if err != nil {
		return "", err
	}
	return "__pintle.asks(" + asciiQuoted(string(text)) + ");", nil
}

// asciiQuoted writes a JavaScript string.
func asciiQuoted(text string) string {
	b := []byte{'"'}
	for _, unit := range utf16.Encode([]rune(text)) {
		switch {
		case unit == '"' || unit == '\\':
			b = append(b, '\\', byte(unit))
		case unit < ' ' || unit > '~':
			b = fmt.Appendf(b, `\u%04x`, unit)
		default:
			b = append(b, byte(unit))
		}
	}
	return string(append(b, '"'))
}
