package languages_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/runtime"
)

// compiled are the languages whose guests read requests themselves.
func compiled() []string {
	return slices.DeleteFunc(languages.All(), func(language string) bool { return language == "typescript" })
}

// A request is one of the corpus, for an operation.
type request struct{ name, op, bytes string }

// model are requests that are right, one for each operation.
func model() map[string]map[string]any {
	whole := func(more map[string]any) map[string]any {
		q := map[string]any{"id": "codex-v1", "features": 0, "provider": "openai-codex", "api": "openai-codex-responses",
			"payload": []byte(`{"instructions":"Be.","input":[{"role":"user","content":"é"}]}`)}
		for key, value := range more {
			q[key] = value
		}
		return q
	}
	message := map[string]any{"id": "style", "content": "No lists."}
	return map[string]map[string]any{
		abi.RenderV1: {"id": "template", "features": 0, "provider": "p", "activeTools": []any{"read", "bash"}, "sessionId": "s1", "prompt": "fix it",
			"systemPromptOptions": map[string]any{"cwd": "/work", "skills": []any{map[string]any{"name": "pdf"}, map[string]any{"name": "é"}}}},
		abi.ReadSystemPromptV1:         whole(nil),
		abi.ReplaceSystemPromptV1:      whole(map[string]any{"systemPrompt": "Be brief."}),
		abi.ReplaceDeveloperMessagesV1: whole(map[string]any{"messages": []any{message}}),
		abi.EditV2: {"id": "codex", "features": 0, "provider": "openai-codex", "api": "openai-codex-responses", "systemPrompt": "Be brief.", "messages": []any{message},
			"view": []any{
				map[string]any{"at": []any{"instructions"}, "value": map[string]any{"head": "B", "tail": "e.", "bytes": 40}, "clipped": true},
				map[string]any{"at": []any{"input"}, "value": map[string]any{"list": 3}},
				map[string]any{"at": []any{"input", 1}, "value": map[string]any{"object": map[string]any{"role": "developer", "content": "c"}}},
			}},
	}
}

// odd are values of every type, among them those that are easily taken for what they are not.
func odd() []any {
	return []any{nil, true, false, 0, 1, 7, -1, uint64(math.MaxUint64), int64(math.MinInt64), 1.5, 1e300, -1e300, 1e10, math.NaN(), math.Inf(1), math.Copysign(0, -1),
		"", "text", "instructions", "\x00é", []byte{}, []byte("{}"), []byte{0xff}, []any{}, []any{nil}, []any{0, "a", []any{}}, map[string]any{},
		map[string]any{"id": 1, "name": []any{}, "list": "x", "head": 5, "object": 7}, map[string]any{"object": []any{}}, map[string]any{"list": nil, "head": "h"}}
}

// replaced calls each with every tree that has one odd value in the place of one of v's, or lacks it.
func replaced(v any, where string, each func(where string, tree any)) {
	for _, o := range odd() {
		each(fmt.Sprintf("%s is %#v", where, o), o)
	}
	switch v := v.(type) {
	case map[string]any:
		for key, inner := range v {
			with := func(where string, tree any) {
				changed := make(map[string]any, len(v))
				for k, other := range v {
					changed[k] = other
				}
				changed[key] = tree
				each(where, changed)
			}
			replaced(inner, where+"."+key, with)
			lacking := make(map[string]any, len(v))
			for k, other := range v {
				if k != key {
					lacking[k] = other
				}
			}
			each("no "+where+"."+key, lacking)
		}
	case []any:
		for i, inner := range v {
			replaced(inner, fmt.Sprintf("%s[%d]", where, i), func(where string, tree any) {
				changed := slices.Clone(v)
				changed[i] = tree
				each(where, changed)
			})
		}
	}
}

// malformed are items that no message may have in it, and their neighbours that it may.
func malformed() map[string]string {
	items := map[string]string{
		"tag": "\xc0\x00", "wide tag": "\xd8\x20\x00", "undefined": "\xf7", "simple value": "\xe0", "wide simple value": "\xf8\xff", "simple value false": "\xf8\x14",
		"reserved head": "\x1c", "indefinite bytes": "\x5f\x41a\xff", "indefinite text": "\x7f\x61a\xff", "indefinite list": "\x9f\xff", "indefinite map": "\xbf\xff", "break": "\xff",
		"no argument": "\x18", "half an argument": "\x1b\x00\x00", "half a float": "\xf9\x00", "no float": "\xfb",
		"endless bytes": "\x5b\xff\xff\xff\xff\xff\xff\xff\xff", "endless text": "\x7b\xff\xff\xff\xff\xff\xff\xff\xff", "endless list": "\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
		"endless map": "\xbb\xff\xff\xff\xff\xff\xff\xff\xff", "a map of half": "\xbb\x80\x00\x00\x00\x00\x00\x00\x00", "a map of half and one": "\xbb\x80\x00\x00\x00\x00\x00\x00\x01\x00\x00",
		"bytes of 4 GiB": "\x5a\xff\xff\xff\xff", "a text of 2 GiB": "\x7a\x7f\xff\xff\xff", "a text of 4 GiB and more": "\x7b\x00\x00\x00\x01\x00\x00\x00\x01a", "a list of 4 GiB": "\x9a\xff\xff\xff\xff\x00",
		"no UTF-8": "\x61\xff", "overlong": "\x62\xc0\x80", "surrogate": "\x63\xed\xa0\x80", "last before surrogates": "\x63\xed\x9f\xbf", "overlong of three": "\x63\xe0\x9f\xbf",
		"overlong of four": "\x64\xf0\x8f\xbf\xbf", "last": "\x64\xf4\x8f\xbf\xbf", "behind the last": "\x64\xf4\x90\x80\x80", "cut in a character": "\x62\xe2\x82", "no UTF-8 far behind": "\x78\x28" + strings.Repeat("a", 39) + "\xc3",
		"a key that is no UTF-8": "\xa1\x61\xff\x00",
	}
	for name, key := range map[string]string{"negative": "\x20", "float": "\xf9\x00\x00", "bytes": "\x41a", "truth": "\xf4", "null": "\xf6", "list": "\x80", "map": "\xa0", "number": "\x00", "text": "\x60"} {
		items["key: "+name] = "\xa1" + key + "\x00"
	}
	for name, keys := range map[string]string{
		"text": "\x61a|\x61a", "wide text": "\x61a|\x78\x01a", "wider texts": "\x79\x00\x01a|\x7b\x00\x00\x00\x00\x00\x00\x00\x01a", "number": "\x01|\x18\x01", "wide numbers": "\x1a\x00\x00\x00\x17|\x17",
		"large number": "\x1b\xff\xff\xff\xff\xff\xff\xff\xff|\x1b\xff\xff\xff\xff\xff\xff\xff\xff", "apart": "\x61a|\x61b|\x61a", "apart and unordered": "\x61b|\x01|\x61a|\x62aa|\x18\x01",
		"empty": "\x60|\x78\x00", "id": "\x62id|\x62id", "none, unordered": "\x61b|\x61a", "none, mixed": "\x61a|\x01|\x00", "none, numbers by their lower half": "\x00|\x1b\x00\x00\x00\x01\x00\x00\x00\x00",
		"none, a number like a text": "\x01|\x61\x01|\x00", "none, parts": "\x61a|\x62aa|\x60",
	} {
		parts := strings.Split(keys, "|")
		items["twice: "+name] = string(rune(0)) // below, as bytes
		items["twice: "+name] = string([]byte{byte(0xa0 + len(parts))}) + strings.Join(parts, "\x00") + "\x00"
	}
	for _, n := range []int{30, 31, 32, 33, 500} {
		items[fmt.Sprintf("%d lists", n)] = strings.Repeat("\x81", n-1) + "\x80"
		items[fmt.Sprintf("%d maps", n)] = strings.Repeat("\xa1\x61a", n-1) + "\xa0"
		items[fmt.Sprintf("%d lists and a number", n)] = strings.Repeat("\x81", n) + "\x00"
	}
	return items
}

// large are items that cost much to believe in, or to look through.
func large() map[string]string {
	zeros := strings.Repeat("\x00", 131_072)
	var unordered, twice strings.Builder
	for i := range 131_072 {
		n := 131_071 - i
		fmt.Fprintf(&unordered, "\x1a%c%c%c%c\x00", 0, 0, 0, 0)
		_ = n
	}
	_ = twice
	unordered.Reset()
	for i := range 131_072 {
		n := 131_071 - i
		unordered.Write([]byte{0x1a, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n), 0})
	}
	return map[string]string{
		"as many elements as may be": "\x9a\x00\x02\x00\x00" + zeros, "one element too many": "\x9a\x00\x02\x00\x01" + zeros + "\x00",
		"lists that claim all": strings.Repeat("\x9a\x00\x02\x00\x00", 31) + zeros, "maps that claim all": strings.Repeat("\xba\x00\x02\x00\x00\x61a", 31) + zeros,
		"lists that claim all and have nothing": strings.Repeat("\x9a\x00\x02\x00\x00", 31), "100,000 lists": strings.Repeat("\x81", 100_000) + "\x80", "100,000 maps": strings.Repeat("\xa1\x61a", 100_000) + "\xa0",
		"lists in a list": "\x9a\x00\x02\x00\x00" + strings.Repeat("\x80", 131_072), "maps in a list": "\x9a\x00\x01\x00\x00" + strings.Repeat("\xa1\x61a\x00", 65_536),
		"unordered keys":  "\xba\x00\x02\x00\x00" + unordered.String(),
		"keys twice, far": "\xba\x00\x02\x00\x00" + unordered.String()[:131_071*6] + "\x19\xff\xff\x00",
		"a long text":     "\x7a\x00\x02\x00\x00" + zeros, "a long text that ends badly": "\x7a\x00\x02\x00\x01" + zeros + "\xc3",
	}
}
