package envelope

import (
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/registry"
)

// ContextText composes the context-files message for the working directory cwd, "" when no file has
// content. The first file is set apart if it lies in the agent directory and others follow. Contents
// are neither trimmed nor escaped.
func (e Environment) ContextText(files []registry.ContextFile, cwd string) string {
	kept := make([]registry.ContextFile, 0, len(files))
	for _, f := range files {
		if !ecma.IsBlank(f.Content) {
			kept = append(kept, f)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# AGENTS.md instructions for " + slashes(cwd) + "\n\n<INSTRUCTIONS>\n")
	for i, f := range kept {
		switch {
		case i == 1 && e.isGlobal(kept[0].Path):
			b.WriteString("\n\n--- project-doc ---\n\n")
		case i > 0:
			b.WriteString("\n\n")
		}
		b.WriteString(f.Content)
	}
	b.WriteString("\n</INSTRUCTIONS>")
	return b.String()
}

func (e Environment) isGlobal(file string) bool {
	rules, wd := e.paths(), e.workingDir()
	return rules.same(rules.dir(wd, file), rules.resolve(wd, e.ResolveAgentDir()))
}
