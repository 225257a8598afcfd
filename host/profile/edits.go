package profile

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/host/profile/internal/toolargs"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// The spellings of an edit's texts, in order of precedence: for hosts that take the texts themselves, and
// for those that take a list of edits, whose own are the last of the others.
var (
	oldFlat, newFlat     = toolargs.OldTexts[:], toolargs.NewTexts[:]
	oldInList, newInList = reversed(oldFlat), reversed(newFlat)
)

func reversed(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// spellings are those of one text, and first of all the host's own if it is none of them.
func (v *conversion) spellings(provider string, known []string) []string {
	if key := v.key(provider); !slices.Contains(known, key) {
		return append([]string{key}, known...)
	}
	return known
}

// callEdits makes a list of edits of the one that a provider gives. A list passes as it is.
func callEdits(v *conversion) {
	if list := v.args.Get("edits"); len(list) > 0 && list[0] == '[' {
		return
	}
	oldKeys, newKeys := v.spellings("oldString", oldInList), v.spellings("newString", newInList)
	before, after := v.firstText(oldKeys...), v.firstText(newKeys...)
	if before == nil || after == nil {
		return
	}
	for _, keys := range [][]string{oldKeys, newKeys, v.spellings("replaceAll", toolargs.Every[:])} {
		for _, key := range keys {
			v.remove(key)
		}
	}
	w := jsonvalue.Begin([]byte{'['})
	w.Raw("oldText", before)
	w.Raw("newText", after)
	v.set("edits", append(w.End(), ']'))
}

// restateEdits restates a list of one edit.
func restateEdits(v *conversion) {
	path := v.args.Get(v.key("filePath"))
	list, ok := ordered.Elements(v.args.Get("edits"))
	if !ok || len(list) != 1 || !isText(path) {
		return
	}
	edit, _ := ordered.ParseObject(list[0])
	if before, after := edit.Get("oldText"), edit.Get("newText"); isText(before) && isText(after) {
		v.built = flatEdit(path, before, after, nil)
	}
}

// restateReplace restates an edit that is given by its texts. Patches pass as they are.
func restateReplace(v *conversion) {
	path := v.args.Get(v.key("filePath"))
	before := v.firstText(v.spellings("oldString", oldFlat)...)
	after := v.firstText(v.spellings("newString", newFlat)...)
	if isText(path) && before != nil && after != nil {
		v.built = flatEdit(path, before, after, v.args.Get(v.key("replaceAll")))
	}
}

func flatEdit(path, before, after, all json.RawMessage) json.RawMessage {
	w := jsonvalue.Begin(nil)
	w.Raw("filePath", path)
	w.Raw("oldString", before)
	w.Raw("newString", after)
	if isBool(all) {
		w.Raw("replaceAll", all)
	}
	return w.End()
}
