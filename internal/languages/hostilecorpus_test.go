package languages_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

// A hostileRequest is one that no host sends, or that a host sends in another encoding. Some are right.
type hostileRequest struct {
	name, op string
	bytes    []byte
}

// models are requests that are right, one for each operation.
func models() map[string]map[string]any {
	message := map[string]any{"id": "style", "content": "No lists."}
	whole := func(key string, value any) map[string]any {
		return map[string]any{"id": "codex-v1", "features": 0, "provider": "openai-codex", "api": "openai-codex-responses",
			"payload": []byte(`{"instructions":"Be.","input":[{"role":"user","content":"é"}]}`), key: value}
	}
	return map[string]map[string]any{
		abi.RenderV1: {"id": "template", "features": 0, "provider": "p", "activeTools": []any{"read", "bash"}, "sessionId": "s1", "prompt": "fix it",
			"systemPromptOptions": map[string]any{"cwd": "/work", "skills": []any{map[string]any{"name": "pdf"}, map[string]any{"name": "é"}}}},
		abi.ReadSystemPromptV1:         whole("unknown", 1.5),
		abi.ReplaceSystemPromptV1:      whole("systemPrompt", "Be brief."),
		abi.ReplaceDeveloperMessagesV1: whole("messages", []any{message}),
		abi.EditV2: {"id": "codex", "features": 0, "provider": "openai-codex", "api": "openai-codex-responses", "systemPrompt": "Be brief.", "messages": []any{message},
			"view": []any{
				map[string]any{"at": []any{"instructions"}, "value": map[string]any{"head": "B", "tail": "e.", "bytes": 40}, "clipped": true},
				map[string]any{"at": []any{"input"}, "value": map[string]any{"list": 3}},
				map[string]any{"at": []any{"input", 1}, "value": map[string]any{"object": map[string]any{"role": "developer", "content": "c"}}},
			}},
	}
}

// odd are values of every type, among them those that are easily taken for something else.
func odd() []any {
	return []any{nil, true, false, 0, 7, -1, uint64(math.MaxUint64), int64(math.MinInt64), 1.5, 1e300, -1e300, 1e10, math.NaN(), math.Inf(1), math.Copysign(0, -1),
		"", "text", "instructions", "codex-v1", "\x00é", []byte{}, []byte("{}"), []byte{0xff}, []any{}, []any{nil}, []any{0, "a", []any{}}, map[string]any{},
		map[string]any{"id": 1, "name": []any{}, "list": "x", "head": 5, "object": 7}, map[string]any{"object": []any{}}, map[string]any{"list": nil, "head": "h"}}
}

// replaced calls each with every tree that has one odd value in the place of one in v, or lacks one.
func replaced(v any, where string, each func(name string, tree any)) {
	for _, o := range odd() {
		each(fmt.Sprintf("%s is %#v", where, o), o)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			changed := maps.Clone(v)
			delete(changed, key)
			each("without "+where+"."+key, maps.Clone(changed))
			replaced(v[key], where+"."+key, func(name string, tree any) {
				changed[key] = tree
				each(name, changed)
			})
		}
	case []any:
		for i, inner := range v {
			changed := slices.Clone(v)
			replaced(inner, fmt.Sprintf("%s[%d]", where, i), func(name string, tree any) {
				changed[i] = tree
				each(name, changed)
			})
		}
	}
}

// strangeAddresses stand in views, beside those that a selector cannot find.
func strangeAddresses() []any {
	long := make([]any, 1000)
	for i := range long {
		long[i] = i
	}
	return []any{[]any{}, long, long[:64], long[:65], []any{uint64(math.MaxUint64)}, []any{"input", uint64(math.MaxUint64)}, []any{"input", 1 << 31}, []any{"input", int64(1) << 32}, []any{"input", -1},
		[]any{"input", 0.5}, []any{"input", "0"}, []any{0, "input"}, []any{"instructions", "x"}, []any{"instructions", 0, "x"}, []any{nil, nil}, []any{[]any{"input"}, 0}, []any{"inp\x00ut"}, []any{"\U0010ffff"}}
}

// malformed are items that no message may have in it, and their neighbours that it may.
func malformed() map[string]string {
	items := map[string]string{
		"tag": "\xc0\x00", "wide tag": "\xd8\x20\x00", "undefined": "\xf7", "simple value": "\xe0", "wide simple value": "\xf8\xff", "wide false": "\xf8\x14",
		"reserved head": "\x1c", "indefinite bytes": "\x5f\x41a\xff", "indefinite text": "\x7f\x61a\xff", "indefinite list": "\x9f\xff", "indefinite map": "\xbf\xff", "break": "\xff",
		"no argument": "\x18", "half an argument": "\x1b\x00\x00", "half a float": "\xf9\x00", "no float": "\xfb",
		"endless bytes": "\x5b\xff\xff\xff\xff\xff\xff\xff\xff", "endless text": "\x7b\xff\xff\xff\xff\xff\xff\xff\xff", "endless list": "\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
		"endless map": "\xbb\xff\xff\xff\xff\xff\xff\xff\xff", "2^63 keys": "\xbb\x80\x00\x00\x00\x00\x00\x00\x00", "2^63 keys and one": "\xbb\x80\x00\x00\x00\x00\x00\x00\x01\x00\x00",
		"bytes of 4 GiB": "\x5a\xff\xff\xff\xff", "text of 2 GiB": "\x7a\x7f\xff\xff\xff", "text of 4 GiB and one": "\x7b\x00\x00\x00\x01\x00\x00\x00\x01a", "list of 4 GiB": "\x9a\xff\xff\xff\xff\x00",
		"no UTF-8": "\x61\xff", "overlong": "\x62\xc0\x80", "surrogate": "\x63\xed\xa0\x80", "last before surrogates": "\x63\xed\x9f\xbf", "overlong of three": "\x63\xe0\x9f\xbf",
		"overlong of four": "\x64\xf0\x8f\xbf\xbf", "last": "\x64\xf4\x8f\xbf\xbf", "behind the last": "\x64\xf4\x90\x80\x80", "cut in a character": "\x62\xe2\x82",
		"no UTF-8 far behind": "\x78\x28" + strings.Repeat("a", 39) + "\xc3", "a key that is no UTF-8": "\xa1\x61\xff\x00",
	}
	for name, key := range map[string]string{"negative": "\x20", "float": "\xf9\x00\x00", "bytes": "\x41a", "truth": "\xf4", "null": "\xf6", "list": "\x80", "map": "\xa0", "number": "\x00", "text": "\x60"} {
		items["key: "+name] = "\xa1" + key + "\x00"
	}
	for name, keys := range map[string][]string{
		"text": {"\x61a", "\x61a"}, "wide text": {"\x61a", "\x78\x01a"}, "wider texts": {"\x79\x00\x01a", "\x7b\x00\x00\x00\x00\x00\x00\x00\x01a"}, "empty": {"\x60", "\x78\x00"},
		"number": {"\x01", "\x18\x01"}, "wide numbers": {"\x1a\x00\x00\x00\x17", "\x17"}, "large number": {"\x1b\xff\xff\xff\xff\xff\xff\xff\xff", "\x1b\xff\xff\xff\xff\xff\xff\xff\xff"},
		"apart": {"\x61a", "\x61b", "\x61a"}, "apart and unordered": {"\x61b", "\x01", "\x61a", "\x62aa", "\x18\x01"}, "id": {"\x62id", "\x62id"},
		"none, unordered": {"\x61b", "\x61a"}, "none, mixed": {"\x61a", "\x01", "\x00"}, "none, alike in the lower half": {"\x1b\x00\x00\x00\x01\x00\x00\x00\x00", "\x00"},
		"none, a number like a text": {"\x61\x01", "\x01", "\x00"}, "none, one begins another": {"\x62aa", "\x61a", "\x60"},
	} {
		items["key twice: "+name] = string([]byte{0xa0 | byte(len(keys))}) + strings.Join(keys, "\x00") + "\x00"
	}
	for _, n := range []int{29, 30, 31, 32, 33, 500} {
		items[fmt.Sprintf("%d lists", n)] = strings.Repeat("\x81", n-1) + "\x80"
		items[fmt.Sprintf("%d maps", n)] = strings.Repeat("\xa1\x61a", n-1) + "\xa0"
		items[fmt.Sprintf("%d lists and a number", n)] = strings.Repeat("\x81", n) + "\x00"
	}
	return items
}

// large are items that cost much to believe, or to look through.
func large() map[string]string {
	const most = 131_072
	zeros := strings.Repeat("\x00", most)
	var unordered []byte
	for n := range uint32(most) {
		unordered = append(binary.BigEndian.AppendUint32(append(unordered, 0x1a), most-n), 0)
	}
	return map[string]string{
		"as many elements as may be": "\x9a\x00\x02\x00\x00" + zeros, "one element too many": "\x9a\x00\x02\x00\x01\x00" + zeros,
		"lists that claim all": strings.Repeat("\x9a\x00\x02\x00\x00", 31) + zeros, "maps that claim all": strings.Repeat("\xba\x00\x02\x00\x00\x61a", 31) + zeros,
		"lists that claim all and have nothing": strings.Repeat("\x9a\x00\x02\x00\x00", 31), "100,000 lists": strings.Repeat("\x81", 100_000), "100,000 maps": strings.Repeat("\xa1\x61a", 100_000),
		"empty lists in a list": "\x9a\x00\x02\x00\x00" + strings.Repeat("\x80", most), "maps in a list": "\x9a\x00\x01\x00\x00" + strings.Repeat("\xa1\x61a\x00", most/2),
		"unordered keys": "\xba\x00\x02\x00\x00" + string(unordered), "unordered keys, the last one twice": "\xba\x00\x02\x00\x00" + string(unordered[:len(unordered)-6]) + "\x02\x00",
		"a long text": "\x7a\x00\x02\x00\x00" + zeros, "a long text that ends badly": "\x7a\x00\x02\x00\x01" + zeros + "\xc3",
	}
}

// widened writes a tree with the longest heads, integers as floats, and keys backwards.
func widened(b []byte, v any) []byte {
	head := func(major byte, n int) { b = binary.BigEndian.AppendUint64(append(b, major<<5|27), uint64(n)) }
	switch v := v.(type) {
	case map[string]any:
		head(5, len(v))
		keys := slices.Sorted(maps.Keys(v))
		slices.Reverse(keys)
		for _, key := range keys {
			b = widened(widened(b, key), v[key])
		}
	case []any:
		head(4, len(v))
		for _, item := range v {
			b = widened(b, item)
		}
	case string:
		head(3, len(v))
		b = append(b, v...)
	case []byte:
		head(2, len(v))
		b = append(b, v...)
	case int:
		b = binary.BigEndian.AppendUint64(append(b, 0xfb), math.Float64bits(float64(v)))
	case float64:
		b = binary.BigEndian.AppendUint64(append(b, 0xfb), math.Float64bits(v))
	case bool:
		b = append(b, map[bool]byte{false: 0xf4, true: 0xf5}[v])
	}
	return b
}

// with puts a raw item under a key of a request, in the place of what is there.
func with(t *testing.T, q map[string]any, key, item string) []byte {
	q = maps.Clone(q)
	delete(q, key)
	b, err := abi.Encode(q)
	require.NoError(t, err)
	require.Less(t, len(q), 23)
	b[0]++
	name, err := abi.Encode(key)
	require.NoError(t, err)
	return slices.Concat(b, name, []byte(item))
}

// corpus are the requests of one operation, the same in every run. The first is its model.
func corpus(t *testing.T, op string) (all []hostileRequest) {
	model := models()[op]
	add := func(name string, b []byte) { all = append(all, hostileRequest{name, op, b}) }
	encoded := func(tree any) []byte {
		b, err := abi.Encode(tree)
		require.NoError(t, err)
		return b
	}
	right := encoded(model)
	add("model", right)
	add("widened", widened(nil, model))
	for n := range right {
		add(fmt.Sprintf("the first %d bytes", n), right[:n])
	}
	add("one byte more", append(slices.Clone(right), 0))
	add("twice", slices.Concat(right, right))
	replaced(model, "request", func(name string, tree any) { add(name, encoded(tree)) })
	for _, id := range []string{"nobody", "codex", "codex-v1", "template", "greeting", "Codex", "codex\x00", "\U0010ffff"} {
		q := maps.Clone(model)
		q["id"] = id
		add("id "+id, encoded(q))
	}
	if op == abi.EditV2 {
		for i, at := range strangeAddresses() {
			for _, value := range []any{"text", map[string]any{"list": 2}, map[string]any{"head": "", "tail": "", "bytes": 9}, nil} {
				q := maps.Clone(model)
				q["view"] = []any{map[string]any{"at": at, "value": value}}
				add(fmt.Sprintf("strange address %d of %v", i, value), encoded(q))
			}
		}
	}
	keys := append(slices.Sorted(maps.Keys(model)), "zzz")
	items := malformed()
	for _, name := range slices.Sorted(maps.Keys(items)) {
		add(name, []byte(items[name]))
		for _, key := range keys {
			add(name+" under "+key, with(t, model, key, items[name]))
		}
	}
	items = large()
	for _, name := range slices.Sorted(maps.Keys(items)) {
		add(name, []byte(items[name]))
		for _, key := range []string{"id", "systemPromptOptions", "messages", "view", "zzz"} {
			// Of 131,072 messages or entries an adapter may say more than fits in an answer.
			answered := key == "messages" || key == "view"
			if slices.Contains(keys, key) && (!answered || abi.Check([]byte(items[name])) != nil) {
				add(name+" under "+key, with(t, model, key, items[name]))
			}
		}
	}
	r := rand.New(rand.NewPCG(6, 8))
	payload, _ := model["payload"].([]byte) // what it says is none of the encoding
	from := bytes.Index(right, payload)
	for i := range 300 {
		b := bytes.Clone(right)
		for range 1 + r.IntN(3) {
			if at := r.IntN(len(b)); at < from || at >= from+len(payload) {
				b[at] = byte(r.Uint32())
			}
		}
		add(fmt.Sprintf("damaged %d", i), b)
	}
	return all
}
