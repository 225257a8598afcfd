package profile

import (
	"encoding/json"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// A schemaShape is a form in which providers see a tool, whatever form the host's own has (section
// "Catalog and roles").
type schemaShape struct {
	// text is the description, "" where the host's stays.
	text string
	// fixed is the schema, or of makes it.
	fixed string
	of    func(r *rule, host schema) json.RawMessage
}

// schemaShapes are the shapes that a table can name.
var schemaShapes = map[string]schemaShape{
	"read": {
		text: "Read a file, or a part of it: limit lines from line offset on, which is 1 for the first line.",
		fixed: `{"type":"object","properties":{` +
			`"filePath":{"type":"string","description":"The file to read."},` +
			`"offset":{"type":"integer","minimum":1,"description":"The line to begin with."},` +
			`"limit":{"type":"integer","minimum":1,"description":"How many lines to read."}},` +
			`"required":["filePath"],"additionalProperties":false}`,
	},
	"write": {text: "Write a file. What was in it before is replaced.", of: writeSchema},
	"edit":  {fixed: editSchema("")},
	"replace": {
		text:  "Replace text in a file. oldString has to be in it exactly once, unless replaceAll is true.",
		fixed: editSchema(`,"replaceAll":{"type":"boolean","description":"Replace every occurrence."}`),
	},
	"glob": {
		text: "Find files whose paths match a pattern.",
		fixed: `{"type":"object","properties":{` +
			`"pattern":{"type":"string","description":"The pattern, such as **/*.go."},` +
			`"path":{"type":"string","description":"The folder to look in."},` +
			`"gitignore":{"type":"boolean","description":"Leave out what git ignores."},` +
			`"hidden":{"type":"boolean","description":"Find hidden files too."},` +
			`"limit":{"type":"number","description":"How many files to find at most."}},` +
			`"required":["pattern"],"additionalProperties":false}`,
	},
	"shell":   {text: "Run a command in a shell.", of: shellSchema},
	"grep":    {of: grepSchema},
	"aliases": {of: aliasSchema},
	todoShape: {}, // two declarations: see Catalog
}

// The schemas of roles and of the to-do list.
const (
	emptySchema = `{"type":"object","properties":{},"additionalProperties":false}`

	todoReadText    = "Read the to-do list."
	todoWriteText   = "Write the to-do list: give all of it, with what has changed."
	todoWriteSchema = `{"type":"object","properties":{"todos":{"type":"array","items":{"type":"object","properties":{` +
		`"content":{"type":"string","description":"What is to be done."},` +
		`"status":{"type":"string","enum":["pending","in_progress","completed","cancelled"]},` +
		`"priority":{"type":"string","enum":["high","medium","low"]}},` +
		`"required":["content","status"],"additionalProperties":false}}},` +
		`"required":["todos"],"additionalProperties":false}`

	questionText   = "Ask the user. Give for each question the answers to choose from."
	questionSchema = `{"type":"object","properties":{"questions":{"type":"array","minItems":1,` +
		`"items":{"type":"object","properties":{` +
		`"question":{"type":"string","description":"The whole question."},` +
		`"header":{"type":"string","description":"The question in a few words, 30 characters at most."},` +
		`"options":{"type":"array","items":{"type":"object","properties":{` +
		`"label":{"type":"string"},"description":{"type":"string"}},` +
		`"required":["label","description"],"additionalProperties":false}},` +
		`"multiple":{"type":"boolean","description":"More than one option can be chosen."}},` +
		`"required":["question","header","options"],"additionalProperties":false}}},` +
		`"required":["questions"],"additionalProperties":false}`

	taskText = "Give a task to another agent, which works on it by itself and answers with its result."
)

func editSchema(more string) string {
	return `{"type":"object","properties":{` +
		`"filePath":{"type":"string","description":"The file to change."},` +
		`"oldString":{"type":"string","minLength":1,"description":"The text to replace."},` +
		`"newString":{"type":"string","description":"The text to put in its place."}` + more + `},` +
		`"required":["filePath","oldString","newString"],"additionalProperties":false}`
}

// task declares the tool that delegates work.
func (t *Toolset) task() Declaration {
	kind := `{"type":"string","description":"The agent."}`
	if t.subagent.Complete {
		if names := t.agentNames(); len(names) > 0 {
			w := jsonvalue.Begin(nil)
			w.Text("type", "string")
			w.Raw("enum", ordered.AppendTexts(nil, names))
			kind = string(w.End())
		}
	}
	return Declaration{taskName, taskText, []byte(`{"type":"object","properties":{` +
		`"description":{"type":"string","description":"The task in a few words."},` +
		`"prompt":{"type":"string","description":"All that the agent needs to know."},` +
		`"subagent_type":` + kind + `},` +
		`"required":["description","prompt","subagent_type"],"additionalProperties":false}`)}
}

// writeSchema wants the content if the host does.
func writeSchema(r *rule, host schema) json.RawMessage {
	required := `["filePath"]`
	if host.requires(r.hostKey("content")) {
		required = `["filePath","content"]`
	}
	return []byte(`{"type":"object","properties":{` +
		`"filePath":{"type":"string","description":"The file to write."},` +
		`"content":{"type":"string","description":"All that is to be in it."}},` +
		`"required":` + required + `,"additionalProperties":false}`)
}

// shellSchema has properties of its own, and those of the host that they do not stand for.
func shellSchema(r *rule, host schema) json.RawMessage {
	properties := jsonvalue.Begin(nil)
	properties.Raw("command", []byte(`{"type":"string","description":"The command."}`))
	properties.Raw("workdir", []byte(`{"type":"string","description":"The folder to run it in."}`))
	properties.Raw("timeout", []byte(`{"type":"number","minimum":0,"description":"When to end it, in milliseconds."}`))
	r.properties(&properties, &host, "command", "workdir", "timeout")
	w := jsonvalue.Begin(nil)
	w.Text("type", "object")
	w.Raw("properties", properties.End())
	w.Raw("required", ordered.AppendTexts(nil, []string{"command"}))
	w.Bool("additionalProperties", false)
	return w.End()
}

// aliasSchema is the host's, with the names that providers use and without what they do not see.
func aliasSchema(r *rule, host schema) json.RawMessage {
	if host.properties.Len() > 0 {
		properties := jsonvalue.Begin(nil)
		r.properties(&properties, &host)
		host.whole.Set("properties", properties.End())
	}
	r.required(&host)
	return host.whole.JSON()
}

// grepSchema is the same, and has include: which files to look in.
func grepSchema(r *rule, host schema) json.RawMessage {
	properties := jsonvalue.Begin(nil)
	r.properties(&properties, &host, "include")
	properties.Raw("include", []byte(`{"type":"string","description":"Which files to look in, such as *.go."}`))
	host.whole.Set("properties", properties.End())
	r.required(&host)
	return host.whole.JSON()
}

// properties writes the properties of the host's schema by the names that providers use, without the hidden
// ones and those that come to have a name of ours. A property that is called like the alias of another
// one gives way to it.
func (r *rule) properties(w *jsonvalue.Object, host *schema, ours ...string) {
	given := func(name string) bool {
		return slices.ContainsFunc(r.Aliases, func(a [2]string) bool {
			return a[0] == name && a[1] != name && host.has(a[1]) && r.alias(a[1]) == name
		})
	}
	isOurs := func(name string) bool {
		return slices.ContainsFunc(ours, func(our string) bool { return our == r.alias(name) || r.hostKey(our) == name })
	}
	for name, property := range host.properties.All() {
		to := r.alias(name)
		if r.hides(name) || isOurs(name) || to == name && given(name) {
			continue
		}
		w.Raw(to, property)
	}
}

// required says the same of the list of required properties, if there is one. What is no name in it stays.
func (r *rule) required(host *schema) {
	list, ok := ordered.Elements(host.whole.Get("required"))
	if !ok {
		return
	}
	var seen names
	kept := list[:0]
	for _, raw := range list {
		if name, ok := jsonvalue.TextOf(raw); ok {
			if r.hides(name) || !seen.add(r.alias(name)) {
				continue
			}
			raw = wtf8.AppendQuote(nil, r.alias(name))
		}
		kept = append(kept, raw)
	}
	host.whole.Set("required", ordered.AppendList(nil, kept))
}

// alias is the name that providers use for a property of the host's schema: the first of its aliases.
func (r *rule) alias(property string) string {
	for _, a := range r.Aliases {
		if a[1] == property {
			return a[0]
		}
	}
	return property
}

// hides says that a property of the host's schema is not for providers.
func (r *rule) hides(property string) bool {
	return slices.Contains(r.Drop, property) || slices.Contains(r.Hide, property)
}
