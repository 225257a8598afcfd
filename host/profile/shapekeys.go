package profile

import (
	"slices"

	"github.com/pintle-wasm/pintle/host/profile/internal/toolargs"
)

// shapeKeys are the keys of arguments that a shape knows.
type shapeKeys struct {
	// provider are what providers call them. The host calls each what the alias for it leads to, and the same
	// if there is none.
	provider []string
	// aliased are those of them that hosts are known to call otherwise: a rule has to say what they are.
	aliased []string
	// taken are keys that the host does not get, so that no alias is needed for them.
	taken []string
	// host are keys that the host has by this name, whatever the aliases.
	host []string
	// spelt are arguments that the shape finds or puts by these names too, whatever the aliases: no other one can
	// have them on the host's side.
	spelt map[string][]string
}

// textsOfEdits are the spellings of those that an edit has.
var textsOfEdits = map[string][]string{
	"oldString": toolargs.OldTexts[:], "newString": toolargs.NewTexts[:], "replaceAll": toolargs.Every[:],
}

// same are arguments by the providers' names.
func same(keys ...string) map[string][]string {
	spelt := map[string][]string{}
	for _, key := range keys {
		spelt[key] = []string{key}
	}
	return spelt
}

// keysOfShapes has the keys of all shapes. A name stands for the same keys in schema, call and history.
// tables/README.md lists them.
var keysOfShapes = map[string]shapeKeys{
	"read": {
		provider: []string{"filePath", "offset", "limit"}, aliased: []string{"filePath"}, spelt: same("filePath"),
	},
	"selector": {provider: []string{"filePath", "offset", "limit"}, aliased: []string{"filePath"}},
	"write":    {provider: []string{"filePath", "content"}, aliased: []string{"filePath"}, spelt: same("filePath")},
	"edit": {
		provider: []string{"filePath", "oldString", "newString"},
		aliased:  []string{"filePath", "oldString", "newString"},
	},
	"replace": {
		provider: []string{"filePath", "oldString", "newString", "replaceAll"},
		aliased:  []string{"filePath", "oldString", "newString", "replaceAll"}, spelt: textsOfEdits,
	},
	"edits": {
		provider: []string{"filePath", "oldString", "newString"}, aliased: []string{"filePath"},
		taken: []string{"oldString", "newString", "replaceAll"}, host: []string{"edits"}, spelt: textsOfEdits,
	},
	"shell": {
		provider: []string{"command", "workdir", "timeout"}, aliased: []string{"workdir"},
		spelt: same("command", "workdir", "timeout"),
	},
	"glob": {provider: []string{"pattern", "path", "gitignore", "hidden", "limit"}},
	"grep": {
		provider: []string{"path", "include"}, aliased: []string{"include"}, taken: []string{"include"},
	},
	todoShape: {host: []string{"op", "task", "items", "todos"}},
}

// hostKey is what the host calls an argument of providers: where the aliases lead, in their order.
func (r *rule) hostKey(provider string) string {
	key := provider
	for _, a := range r.Aliases {
		if a[0] == key {
			key = a[1]
		}
	}
	return key
}

// checkKeys finds arguments that would get lost between the shapes and the aliases of a rule.
func (r *rule) checkKeys(path string) error {
	aliased := map[string]bool{}
	for _, a := range r.Aliases {
		aliased[a[0]] = true
	}
	leads := map[string]string{}
	for _, shape := range []string{r.Schema, r.Call, r.History} {
		keys := keysOfShapes[shape]
		for _, key := range keys.aliased {
			if !aliased[key] && !slices.Contains(keysOfShapes[r.Call].taken, key) {
				return wrong(path+".aliases", "shape %q has %q for providers, and no alias says what the host "+
					"calls it: add [%[2]q, the host's key], which is [%[2]q, %[2]q] if it is the same", shape, key)
			}
		}
		for _, key := range keys.host {
			if r.hostKey(key) != key {
				return wrong(path+".aliases", "shape %q needs %q as it is: take the alias away", shape, key)
			}
		}
		for _, key := range slices.Concat(keys.provider, keys.host) {
			to := r.hostKey(key)
			if other, ok := leads[to]; ok && other != key {
				return wrong(path+".aliases", "%q and %q of shape %q would both be %q", other, key, shape, to)
			}
			if leads[to] = key; slices.Contains(r.Drop, to) {
				return wrong(path+".drop", "shape %q needs %q", shape, to)
			}
		}
		for _, key := range slices.Concat(keys.provider, keys.taken) {
			to := r.hostKey(key)
			if other, ok := leads[to]; ok && other != key {
				return wrong(path+".aliases", "%q and %q of shape %q would both be %q", other, key, shape, to)
			}
			if other := keys.spells(to); other != "" && other != key {
				return wrong(path+".aliases", "%q would be %q, which shape %q takes for %q", key, to, shape, other)
			}
		}
	}
	return nil
}

// spells says which argument the shape finds by a name, "" for none.
func (k *shapeKeys) spells(name string) string {
	for text, names := range k.spelt {
		if slices.Contains(names, name) {
			return text
		}
	}
	return ""
}
