package profile

import (
	"maps"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// AppendJSON appends the roles, with null for those that there are not:
//
//	{"subagent":{"hostTool":…,"agents":[…],"complete":…,"aliases":{…},"coordination":…},
//	 "question":…,"terminal":…,"inputProfiles":[…]}
func (r *Roles) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Key("subagent")
	if r.Subagent == nil {
		o.Out = append(o.Out, "null"...)
	} else {
		o.Out = r.Subagent.appendJSON(o.Out)
	}
	textOrNull(&o, "question", r.Question)
	textOrNull(&o, "terminal", r.Terminal)
	o.Key("inputProfiles")
	o.Out = ordered.AppendTexts(o.Out, r.InputProfiles)
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (r Roles) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

func (s *SubagentRole) appendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	o.Text("hostTool", s.HostTool)
	o.Key("agents")
	o.Out = ordered.AppendTexts(o.Out, s.Agents)
	o.Bool("complete", s.Complete)
	o.Key("aliases")
	aliases := jsonvalue.Begin(o.Out)
	for _, host := range slices.SortedFunc(maps.Keys(s.Aliases), ecma.CompareUnits) {
		aliases.Text(host, s.Aliases[host])
	}
	o.Out = aliases.End()
	textOrNull(&o, "coordination", s.Coordination)
	return o.End()
}

func textOrNull(o *jsonvalue.Object, key, text string) {
	if text == "" {
		o.Raw(key, []byte("null"))
		return
	}
	o.Text(key, text)
}
