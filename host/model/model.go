package model

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A Model is a model as a host lists it.
type Model struct {
	ID, Name string
	// Reasoning: the model can think.
	Reasoning bool
	// Input are the kinds of content that it takes: "text", "image".
	Input []string
	Cost  Cost
	// ContextWindow and MaxTokens are numbers of tokens: of a whole conversation, and of one answer.
	ContextWindow, MaxTokens int64
	// Thinking are its levels, if it has any to choose from.
	Thinking Thinking
}

// AppendJSON appends the model as a host has it.
func (m *Model) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("id", m.ID)
	o.Text("name", m.Name)
	o.Bool("reasoning", m.Reasoning)
	o.Key("input")
	o.Out = ordered.AppendTexts(o.Out, m.Input)
	o.Key("cost")
	o.Out = m.Cost.appendJSON(o.Out)
	o.Whole("contextWindow", m.ContextWindow)
	o.Whole("maxTokens", m.MaxTokens)
	m.Thinking.member(&o)
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (m Model) MarshalJSON() ([]byte, error) { return m.AppendJSON(nil), nil }

// A Row is one model of a list, and how it is called.
type Row struct {
	Model   Model
	Variant Variant
	// EntryOptions are the options of the model's entry, an object of JSON.
	EntryOptions json.RawMessage
}

// Options are the provider's options of a call at a level, an object of JSON: those of the entry, with
// those of [Variant.Options] in the place of members of the same name.
func (r *Row) Options(level string) json.RawMessage {
	whole, _ := ordered.ParseObject(r.EntryOptions)
	over, _ := ordered.ParseObject(r.Variant.Options(level))
	for key, value := range over.All() {
		whole.Set(key, value)
	}
	return whole.JSON()
}

// Options say how models are listed.
type Options struct {
	// Profile is that of the host. Without one, models declare no levels of thinking.
	Profile *profile.Profile
	// Split are the dimensions of variants that make models of their own. nil is [DefaultSplit].
	Split []string
}

// What an entry has that does not say.
const (
	defaultContext   = 128_000
	defaultMaxTokens = 8192
)

// Rows makes the models of one entry, as [Expand] does. Members that have another type than they should are
// as if they were not there, and so is a name longer than [MaxName]; limits that are not whole are cut to
// what is.
func Rows(modelID string, entry json.RawMessage, o Options) []Row {
	e := jsonvalue.Pick(entry, "name", "reasoning", "limit", "cost", "modalities", "attachment", "options", "variants")
	limit := jsonvalue.Pick(e[2], "context", "output")
	m := Model{
		Reasoning:     isTrue(e[1]),
		Input:         entryInput(e[4], e[5]),
		Cost:          entryCost(e[3]),
		ContextWindow: tokens(limit[0], defaultContext),
	}
	m.MaxTokens = tokens(limit[1], min(m.ContextWindow, defaultMaxTokens))
	name, ok := jsonvalue.TextOf(e[0])
	if !ok || len(name) > MaxName {
		name = modelID
	}
	options := e[6]
	if w := jsonspan.Walk(options); w.Kind() != jsonspan.Object {
		options = noOptions
	}
	variants := expand(modelID, e[7], o.Split)
	rows := make([]Row, len(variants))
	for i, v := range variants {
		m.ID, m.Name, m.Thinking = v.ID, name+v.NameSuffix, Thinking{}
		if m.Reasoning {
			m.Thinking = Declare(o.Profile, v.Levels)
		}
		rows[i] = Row{Model: m, Variant: v, EntryOptions: options}
	}
	return rows
}

// entryInput are the kinds of content among those that an entry declares that a host knows. A list that goes
// on and on is cut, as every variant repeats it.
func entryInput(modalities, attachment json.RawMessage) []string {
	const most = 32
	var input []string
	elements(jsonvalue.Pick(modalities, "input")[0], func(element []byte) bool {
		if kind, _ := jsonvalue.TextOf(element); kind == "text" || kind == "image" {
			input = append(input, kind)
		}
		return len(input) < most
	})
	switch {
	case input != nil:
		return input
	case isTrue(attachment):
		return []string{"text", "image"}
	}
	return []string{"text"}
}

func isTrue(raw json.RawMessage) bool { return string(raw) == "true" }

// tokens reads a limit.
func tokens(raw json.RawMessage, otherwise int64) int64 {
	n, ok := jsonvalue.NumberOf(raw)
	switch {
	case !ok || math.IsInf(n, 0):
		return otherwise
	case math.Abs(n) > jsonvalue.MaxSafe:
		return int64(math.Copysign(jsonvalue.MaxSafe, n))
	}
	return int64(n)
}
