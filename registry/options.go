package registry

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// PromptOptions are the host's structured prompt inputs, Pi's systemPromptOptions. In JSON the keys are
// cwd, customPrompt, appendSystemPrompt, contextFiles, skills, selectedTools, toolSnippets and
// promptGuidelines; null counts as absent, and so does an empty text. Keys that are not known here are
// kept in Extra. Texts keep lone surrogates (as WTF-8).
type PromptOptions struct {
	CWD string
	// CustomPrompt replaces the host's prompt; AppendSystemPrompt is added to it.
	CustomPrompt       string
	AppendSystemPrompt string
	// ContextFiles are AGENTS.md-like files in the host's order.
	ContextFiles     []ContextFile
	Skills           []Skill
	SelectedTools    []string
	ToolSnippets     map[string]string
	PromptGuidelines []string
	Extra            map[string]json.RawMessage
}

// ContextFile is a file that the host found for the model to read first.
type ContextFile struct{ Path, Content string }

// Skill is one entry of the host's skill list, in JSON name, description, filePath and
// disableModelInvocation. Other keys are kept in Extra.
type Skill struct {
	Name, Description, FilePath string
	// DisableModelInvocation hides the skill from the model.
	DisableModelInvocation bool
	Extra                  map[string]json.RawMessage
}

// UnmarshalJSON reads an object; a known key of another type is an error.
func (o *PromptOptions) UnmarshalJSON(data []byte) error {
	in, err := openObject(data)
	if err != nil {
		return err
	}
	*o = PromptOptions{}
	in.text("cwd", &o.CWD)
	in.text("customPrompt", &o.CustomPrompt)
	in.text("appendSystemPrompt", &o.AppendSystemPrompt)
	in.value("contextFiles", &o.ContextFiles)
	in.value("skills", &o.Skills)
	in.texts("selectedTools", &o.SelectedTools)
	in.textMap("toolSnippets", &o.ToolSnippets)
	in.texts("promptGuidelines", &o.PromptGuidelines)
	o.Extra = in.rest()
	return in.err
}

// ReadPromptOptions reads options as far as they can be read, for hosts in which anybody may put something into
// them: a known key of another type counts as missing. The errors say which, and why.
func ReadPromptOptions(data []byte) (PromptOptions, []error) {
	var o PromptOptions
	whole := o.UnmarshalJSON(data)
	if whole == nil {
		return o, nil
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return PromptOptions{}, []error{whole}
	}
	var wrong []error
	for _, key := range sortedKeys(members) {
		alone, _ := new(objectWriter).close(map[string]json.RawMessage{key: members[key]})
		if err := new(PromptOptions).UnmarshalJSON(alone); err != nil {
			wrong = append(wrong, err)
			delete(members, key)
		}
	}
	rest, _ := new(objectWriter).close(members)
	_ = o.UnmarshalJSON(rest) // each member by itself can be read
	return o, wrong
}

// MarshalJSON writes the known keys that are set, then Extra in key order.
func (o PromptOptions) MarshalJSON() ([]byte, error) {
	var out objectWriter
	out.text("cwd", o.CWD)
	out.text("customPrompt", o.CustomPrompt)
	out.text("appendSystemPrompt", o.AppendSystemPrompt)
	if o.ContextFiles != nil {
		out.value("contextFiles", o.ContextFiles)
	}
	if o.Skills != nil {
		out.value("skills", o.Skills)
	}
	out.texts("selectedTools", o.SelectedTools)
	out.textMap("toolSnippets", o.ToolSnippets)
	out.texts("promptGuidelines", o.PromptGuidelines)
	return out.close(o.Extra)
}

// UnmarshalJSON reads {path, content}; other keys are dropped.
func (f *ContextFile) UnmarshalJSON(data []byte) error {
	in, err := openObject(data)
	if err != nil {
		return err
	}
	*f = ContextFile{}
	in.text("path", &f.Path)
	in.text("content", &f.Content)
	return in.err
}

// MarshalJSON writes {path, content}.
func (f ContextFile) MarshalJSON() ([]byte, error) {
	out := wtf8.AppendQuote([]byte(`{"path":`), f.Path)
	out = wtf8.AppendQuote(append(out, `,"content":`...), f.Content)
	return append(out, '}'), nil
}

// UnmarshalJSON reads an object; a known key of another type is an error.
func (s *Skill) UnmarshalJSON(data []byte) error {
	in, err := openObject(data)
	if err != nil {
		return err
	}
	*s = Skill{}
	in.text("name", &s.Name)
	in.text("description", &s.Description)
	in.text("filePath", &s.FilePath)
	in.value("disableModelInvocation", &s.DisableModelInvocation)
	s.Extra = in.rest()
	return in.err
}

// MarshalJSON writes the known keys that are set, then Extra in key order.
func (s Skill) MarshalJSON() ([]byte, error) {
	var out objectWriter
	out.text("name", s.Name)
	out.text("description", s.Description)
	out.text("filePath", s.FilePath)
	if s.DisableModelInvocation {
		out.value("disableModelInvocation", true)
	}
	return out.close(s.Extra)
}
