package model_test

import (
	"encoding/json"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

type param struct{ id, value string }

// expand is Expand by the letter, variant by variant and without any index.
func expand(variants [][]param, split []string) (ids []string, levels [][]string, from [][]int) {
	effort := []string{"effort", "reasoning", "reasoning_effort", "reasoningEffort"}
	first := func(v []param, id string) (string, bool) {
		for _, p := range v {
			if p.id == id {
				return p.value, true
			}
		}
		return "", false
	}
	values := func(id string) (seen []string) {
		for _, v := range variants {
			if value, ok := first(v, id); ok && !slices.Contains(seen, value) {
				seen = append(seen, value)
			}
		}
		return seen
	}
	var keys []string
	for at, v := range variants {
		var key []param
		survives := true
		for _, p := range v {
			seen := values(p.id)
			value, _ := first(v, p.id)
			switch {
			case slices.Contains(effort, p.id) || len(seen) < 2:
			case slices.Contains(split, p.id):
				if !slices.Contains(key, param{p.id, value}) {
					key = append(key, param{p.id, value})
				}
			case slices.Contains(seen, "true"):
				survives = survives && value == "true"
			default:
				survives = survives && value == seen[0]
			}
		}
		if !survives {
			continue
		}
		sort.Slice(key, func(i, j int) bool { return key[i].id < key[j].id })
		group, id := "", "m"
		for _, p := range key {
			group += p.id + "=" + p.value + "\x00"
			switch p.value {
			case "", "false":
			case "true":
				id += "-" + p.id
			default:
				id += "-" + p.id + "-" + p.value
			}
		}
		g := slices.Index(keys, group)
		if g < 0 {
			g = len(keys)
			keys, ids, levels, from = append(keys, group), append(ids, id), append(levels, nil), append(from, nil)
			from[g] = append(from[g], at) // the first, whose options are the default
		}
		for _, p := range v {
			if slices.Contains(effort, p.id) {
				level := strings.NewReplacer("extra-high", "xhigh", "extra_high", "xhigh").Replace(strings.ToLower(p.value))
				if slices.Contains([]string{"minimal", "low", "medium", "high", "xhigh", "max"}, level) && !slices.Contains(levels[g], level) {
					levels[g], from[g] = append(levels[g], level), append(from[g], at)
				}
				break
			}
		}
	}
	return ids, levels, from
}

func TestExpandByTheLetter(t *testing.T) {
	id := rapid.SampledFrom([]string{"effort", "reasoning", "fast", "fast", "thinking", "context", "x"})
	value := rapid.SampledFrom([]string{"true", "false", "", "low", "HIGH", "extra-high", "xhigh", "1m", "none"})
	rapid.Check(t, func(t *rapid.T) {
		variants := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) param {
			return param{id.Draw(t, "id"), value.Draw(t, "value")}
		}), 0, 4), 1, 7).Draw(t, "variants")
		split := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"fast", "thinking", "context", "effort"}), rapid.ID[string]).Draw(t, "split")
		if split == nil {
			split = []string{}
		}
		written := make([]string, len(variants))
		for i, v := range variants {
			for _, p := range v {
				written[i] += p.id + "=" + p.value + " "
			}
		}
		got := model.Expand("m", entryOf(written...), split)
		ids, levels, from := expand(variants, split)
		if ids == nil {
			require.Len(t, got, 1)
			require.Equal(t, `{}`, string(got[0].DefaultOptions))
			return
		}
		require.Len(t, got, len(ids))
		for i, v := range got {
			require.Equal(t, ids[i], v.ID)
			require.Equal(t, "m", v.BaseID)
			require.Equal(t, levels[i], v.Levels)
			require.Len(t, v.OptionsByLevel, len(v.Levels))
			if len(v.Levels) == 0 {
				require.Equal(t, optionsOf(written[from[i][0]]), string(v.DefaultOptions))
			} else {
				require.Equal(t, `{}`, string(v.DefaultOptions))
			}
			for j, level := range v.Levels {
				require.Equal(t, optionsOf(written[from[i][j+1]]), string(v.Options(level)))
			}
			require.True(t, slices.ContainsFunc(written, func(w string) bool { return optionsOf(w) == string(v.Options("")) }))
		}
	})
}

// FuzzList lists any document, as a whole and as one entry.
func FuzzList(f *testing.F) {
	for _, s := range []string{
		`{"provider":{"a":{"models":{"g":{"name":"G","reasoning":true,` + fastAndNot + `}}}}}`,
		`{"a":{"models":{"m":{"limit":{"context":1e999},"cost":{"input":-0},"modalities":{"input":["image"]}}}}}`,
		string(entryOf("effort=low fast=true", "effort=high", "fast=\u00e9")),
		`{"variants":{"\ud83e":{"p":[{"id":"\ud83e","value":"x"}]},"b":{"p":[{"id":"\ud83e","value":"y"}]}},"options":{"1":2}}`,
		strings.Repeat(`{"variants":`, 9000) + strings.Repeat(`}`, 9000), strings.Repeat("[", 20_000),
	} {
		f.Add([]byte(s))
	}
	pi, omp := host(f, "pi"), host(f, "omp")
	f.Fuzz(func(t *testing.T, data []byte) {
		check := func(rows []model.Row) {
			for i := range rows {
				require.True(t, jsonspan.Valid(rows[i].Model.AppendJSON(nil)))
				for _, level := range append(rows[i].Variant.Levels, "", "none") {
					require.True(t, jsonspan.Valid(rows[i].Options(level)))
				}
			}
		}
		for _, split := range [][]string{nil, {}, {"\xed\xa0\xbe", "fast", "x"}} {
			rows := model.Rows("m", json.RawMessage(data), model.Options{Profile: omp, Split: split})
			require.NotEmpty(t, rows)
			check(rows)
		}
		list, err := model.List(data, model.Options{Profile: pi})
		require.Equal(t, err != nil, list == nil)
		for _, c := range list {
			check(c.Rows)
			require.LessOrEqual(t, len(c.IDs()), len(c.Rows))
			for _, id := range c.IDs() {
				row, ok := c.Call(id)
				require.True(t, ok)
				require.Equal(t, id, row.Model.ID)
			}
		}
	})
}
