package abi_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

func scalar(t testing.TB, v any) abi.Scalar {
	t.Helper()
	s, err := abi.ScalarOf(v)
	require.NoError(t, err)
	return s
}

func number(n uint64) *uint64 { return &n }

func text(s string) *string { return &s }

// viewManifest has an adapter with everything of version 2.
func viewManifest(t testing.TB) *abi.Manifest {
	return &abi.Manifest{Transport: 1, ID: "m", Version: "1", Adapters: []abi.Adapter{{
		Interface: abi.ProviderPayloadAdaptersV2, ID: "a", APIs: []string{"x"},
		View: []abi.Selector{
			{Path: abi.Path{{Member: "system"}}, Clip: number(0)},
			{Path: abi.Path{{Member: "messages"}, {Each: true}, {Member: ""}}, Members: []string{"role", "content"}, Where: []abi.Filter{
				{Of: number(0), Member: "model", Prefix: text("gpt-"), Suffix: text("")},
				{Member: "a", Equals: scalar(t, "x")}, {Member: "b", Equals: scalar(t, nil)}, {Member: "c", Equals: scalar(t, true)},
				{Member: "d", Equals: scalar(t, int64(-1))}, {Member: "e", Equals: scalar(t, uint64(math.MaxUint64))}, {Member: "f", Equals: scalar(t, 0.5)},
			}},
		},
		Write: []abi.Path{{{Member: "system"}}, {{Member: "messages"}, {Each: true}}},
	}}}
}

func TestViewRoundTrip(t *testing.T) {
	m := viewManifest(t)
	section, err := abi.EncodeManifest(m)
	require.NoError(t, err)
	again, err := abi.DecodeManifest(section)
	require.NoError(t, err)
	assert.Equal(t, text1(t, m), text1(t, again))
	where := again.Adapters[0].View[1].Where
	for i, want := range []string{"", `"x"`, `null`, `true`, `-1`, `18446744073709551615`, `0.5`} {
		assert.Equal(t, want, string(where[i].Equals.JSON()))
		assert.Equal(t, want == "", where[i].Equals.IsZero())
	}
	assert.Equal(t, 0, where[0].Depth(again.Adapters[0].View[1].Path))
	assert.Equal(t, 3, where[1].Depth(again.Adapters[0].View[1].Path))

	// The same as JSON, which `pintle inspect --json` prints.
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	assert.Contains(t, string(raw), `"path":["messages",true,""]`)
	assert.Contains(t, string(raw), `{"member":"b","equals":null}`)
	assert.Contains(t, string(raw), `{"of":0,"member":"model","prefix":"gpt-","suffix":""}`)
	var fromJSON abi.Manifest
	require.NoError(t, json.Unmarshal(raw, &fromJSON))
	assert.Equal(t, text1(t, m), text1(t, &fromJSON))
}

func text1(t *testing.T, m *abi.Manifest) string {
	raw, err := json.Marshal(m)
	require.NoError(t, err)
	return string(raw)
}

func TestPathString(t *testing.T) {
	for want, p := range map[string]abi.Path{
		"system":          {{Member: "system"}},
		"input[].content": {{Member: "input"}, {Each: true}, {Member: "content"}},
		"[][].a":          {{Each: true}, {Each: true}, {Member: "a"}},
		"config.a":        {{Member: "config"}, {Member: "a"}},
	} {
		assert.Equal(t, want, p.String())
	}
}

func TestScalars(t *testing.T) {
	for _, v := range []any{math.NaN(), math.Inf(1), []any{}, map[string]any{}, struct{}{}, []byte("x"), float32(1)} {
		_, err := abi.ScalarOf(v)
		assert.Error(t, err, "%T", v)
	}
	assert.Equal(t, "7", string(scalar(t, 7).JSON()))
	assert.Nil(t, abi.Scalar{}.JSON())
	s, ok := scalar(t, "x").Text()
	assert.True(t, ok)
	assert.Equal(t, "x", s)
	_, ok = scalar(t, 1).Text()
	assert.False(t, ok)
	for _, v := range []any{1, false, nil, "", []any{}} {
		_, err := abi.StepOf(v)
		assert.Equal(t, v == "", err == nil, "%v", v)
	}
}

func TestValidateView(t *testing.T) {
	long := strings.Repeat("x", 4_097)
	a := func(m *abi.Manifest) *abi.Adapter { return &m.Adapters[0] }
	view := func(m *abi.Manifest) *abi.Selector { return &m.Adapters[0].View[1] }
	filter := func(m *abi.Manifest) *abi.Filter { return &m.Adapters[0].View[1].Where[1] }
	steps := func(n int) abi.Path { return make(abi.Path, n) }
	names := func(n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
		return list
	}
	for name, test := range map[string]struct {
		breakIt       func(*abi.Manifest)
		field, reason string
	}{
		"of version 1": {func(m *abi.Manifest) {
			a(m).Interface = abi.ProviderPayloadAdaptersV1
		}, "adapters[0]", "which provider-payload-adapters/v1 does not know; they belong to provider-payload-adapters/v2"},
		"write of version 1": {func(m *abi.Manifest) {
			a(m).Interface, a(m).View = abi.ProviderPayloadAdaptersV1, nil
		}, "adapters[0]", "does not know"},
		"no view":            {func(m *abi.Manifest) { a(m).View = nil }, "adapters[0].view", "has 0 entries, between 1 and 16"},
		"many selectors":     {func(m *abi.Manifest) { a(m).View = make([]abi.Selector, 17) }, "adapters[0].view", "has 17 entries"},
		"no write":           {func(m *abi.Manifest) { a(m).Write = nil }, "adapters[0].write", "has 0 entries, between 1 and 16"},
		"many writes":        {func(m *abi.Manifest) { a(m).Write = make([]abi.Path, 17) }, "adapters[0].write", "has 17 entries"},
		"empty write":        {func(m *abi.Manifest) { a(m).Write[1] = nil }, "adapters[0].write[1]", "has 0 entries, between 1 and 8"},
		"long write":         {func(m *abi.Manifest) { a(m).Write[1] = steps(9) }, "adapters[0].write[1]", "has 9 entries"},
		"long name":          {func(m *abi.Manifest) { a(m).Write[0][0].Member = long }, "adapters[0].write[0][0]", "at most 4096"},
		"empty path":         {func(m *abi.Manifest) { view(m).Path = nil }, "adapters[0].view[1].path", "has 0 entries"},
		"long path":          {func(m *abi.Manifest) { view(m).Path = steps(9) }, "adapters[0].view[1].path", "has 9 entries"},
		"many filters":       {func(m *abi.Manifest) { view(m).Where = make([]abi.Filter, 9) }, "adapters[0].view[1].where", "has 9 entries, between 0 and 8"},
		"many members":       {func(m *abi.Manifest) { view(m).Members = names(17) }, "adapters[0].view[1].members", "has 17 entries, between 0 and 16"},
		"member twice":       {func(m *abi.Manifest) { view(m).Members[1] = "role" }, "adapters[0].view[1].members[1]", `"role" is listed twice`},
		"long member":        {func(m *abi.Manifest) { view(m).Members[1] = long }, "adapters[0].view[1].members[1]", "at most 4096"},
		"clip":               {func(m *abi.Manifest) { view(m).Clip = number(1_025) }, "adapters[0].view[1].clip", "is 1025, at most 1024"},
		"of":                 {func(m *abi.Manifest) { filter(m).Of = number(4) }, "adapters[0].view[1].where[1].of", "is 4, and the path has 3 steps"},
		"no condition":       {func(m *abi.Manifest) { filter(m).Equals = abi.Scalar{} }, "adapters[0].view[1].where[1]", "either equals, or some of prefix, suffix and contains"},
		"both conditions":    {func(m *abi.Manifest) { filter(m).Prefix = text("x") }, "adapters[0].view[1].where[1]", "either equals, or some of prefix, suffix and contains"},
		"long filter":        {func(m *abi.Manifest) { filter(m).Member = long }, "adapters[0].view[1].where[1].member", "at most 4096"},
		"long equals":        {func(m *abi.Manifest) { filter(m).Equals = scalar(t, long) }, "adapters[0].view[1].where[1].equals", "at most 4096"},
		"long prefix":        {func(m *abi.Manifest) { view(m).Where[0].Prefix = text(long) }, "adapters[0].view[1].where[0]", "at most 4096"},
		"operations":         {func(m *abi.Manifest) { a(m).Operations = []string{abi.EditV2} }, "adapters[0].operations[0]", "is no optional operation"},
		"an interface of v3": {func(m *abi.Manifest) { a(m).Interface = "provider-payload-adapters/v3" }, "adapters[0].interface", "is unknown"},
	} {
		t.Run(name, func(t *testing.T) {
			m := viewManifest(t)
			require.NoError(t, m.Validate())
			test.breakIt(m)
			var e *abi.ManifestError
			require.ErrorAs(t, m.Validate(), &e)
			assert.Equal(t, test.field, e.Field)
			assert.Contains(t, e.Reason, test.reason)
		})
	}
	m := viewManifest(t)
	a(m).View, a(m).Write = append(a(m).View, make([]abi.Selector, 14)...), append(a(m).Write, make([]abi.Path, 14)...)
	for i := range 14 {
		a(m).View[2+i] = abi.Selector{Path: steps(8), Members: names(16), Clip: number(1_024)}
		a(m).Write[2+i] = steps(8)
	}
	assert.NoError(t, m.Validate(), "the largest that there can be")
}

// What is no path, step or scalar is refused while the manifest is read.
func TestDecodeViewRefuses(t *testing.T) {
	for what, v := range map[string]map[string]any{
		"false as a step":          {"path": []any{"a", false}},
		"a number as a step":       {"path": []any{1}},
		"null as a step":           {"path": []any{nil}},
		"a list to equal":          {"path": []any{"a"}, "where": []any{map[string]any{"member": "m", "equals": []any{}}}},
		"a map to equal":           {"path": []any{"a"}, "where": []any{map[string]any{"member": "m", "equals": map[string]any{}}}},
		"bytes to equal":           {"path": []any{"a"}, "where": []any{map[string]any{"member": "m", "equals": []byte("x")}}},
		"NaN to equal":             {"path": []any{"a"}, "where": []any{map[string]any{"member": "m", "equals": math.NaN()}}},
		"a negative clip":          {"path": []any{"a"}, "clip": -1},
		"a path that is no list":   {"path": "a"},
		"members that are no list": {"path": []any{"a"}, "members": "a"},
	} {
		section, err := abi.Encode(map[any]any{0: 1, "id": "m", "version": "1", "limits": map[string]any{}, "adapters": []any{map[string]any{
			"id": "a", "interface": abi.ProviderPayloadAdaptersV2, "apis": []string{"x"}, "view": []any{v}, "write": []any{[]any{"a"}}}}})
		require.NoError(t, err, what)
		_, err = abi.DecodeManifest(section)
		var e *abi.ManifestError
		assert.ErrorAs(t, err, &e, what)
	}
}

func TestEditAnswers(t *testing.T) {
	at := adaptersv2.Address{adaptersv2.Member("input"), adaptersv2.Index(3), adaptersv2.Member(`r"é`)}
	assert.Equal(t, `["input",3,"r\"é"]`, at.String())
	answer := adaptersv2.Answer{
		Prompt:   &adaptersv2.PromptEdits{At: at[:1], Edits: []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: at, Value: adaptersv2.JSON(`"x"`)}}},
		Messages: &adaptersv2.MessageEdits{Edits: []adaptersv2.Edit{{Op: adaptersv2.OpRemove, At: at}}},
	}
	b, err := abi.Encode(answer)
	require.NoError(t, err)
	var again adaptersv2.Answer
	require.NoError(t, abi.Decode(b, &again))
	assert.Equal(t, answer, again)

	var edit adaptersv2.Edit
	decode := func(v map[string]any) error {
		b, err := abi.Encode(v)
		require.NoError(t, err)
		edit = adaptersv2.Edit{}
		return abi.Decode(b, &edit)
	}
	for what, v := range map[string]map[string]any{
		"a text for bytes": {"value": "1"}, "a list for bytes": {"value": []int{1}}, "a negative index": {"at": []any{-1}},
		"a fraction as an index": {"at": []any{0.5}}, "a whole float as an index": {"at": []any{1.0}}, "null as a step": {"at": []any{nil}},
		"true as a step": {"at": []any{true}},
	} {
		assert.Error(t, decode(v), what)
	}
	require.NoError(t, decode(map[string]any{"op": "remove", "value": nil, "later": 1}))
	assert.Nil(t, edit.Value, "null counts as absent, unknown keys are ignored")
}
