package model_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/model"
)

// entryOf makes an entry of variants, each a list of parameters: "effort=low fast=true".
func entryOf(variants ...string) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"variants":{`)
	for i, v := range variants {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"v%d":%s`, i, optionsOf(v))
	}
	return json.RawMessage(b.String() + `}}`)
}

func optionsOf(variant string) string {
	var parameters []string
	for p := range strings.FieldsSeq(variant) {
		id, value, _ := strings.Cut(p, "=")
		parameters = append(parameters, fmt.Sprintf(`{"id":%q,"value":%q}`, id, value))
	}
	return `{"parameters":[` + strings.Join(parameters, ",") + `]}`
}

// show writes variants in short: id (name suffix) [level=parameters …] or default parameters.
func show(variants []model.Variant) []string {
	short := func(options json.RawMessage) string {
		var o struct {
			Parameters []struct{ ID, Value string }
		}
		if json.Unmarshal(options, &o) != nil || o.Parameters == nil {
			return string(options)
		}
		var list []string
		for _, p := range o.Parameters {
			list = append(list, p.ID+"="+p.Value)
		}
		return strings.Join(list, " ")
	}
	var out []string
	for _, v := range variants {
		s := v.ID + "|" + v.NameSuffix + "|"
		for _, level := range v.Levels {
			s += " " + level + ": " + short(v.OptionsByLevel[level]) + ";"
		}
		out = append(out, s+" "+short(v.DefaultOptions))
	}
	return out
}

func TestExpand(t *testing.T) {
	for _, c := range []struct {
		name  string
		entry json.RawMessage
		split []string
		want  []string
	}{
		{name: "no JSON", entry: json.RawMessage(`{`), want: []string{"m|| {}"}},
		{name: "nil", want: []string{"m|| {}"}},
		{name: "variants are a list", entry: json.RawMessage(`{"variants":[{}]}`), want: []string{"m|| {}"}},
		{name: "a variant is no object", entry: json.RawMessage(`{"variants":{"a":null,"b":"x","c":[],"d":{"x":1}}}`), want: []string{`m|| {"x":1}`}},

		{name: "integer labels come first", entry: json.RawMessage(`{"variants":{"b":` + optionsOf("effort=low") + `,"1":` + optionsOf("effort=max") + `}}`),
			want: []string{"m|| max: effort=max; low: effort=low; {}"}},
		{name: "a label that comes again keeps its place", entry: json.RawMessage(`{"variants":{"a":{},"b":` + optionsOf("effort=low") + `,"a":` + optionsOf("effort=max") + `}}`),
			want: []string{"m|| max: effort=max; low: effort=low; {}"}},

		// Levels.
		{name: "one effort alone is a level", entry: entryOf("effort=high"), want: []string{"m|| high: effort=high; {}"}},
		{name: "aliases", entry: entryOf("effort=MiNiMaL", "effort=EXTRA_HIGH", "effort=extra-high", "effort=Max", "effort=İ", "effort=mınimal"),
			want: []string{"m|| minimal: effort=MiNiMaL; xhigh: effort=EXTRA_HIGH; max: effort=Max; {}"}},
		{name: "no alias", entry: entryOf("effort=xtra-high", "effort=extrahigh", "effort=", "effort=off"), want: []string{"m|| effort=xtra-high"}},
		{name: "the first effort of a variant counts, known or not", entry: entryOf("reasoning_effort=none effort=high", "reasoning=low effort=none"),
			want: []string{"m|| low: reasoning=low effort=none; {}"}},
		{name: "a case of effort that is none", entry: entryOf("Effort=low", "Effort=high"), want: []string{"m|| Effort=low"}},
		{name: "effort cannot be split", entry: entryOf("effort=low", "effort=high"), split: []string{"effort"},
			want: []string{"m|| low: effort=low; high: effort=high; {}"}},
		{name: "without effort beside levels", entry: entryOf("fast=true", "fast=true effort=low", "fast=false"), want: []string{
			"m-fast| Fast| low: fast=true effort=low; {}", "m|| fast=false",
		}},

		// Collapsing.
		{name: "true wins", entry: entryOf("x=b", "x=true", "x=a"), want: []string{"m|| x=true"}},
		{name: "True is not true", entry: entryOf("x=b", "x=True"), want: []string{"m|| x=b"}},
		{name: "the first value wins, an empty one too", entry: entryOf("x=", "x=b"), want: []string{"m|| x="}},
		{name: "absence is no value", entry: entryOf("", "x=true effort=low"), want: []string{"m|| low: x=true effort=low; {}"}},
		{name: "variants without it survive", entry: entryOf("x=b", "effort=low", "x=a effort=high"), want: []string{"m|| low: effort=low; {}"}},
		{name: "split none", entry: entryOf("fast=false", "fast=true"), split: []string{}, want: []string{"m|| fast=true"}},
		{name: "variants that exclude each other", entry: entryOf("x=true y=false", "x=false y=true"), want: []string{"m|| {}"}},
		{name: "of a repeated parameter the first counts", entry: entryOf("x=a x=true", "x=a x=b effort=low"), want: []string{"m|| low: x=a x=b effort=low; {}"}},

		// Splitting.
		{name: "ids are sorted, and each named once", entry: entryOf("z=1 b=true", "b=true z=2", "b=false z=1"), split: []string{"z", "b", "z"},
			want: []string{"m-b-z-1| B Z 1| z=1 b=true", "m-b-z-2| B Z 2| b=true z=2", "m-z-1| Z 1| b=false z=1"}},
		{name: "by code units", entry: entryOf("\U0001F600=1 \uff41=1", "\U0001F600=2 \uff41=2"), split: []string{"\uff41", "\U0001F600"},
			want: []string{"m-\U0001F600-1-\uff41-1| \U0001F600 1 \uff21 1| \U0001F600=1 \uff41=1", "m-\U0001F600-2-\uff41-2| \U0001F600 2 \uff21 2| \U0001F600=2 \uff41=2"}},
		{name: "the same id twice", entry: entryOf("effort=low", "effort=low fast=false", "fast=true", "effort=high"),
			want: []string{"m|| low: effort=low; high: effort=high; {}", "m|| low: effort=low fast=false; {}", "m-fast| Fast| fast=true"}},
		{name: "constant dimensions name nothing", entry: entryOf("fast=true effort=low", "fast=true effort=high"),
			want: []string{"m|| low: fast=true effort=low; high: fast=true effort=high; {}"}},
		{name: "values do not mix", entry: entryOf("a=1,b=2", "a=1 b=2", "a=x"), split: []string{"a", "b"},
			want: []string{"m-a-1,b=2| A 1,b=2| a=1,b=2", "m-a-1| A 1| a=1 b=2", "m-a-x| A X| a=x"}},
		{name: "names of odd parts", entry: entryOf("fast=a--b-", "fast=éA", "fast=-"),
			want: []string{"m-fast-a--b-| Fast A B| fast=a--b-", "m-fast-éA| Fast ÉA| fast=éA", "m-fast--| Fast| fast=-"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, show(model.Expand("m", c.entry, c.split)))
		})
	}
}

// The parameters of a variant are the first of its options that is a list of ids and values and nothing
// else.
func TestParameterList(t *testing.T) {
	const list = `[{"id":"effort","value":"low"}]`
	for options, want := range map[string][]string{
		`{"p":` + list + `}`: {"low"},
		`{"a":[],"b":{},"c":"x","d":null,"p":` + list + `}`:                              {"low"},
		`{"a":[{"id":"x"}],"p":` + list + `}`:                                            {"low"},
		`{"a":[{"id":1,"value":"x"}],"b":[["id","value"]],"p":` + list + `}`:             {"low"},
		`{"a":[{"id":"effort","value":"max"},{"id":"x","value":null}],"p":` + list + `}`: {"low"},
		`{"a":[{"id":"effort","value":"max","more":1}],"p":` + list + `}`:                {"max"},
		`{"p":` + list + `,"7":[{"value":"high","id":"effort"}]}`:                        {"high"},
		`{"a":[{"id":"x","value":"y"}],"p":` + list + `}`:                                nil,
		`{"a":{"p":` + list + `}}`:                                                       nil,
		`{"p":[{"id":"other","id":"effort","value":"x","value":"\u006cow"}],"q":1}`:      {"low"},
	} {
		v := model.Expand("m", json.RawMessage(`{"variants":{"a":`+options+`}}`), nil)
		require.Len(t, v, 1)
		assert.Equal(t, want, v[0].Levels, options)
		if want != nil {
			assert.Equal(t, options, string(v[0].OptionsByLevel[want[0]]), "options are sent as they are")
		} else {
			assert.Equal(t, options, string(v[0].DefaultOptions))
		}
	}
}

func TestOptionsOfALevel(t *testing.T) {
	v := model.Expand("m", entryOf("effort=max", "effort=low", "effort=high", "effort=minimal"), nil)[0]
	assert.Equal(t, optionsOf("effort=low"), string(v.Options("low")))
	for _, level := range []string{"", "off", "medium", "LOW", "xhigh"} {
		assert.Equal(t, optionsOf("effort=high"), string(v.Options(level)), "the middle in the order of the entry")
	}
	plain := model.Expand("m", entryOf("x=1"), nil)[0]
	assert.Equal(t, optionsOf("x=1"), string(plain.Options("low")))
	none := model.Variant{DefaultOptions: json.RawMessage(`{}`)}
	assert.Equal(t, `{}`, string(none.Options("low")))
}

func TestDefaultSplitIsNotShared(t *testing.T) {
	model.DefaultSplit()[0] = "x"
	assert.Equal(t, []string{"fast"}, model.DefaultSplit())
}

// An id that every variant repeats has a bound; the model of a longer one is there all the same.
func TestLongIDs(t *testing.T) {
	entry := entryOf("fast=true", "fast=false effort=low")
	long := strings.Repeat("m", model.MaxName)
	v := model.Expand(long, entry, nil)
	require.Len(t, v, 2)
	assert.Equal(t, long+"-fast", v[0].ID)
	long += "m"
	assert.Equal(t, []model.Variant{{ID: long, BaseID: long, DefaultOptions: json.RawMessage(`{}`)}}, model.Expand(long, entry, nil))
}
