package profile

import (
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// An Action is what a host does when a private tool is called (section "Cursor tools"), as data for whatever
// runs there.
type Action struct {
	// Tool is the name of the tool.
	Tool string `json:"tool"`
	// Setting is one of the host's with which the tool refuses if it is false, and Package an npm package
	// without which it does; "" for none.
	Setting string `json:"setting"`
	Package string `json:"package"`
	// When is the state in which the steps are taken, "idle" or "planning", "" for both. In the other one
	// nothing is done, and the result is a note that says so.
	When string `json:"when"`
	// Steps are taken in order.
	Steps []Step `json:"steps"`
}

// A Step is one thing to do. Do is one of:
//
//	enterPlanMode    make plans, in the file Plan and by the host's Workflow
//	leavePlanMode    make no more plans
//	deactivate       take Tool out of the active tools
//	activateBuiltIn  add Tool to the active tools if the host has it built in
//	restoreTools     have those tools active that were before
//	enterByPackage   call the tool of the action's Package that enters its plan mode, or else run Command
//	command          run Command, a command of the host's prompt
type Step struct {
	Do       string `json:"do"`
	Plan     string `json:"plan"`
	Workflow string `json:"workflow"`
	Tool     string `json:"tool"`
	Command  string `json:"command"`
}

var (
	stepForms = []string{
		"enterPlanMode", "leavePlanMode", "deactivate", "activateBuiltIn", "restoreTools", "enterByPackage",
		"command",
	}
	stateForms = []string{"idle", "planning"}
)

// Action is what the host does when a private tool is called. It is false if the table does not say: the
// host refuses, or knows by itself.
func (p *Profile) Action(tool string) (Action, bool) {
	at := slices.IndexFunc(p.Actions, func(a Action) bool { return a.Tool == tool })
	if at < 0 {
		return Action{}, false
	}
	return p.Actions[at], true
}

// AppendJSON appends the action as a table has it, without what is empty.
func (a *Action) AppendJSON(dst []byte) []byte {
	o := jsonvalue.Begin(dst)
	text := func(o *jsonvalue.Object, key, value string) {
		if value != "" {
			o.Text(key, value)
		}
	}
	text(&o, "tool", a.Tool)
	text(&o, "setting", a.Setting)
	text(&o, "package", a.Package)
	text(&o, "when", a.When)
	o.Key("steps")
	o.Out = append(o.Out, '[')
	for i := range a.Steps {
		if i > 0 {
			o.Out = append(o.Out, ',')
		}
		s := &a.Steps[i]
		step := jsonvalue.Begin(o.Out)
		text(&step, "do", s.Do)
		text(&step, "plan", s.Plan)
		text(&step, "workflow", s.Workflow)
		text(&step, "tool", s.Tool)
		text(&step, "command", s.Command)
		o.Out = step.End()
	}
	o.Out = append(o.Out, ']')
	return o.End()
}

// MarshalJSON implements [json.Marshaler].
func (a Action) MarshalJSON() ([]byte, error) { return a.AppendJSON(nil), nil }

func (p *Profile) checkActions() error {
	seen := map[string]bool{}
	for i, a := range p.Actions {
		path := fmt.Sprintf("actions[%d]", i)
		if a.Tool == "" || seen[a.Tool] {
			return wrong(path+".tool", "expected a private tool without another action, not %q", a.Tool)
		}
		seen[a.Tool] = true
		if err := known(path+".when", a.When, stateForms); err != nil {
			return err
		}
		if len(a.Steps) == 0 {
			return wrong(path, "tool %q has no steps: without an action the host refuses it", a.Tool)
		}
		for j := range a.Steps {
			if err := a.checkStep(j, fmt.Sprintf("%s.steps[%d]", path, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkStep finds a step that does not say what to do.
func (a *Action) checkStep(at int, path string) error {
	s := &a.Steps[at]
	needs := ""
	switch {
	case !slices.Contains(stepForms, s.Do):
		return wrong(path+".do", "unknown %s", instead(s.Do, stepForms))
	case s.Do == "enterPlanMode" && s.Plan == "":
		needs = "plan"
	case (s.Do == "deactivate" || s.Do == "activateBuiltIn") && s.Tool == "":
		needs = "tool"
	case (s.Do == "command" || s.Do == "enterByPackage") && s.Command == "":
		needs = "command"
	case s.Do == "enterByPackage" && a.Package == "":
		return wrong(path, "%s needs the action's package", s.Do)
	}
	if needs != "" {
		return wrong(path, "%s needs %q", s.Do, needs)
	}
	return nil
}
