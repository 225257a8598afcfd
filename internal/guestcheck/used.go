package guestcheck

import (
	"bytes"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/internal/spelling"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// imported are the functions by which a guest uses a capability.
var imported = map[string][]string{
	abi.CapabilityConfig: {abi.HostModule + ".config"},
	abi.CapabilityKV:     {abi.HostModule + ".kv_get", abi.HostModule + ".kv_set", abi.HostModule + ".kv_delete"},
	abi.CapabilityClock:  {"wasi_snapshot_preview1.clock_time_get"},
	abi.CapabilityRandom: {"wasi_snapshot_preview1.random_get"},
}

func (g *Guest) capabilities(r *Report) {
	m := g.Artifact.Manifest
	if len(m.Capabilities) == 0 {
		r.Add(Capabilities, OK, "", "it asks for none")
	}
	for _, c := range m.Capabilities {
		functions, known := imported[c.Name]
		switch {
		case c.Name == abi.CapabilityLog:
			r.Add(Capabilities, Note, "", "log: every guest has it, whether it asks or not")
		case !known:
			hint := ""
			if near := spelling.Nearest(c.Name, slices.Sorted(maps.Keys(imported))); near != "" {
				hint = "did you mean " + near + "?"
			}
			r.Add(Capabilities, Warning, hint, "%s: this host does not know it and grants it to nobody", c.Name)
		case g.Bundle != nil && !g.known:
			r.Add(Capabilities, Note, "",
				"%s: asked for; whether the code uses it cannot be told, since `pintle build` did not bundle it", c.Name)
		case g.Bundle != nil:
			g.scriptCapability(r, c.Name)
		default:
			g.usedCapability(r, c.Name, functions)
		}
		if c.Name == abi.CapabilityConfig {
			g.configKeys(r, c.Keys)
		}
	}
}

func (g *Guest) usedCapability(r *Report, name string, functions []string) {
	var found []string
	for _, im := range g.Artifact.Module().Imports {
		if im.Kind == wasmbin.FuncKind && slices.Contains(functions, im.Module+"."+im.Name) {
			found = append(found, im.Name)
		}
	}
	if len(found) == 0 {
		r.Add(Capabilities, Warning, "take it out of pintle.toml", "%s: asked for and not used: it imports none of %s",
			name, strings.Join(functions, ", "))
		return
	}
	r.Add(Capabilities, OK, "", "%s: asked for, and imported: %s", name, strings.Join(found, ", "))
}

// named are the words by one of which code in JavaScript reaches a capability that it does not import.
var named = map[string][]string{abi.CapabilityClock: {"Date", "performance"}, abi.CapabilityRandom: {"random"}}

// scriptCapability reports a capability that nothing in the author's code leads to.
func (g *Guest) scriptCapability(r *Report, name string) {
	const hint = "take it out of pintle.toml"
	words, byName := named[name]
	if !byName {
		if !jsbundle.Imports(g.author, name) {
			r.Add(Capabilities, Warning, hint, "%s: asked for and not used: the code does not use %s of \"pintle\"", name, name)
			return
		}
		r.Add(Capabilities, OK, "", "%s: asked for, and the code uses %s of \"pintle\"", name, name)
		return
	}
	for _, word := range words {
		if g.has(word) {
			r.Add(Capabilities, OK, "", "%s: asked for, and the code has the word %s", name, word)
			return
		}
	}
	r.Add(Capabilities, Warning, hint,
		"%s: asked for and not used: the code does not have the word %s", name, strings.Join(words, " or "))
}

func (g *Guest) configKeys(r *Report, keys []string) {
	if len(keys) == 0 {
		r.Add(Capabilities, Warning, "list the keys that the guest reads", "config: it names no keys, so it can read none")
	}
	for _, key := range keys {
		if !g.has(key) {
			r.Add(Capabilities, Warning, "take it out of the keys, or spell it as the code does",
				"config: the key %q stands nowhere in the guest", key)
		}
	}
}

// needs reports context fields whose name the guest does not have, so that it cannot look them up.
func (g *Guest) needs(r *Report) {
	for _, c := range g.Artifact.Manifest.Contributions {
		var unused []string
		for _, need := range c.Needs {
			if !g.has(string(need)) {
				unused = append(unused, string(need))
			}
		}
		for _, need := range unused {
			r.Add(Needs, Warning, "take it out of needs", "%s needs %s, and the word stands nowhere in the guest", c.ID, need)
		}
		switch {
		case len(c.Needs) == 0:
			r.Add(Needs, Note, "", "%s sees nothing of a turn", c.ID)
		case len(unused) == 0:
			r.Add(Needs, OK, "", "%s sees %s", c.ID, strings.Join(words(c.Needs), ", "))
		}
	}
}

func words(fields []abi.ContextField) []string {
	list := make([]string, len(fields))
	for i, f := range fields {
		list[i] = string(f)
	}
	return list
}

// has tells whether a word stands in the guest, as UTF-8 or, as some languages keep texts, as UTF-16. That it
// does says little, that it does not much.
func (g *Guest) has(word string) bool {
	if g.Bundle != nil {
		return hasWord(g.author, word)
	}
	var wide []byte
	for _, unit := range utf16.Encode([]rune(word)) {
		wide = append(wide, byte(unit), byte(unit>>8))
	}
	return bytes.Contains(g.code, []byte(word)) || bytes.Contains(g.code, wide)
}

// plain are the words that stand in a bundle as they are. Others, in texts, are written with escapes.
var plain = regexp.MustCompile(`^[\w$ ./:-]+$`)

// hasWord tells whether JavaScript has a word that is not a part of a longer name. Where that cannot be told, it
// does.
func hasWord(code, word string) bool {
	return !plain.MatchString(word) || regexp.MustCompile(`(^|[^\w$])`+regexp.QuoteMeta(word)+`($|[^\w$])`).MatchString(code)
}

// codeOf is a file without its manifest, which has all the words that are looked for.
func codeOf(a *runtime.Artifact, file []byte) []byte {
	var out []byte
	for _, s := range a.Module().Sections {
		if !s.Custom() {
			out = append(out, file[s.Start:s.End]...)
		}
	}
	return out
}
