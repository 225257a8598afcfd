package model

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A choice is one variant of an entry: the options that select it, and the parameters among them.
type choice struct {
	options    json.RawMessage
	parameters []parameter
	// level is the level of its effort, "" if it has none that is known.
	level string
}

// A parameter is the value of a dimension.
type parameter struct {
	dimension *dimension
	value     string
}

// A dimension is a parameter id and what its values are in all variants.
type dimension struct {
	id     string
	effort bool
	// first is the value that was seen first.
	first   string
	varying bool // there is another value
	on      bool // "true" is one of the values
	// split: each value makes a model of its own.
	split bool
	// seen is how many variants had been read when the dimension was last seen.
	seen int
}

// kept is the value that stands for all in a dimension that is not split.
func (d *dimension) kept() string {
	if d.on {
		return "true"
	}
	return d.first
}

// readChoices reads variants in order, and their dimensions by id.
func readChoices(raw json.RawMessage) ([]choice, map[string]*dimension) {
	variants, _ := ordered.ParseObject(raw)
	var choices []choice
	dimensions := map[string]*dimension{}
	for _, raw := range variants.All() {
		options, ok := ordered.ParseObject(raw)
		if !ok {
			continue // there is nothing to send
		}
		c := choice{options: raw}
		effort := false
		for _, p := range parameterList(&options) {
			d := dimensions[p.id]
			if d == nil {
				d = &dimension{id: p.id, effort: isEffort(p.id), first: p.value}
				dimensions[p.id] = d
			}
			if d.seen == len(choices)+1 {
				continue // of a repeated parameter the first value counts
			}
			d.seen = len(choices) + 1
			d.varying = d.varying || p.value != d.first
			d.on = d.on || p.value == "true"
			if d.effort {
				if !effort {
					c.level = levelOf(p.value)
				}
				effort = true
				continue
			}
			c.parameters = append(c.parameters, parameter{d, p.value})
		}
		choices = append(choices, c)
	}
	return choices, dimensions
}

type idValue struct{ id, value string }

// parameterList is the first value of a variant's options that is a list of ids and values.
func parameterList(options *ordered.Object) []idValue {
	for _, raw := range options.All() {
		var list []idValue
		ok := elements(raw, func(element []byte) bool {
			members := jsonvalue.Pick(element, "id", "value")
			id, ok := jsonvalue.TextOf(members[0])
			value, ok2 := jsonvalue.TextOf(members[1])
			list = append(list, idValue{id, value})
			return ok && ok2
		})
		if ok && len(list) > 0 {
			return list
		}
	}
	return nil
}

func isEffort(id string) bool {
	switch id {
	case "effort", "reasoning", "reasoning_effort", "reasoningEffort":
		return true
	}
	return false
}

// levelOf is the level that an effort stands for, "" if it is none. Only ASCII letters have two cases
// here, as JavaScript's toLowerCase makes no other letter one of theirs.
func levelOf(effort string) string {
	lower := []byte(effort)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	switch level := string(lower); level {
	case "minimal", "low", "medium", "high", "xhigh", "max":
		return level
	case "extra-high", "extra_high":
		return "xhigh"
	}
	return ""
}
