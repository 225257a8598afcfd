package model

import (
	"slices"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// levels are the levels of thinking that hosts know, by intensity. The first four are those that every
// model has unless it says otherwise.
var levels = [...]string{"minimal", "low", "medium", "high", "xhigh", "max"}

const baseLevels = 4

// Thinking is the declaration of the levels at which a model can think. The zero Thinking declares
// nothing.
type Thinking struct {
	// Form is that of the host: profile.Models.Thinking.
	Form string
	// Levels are what the model offers, by intensity: minimal, low, medium, high, xhigh, max.
	Levels []string
}

// Declare makes the declaration of a host for levels in any order. Levels that no host knows are left out.
// Nothing is declared without a profile.
func Declare(p *profile.Profile, offered []string) Thinking {
	var t Thinking
	if p == nil {
		return t
	}
	for _, level := range levels {
		if slices.Contains(offered, level) {
			t.Form, t.Levels = p.Models.Thinking, append(t.Levels, level)
		}
	}
	return t
}

// Default is the level in the middle, "" if there is none. It is that of the declaration; a call without a
// level may choose another one, see [Variant.Options].
func (t *Thinking) Default() string { return middle(t.Levels) }

func middle(levels []string) string {
	if len(levels) == 0 {
		return ""
	}
	return levels[len(levels)/2]
}

// AppendJSON appends an object of the members that a host's model gets: thinking, thinkingLevelMap or
// none.
func (t *Thinking) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	t.member(&o)
	return o.End()
}

func (t *Thinking) member(model *jsonvalue.Object) {
	switch {
	case len(t.Levels) == 0:
	case t.Form == "efforts":
		model.Key("thinking")
		o := jsonvalue.Begin(model.Out)
		o.Text("mode", "effort")
		o.Key("efforts")
		o.Out = ordered.AppendTexts(o.Out, t.Levels)
		o.Text("defaultLevel", t.Default())
		model.Out = o.End()
	case t.Form == "levelMap":
		model.Key("thinkingLevelMap")
		o := jsonvalue.Begin(model.Out)
		for i, level := range levels {
			switch {
			case slices.Contains(t.Levels, level):
				o.Text(level, level)
			case i < baseLevels:
				o.Raw(level, []byte("null"))
			}
		}
		model.Out = o.End()
	}
}
