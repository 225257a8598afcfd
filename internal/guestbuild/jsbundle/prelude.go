package jsbundle

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
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
func prelude(p parts) (string, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{"main.js"},
		Bundle:      true,
		Write:       false,
		Format:      api.FormatIIFE,
		Target:      api.ES2023,
		Define:      map[string]string{"withV1": strconv.FormatBool(p.v1), "withV2": strconv.FormatBool(p.v2)},
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
	code := strings.TrimPrefix(strings.TrimSpace(string(result.OutputFiles[0].Contents)), strict)
	code = strings.ReplaceAll(code, "\n", `\n`) // those in templates: the prelude is one line
	return called(code, "(()=>{")
}

const strict = `"use strict";`

// called makes code that is wrapped in an arrow function, which is called, be wrapped in a function of the old
// kind. Where an arrow function may begin, the engine looks for its end before it reads it, which for a whole
// program is a quarter of the time that it takes to start.
func called(code, opening string) (string, error) {
	const closing = "})();"
	inside, begins := strings.CutPrefix(code, opening)
	inside, ends := strings.CutSuffix(inside, closing)
	if !begins || !ends {
		return "", fmt.Errorf("esbuild wrapped the script in something else than %s…%s", opening, closing)
	}
	return "!function(){" + inside + "}();", nil
}

// parts are those of the prelude that not every guest has.
type parts struct {
	v1, v2 bool // for adapters of the version
}

// partsFor tells what a bundle of the author's modules needs, by what of pintle.js is in it.
func partsFor(code string) (p parts) {
	for _, name := range Exports() {
		switch name {
		case "registerDeveloperMessageContribution", "config", "kv", "log":
		case "registerSystemPromptPayloadAdapter":
			p.v1 = p.v1 || imports(code, name)
		default:
			p.v2 = p.v2 || imports(code, name)
		}
	}
	// Code that was written for the reference extension may write into its registry.
	p.v1 = p.v1 || strings.Contains(code, "provider-payload-adapters/v1")
	return p
}

// imports looks for the call of pintle_api, whose own name may be another one in a bundle.
func imports(code, name string) bool { return strings.Contains(code, `("`+name+`")`) }

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

const asksCall = "__pintle.asks("

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
	return asksCall + asciiQuoted(string(text)) + ");", nil
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
