package profile

import (
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma"
)

// Catalog is what a provider is told of the live tools: sorted by name, in order of UTF-16 code units, and
// nil if there is nothing to tell. Tools that come to have the same name are all in it, in the order in
// which they were bound. The caller may change the list, but not the schemas in it.
func (t *Toolset) Catalog() []Declaration { return slices.Clone(t.catalog()) }

func (t *Toolset) declare() []Declaration {
	var list []Declaration
	for i := range t.tools {
		list = t.appendDeclarations(list, &t.tools[i])
	}
	slices.SortStableFunc(list, func(a, b Declaration) int { return ecma.CompareUnits(a.Name, b.Name) })
	return list
}

// appendDeclarations appends how a provider sees a live tool: not at all, as one tool, or as two.
func (t *Toolset) appendDeclarations(list []Declaration, tool *Tool) []Declaration {
	switch {
	case t.subagent != nil && tool.Name == t.subagent.HostTool:
		return append(list, t.task())
	case t.question != "" && tool.Name == t.question:
		return append(list, Declaration{questionName, questionText, []byte(questionSchema)})
	case t.terminal != "" && tool.Name == t.terminal:
		return list
	}
	d := Declaration{t.ProviderName(tool.Name), tool.Description, hostSchema(tool)}
	r := t.rule(tool.Name)
	if r == nil || r.Schema == "" {
		return append(list, d)
	}
	if r.Schema == todoShape {
		return append(list,
			Declaration{r.Provider[0], todoWriteText, []byte(todoWriteSchema)},
			Declaration{r.Provider[1], todoReadText, []byte(emptySchema)})
	}
	s := schemaShapes[r.Schema]
	if s.text != "" {
		d.Description = s.text
	}
	if s.fixed != "" {
		d.InputSchema = []byte(s.fixed)
	} else {
		d.InputSchema = s.of(r, schemaOf(tool))
	}
	return append(list, d)
}
