package model

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A Variant is one model that the variants of an entry make: those that differ in effort only are the
// levels of one.
type Variant struct {
	// ID is the host's id of the model, BaseID the provider's.
	ID, BaseID string
	// NameSuffix is what the model's name has behind that of the entry.
	NameSuffix string
	// Levels are the levels of thinking that it offers, in the order of the entry's variants.
	Levels []string
	// OptionsByLevel are the options that select a level, objects of JSON as the entry has them.
	OptionsByLevel map[string]json.RawMessage
	// DefaultOptions are those of a variant without levels, {} with them.
	DefaultOptions json.RawMessage
}

var noOptions = json.RawMessage("{}")

// MaxName is how long the id and the name of an entry may be to be those of its variants too, in bytes.
// Every variant repeats both, so that without a bound a short entry could fill the memory. The longest ids
// that a provider is known to take, those of Amazon Bedrock, have 2,048 characters.
const MaxName = 2048

// Options are the options of a call at a level. For a level that is not offered, "" included, they are
// those of the middle one in the order of Levels; without levels the default options.
func (v *Variant) Options(level string) json.RawMessage {
	if options, ok := v.OptionsByLevel[level]; ok {
		return options
	}
	if len(v.Levels) > 0 {
		return v.OptionsByLevel[middle(v.Levels)]
	}
	return v.DefaultOptions
}

// DefaultSplit are the dimensions that make models of their own unless a configuration names others.
func DefaultSplit() []string { return []string{"fast"} }

// Expand makes models of the variants of an entry, in the order in which they first appear.
//
// A variant's options have a list of parameters, {id, value} each. The efforts among them (effort,
// reasoning, reasoning_effort, reasoningEffort) are levels of thinking. Of the others, those that vary and
// are in split make models of their own; in those that vary and are not, only the variants with "true" are
// offered, or with the first value if none has that. split nil is [DefaultSplit], an empty list none.
//
// Two models have the same id if one of their variants lacks a dimension that is "false" in the other's.
// An entry without variants makes one model without options; so does one whose variants exclude each
// other, as a model should not vanish for that, and one whose id is longer than [MaxName].
func Expand(modelID string, entry json.RawMessage, split []string) []Variant {
	return expand(modelID, jsonvalue.Pick(entry, "variants")[0], split)
}

func expand(modelID string, entryVariants json.RawMessage, split []string) []Variant {
	if len(modelID) > MaxName {
		entryVariants = nil
	}
	if split == nil {
		split = DefaultSplit()
	}
	choices, dimensions := readChoices(entryVariants)
	rank := map[*dimension]int{}
	for _, d := range splitting(dimensions, split) {
		rank[d] = len(rank)
	}
	var variants []Variant
	groups := map[string]int{}
	var key []byte
	for i := range choices {
		c := &choices[i]
		if !c.survives() {
			continue
		}
		parameters := slices.DeleteFunc(c.parameters, func(p parameter) bool { return !p.dimension.split })
		slices.SortFunc(parameters, func(a, b parameter) int { return rank[a.dimension] - rank[b.dimension] })
		key = key[:0]
		for _, p := range parameters {
			key = strconv.AppendInt(key, int64(rank[p.dimension]), 10)
			key = strconv.AppendQuote(append(key, '='), p.value)
		}
		at, known := groups[string(key)]
		if !known {
			at = len(variants)
			groups[string(key)] = at
			suffix := suffixOf(parameters)
			variants = append(variants, Variant{
				ID: modelID + suffix, BaseID: modelID, NameSuffix: nameSuffix(suffix), DefaultOptions: c.options,
			})
		}
		variants[at].offer(c)
	}
	if variants == nil {
		return []Variant{{ID: modelID, BaseID: modelID, DefaultOptions: noOptions}}
	}
	return variants
}

// splitting marks the dimensions that make models of their own, and returns them in the order of their
// ids.
func splitting(dimensions map[string]*dimension, split []string) []*dimension {
	var list []*dimension
	for _, id := range split {
		if d := dimensions[id]; d != nil && d.varying && !d.effort && !d.split {
			d.split = true
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(a, b *dimension) int { return ecma.CompareUnits(a.id, b.id) })
	return list
}

// survives says that a variant agrees with the values that stand for all.
func (c *choice) survives() bool {
	for _, p := range c.parameters {
		if d := p.dimension; d.varying && !d.split && p.value != d.kept() {
			return false
		}
	}
	return true
}

// offer adds the level of a variant, unless an earlier one has it already.
func (v *Variant) offer(c *choice) {
	if c.level == "" || v.OptionsByLevel[c.level] != nil {
		return
	}
	if v.OptionsByLevel == nil {
		v.OptionsByLevel, v.DefaultOptions = map[string]json.RawMessage{}, noOptions
	}
	v.Levels = append(v.Levels, c.level)
	v.OptionsByLevel[c.level] = c.options
}

func suffixOf(parameters []parameter) string {
	var b strings.Builder
	for _, p := range parameters {
		if p.value == "" || p.value == "false" {
			continue
		}
		b.WriteString("-" + p.dimension.id)
		if p.value != "true" {
			b.WriteString("-" + p.value)
		}
	}
	return b.String()
}

// nameSuffix is an id's suffix in words.
func nameSuffix(suffix string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(suffix, "-") {
		if part == "" {
			continue
		}
		b.WriteByte(' ')
		first, size := utf8.DecodeRuneInString(part)
		if first != utf8.RuneError {
			b.WriteRune(unicode.ToUpper(first))
			part = part[size:]
		}
		b.WriteString(part)
	}
	return b.String()
}
