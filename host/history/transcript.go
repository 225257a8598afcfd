package history

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A transcript is what the system messages of a conversation amount to.
type transcript struct {
	texts []string
	// sections are those of the prompt in the order in which they first came; one that was taken away is ""
	// and has no place.
	sections     []string
	sectionPlace map[string]int
	// tools likewise; one that was taken away has live false.
	tools     []listed
	toolPlace map[string]int
}

type listed struct {
	tool profile.Tool
	live bool
}

// replay goes through the system messages in order.
func replay(messages []jsonspan.Node) *transcript {
	t := &transcript{sectionPlace: map[string]int{}, toolPlace: map[string]int{}}
	for _, m := range messages {
		if jsonvalue.Member(m, "role").Is("system") {
			t.apply(m)
		}
	}
	return t
}

func (t *transcript) apply(m jsonspan.Node) {
	if text := readContent(jsonvalue.Member(m, "content")).text(); text != "" {
		t.texts = append(t.texts, text)
	}
	if sections, ok := ordered.ParseObject(jsonvalue.Member(m, "sections").Raw()); ok {
		for name, value := range sections.All() {
			t.section(name, value)
		}
	}
	if removed := jsonvalue.Member(m, "toolsRemoved"); removed.Kind() == jsonspan.Array {
		for n := removed.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
			if name, ok := jsonvalue.Text(jsonvalue.Member(n, "name")); ok {
				t.remove(name)
			}
		}
	}
	for _, tool := range readTools(jsonvalue.Member(m, "toolsAdded")) {
		t.add(tool)
	}
}

// section sets or, with null, takes away a section of the prompt. Values of other types change nothing.
func (t *transcript) section(name string, value json.RawMessage) {
	at, known := t.sectionPlace[name]
	if string(value) == "null" {
		if known {
			t.sections[at] = ""
			delete(t.sectionPlace, name)
		}
		return
	}
	text, ok := jsonvalue.TextOf(value)
	switch {
	case !ok:
	case known:
		t.sections[at] = text
	default:
		t.sectionPlace[name] = len(t.sections)
		t.sections = append(t.sections, text)
	}
}

func (t *transcript) remove(name string) {
	if at, ok := t.toolPlace[name]; ok {
		t.tools[at].live = false
		delete(t.toolPlace, name)
	}
}

func (t *transcript) add(tool profile.Tool) {
	if at, ok := t.toolPlace[tool.Name]; ok {
		t.tools[at].tool = tool
		return
	}
	t.toolPlace[tool.Name] = len(t.tools)
	t.tools = append(t.tools, listed{tool, true})
}

func (t *transcript) prompt() string {
	texts := t.texts
	for _, text := range t.sections {
		if !ecma.IsBlank(text) {
			texts = append(texts, text)
		}
	}
	return join(texts)
}

func (t *transcript) liveTools() []profile.Tool {
	var tools []profile.Tool
	for _, l := range t.tools {
		if l.live {
			tools = append(tools, l.tool)
		}
	}
	return tools
}
