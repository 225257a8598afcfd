package history

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// An answer is an assistant message that is being read.
type answer struct {
	*builder
	// own: the model that is called now has given the answer, as far as the names of its protocol and provider
	// tell, so that it can read its own signatures.
	own   bool
	parts []Part
	// folds are those of the message, by head.
	folds map[string]*fold
	asks  bool // for a tool of the host
}

// assistant adds an answer. It is left out if nothing of it means anything to the provider.
func (b *builder) assistant(m jsonspan.Node) {
	a := answer{builder: b}
	var executed []execution
	if !b.cfg.Reference && is(m, "api", b.cfg.API) && is(m, "provider", b.cfg.Provider) {
		a.own, executed = true, readExecutions(jsonvalue.Member(m, "providerExecuted"))
	}
	at := 0
	switch blocks := jsonvalue.Member(m, "content"); blocks.Kind() {
	case jsonspan.String:
		executed = a.executed(executed, at)
		if text := jsonvalue.String(blocks); text != "" {
			a.parts = append(a.parts, Part{Type: Text, Text: text})
		}
	case jsonspan.Array:
		for n := blocks.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
			executed = a.executed(executed, at)
			a.block(n)
			at++
		}
	}
	for _, e := range executed {
		a.parts = e.appendParts(a.parts)
	}
	if len(a.parts) > 0 {
		b.out = append(b.out, Message{Role: RoleAssistant, Content: a.parts})
		b.afterTool = a.asks
	}
}

func is(m jsonspan.Node, key, value string) bool {
	text, ok := jsonvalue.Text(jsonvalue.Member(m, key))
	return ok && text == value
}

// executed adds the calls that came before a block, and returns the others.
func (a *answer) executed(list []execution, at int) []execution {
	for len(list) > 0 && list[0].at <= int64(at) {
		a.parts = list[0].appendParts(a.parts)
		list = list[1:]
	}
	return list
}

// block adds what a block is to the provider. Blocks of other kinds, and those whose members have other
// types than they should, are left out.
func (a *answer) block(n jsonspan.Node) {
	switch kind := jsonvalue.Member(n, "type"); {
	case kind.Is("text"):
		if text, ok := jsonvalue.Text(jsonvalue.Member(n, "text")); ok {
			a.parts = append(a.parts, Part{Type: Text, Text: text, ProviderOptions: a.signed(n, "textSignature")})
		}
	case kind.Is("thinking"):
		a.thinking(n)
	case kind.Is("image"):
		if file, ok := readImage(n); ok {
			a.parts = append(a.parts, file)
		}
	case kind.Is("toolCall"):
		a.toolCall(n)
	}
}

// thinking adds reasoning. What is left of a redacted thought without its signature says nothing.
func (a *answer) thinking(n jsonspan.Node) {
	const signature = "thinkingSignature"
	text, ok := jsonvalue.Text(jsonvalue.Member(n, "thinking"))
	if !ok {
		return
	}
	options := a.signed(n, signature)
	if options == nil && !a.cfg.Reference {
		redacted := string(jsonvalue.Member(n, "redacted").Raw()) == "true"
		if redacted || text == "" && jsonvalue.String(jsonvalue.Member(n, signature)) != "" {
			return
		}
	}
	a.parts = append(a.parts, Part{Type: Reasoning, Text: text, ProviderOptions: options})
}

func (a *answer) toolCall(n jsonspan.Node) {
	id, hasID := jsonvalue.Text(jsonvalue.Member(n, "id"))
	name, hasName := jsonvalue.Text(jsonvalue.Member(n, "name"))
	if !hasID || !hasName {
		return
	}
	if a.tools.Excluded(name) {
		a.calls[id] = call{tool: name, dropped: true}
		return
	}
	arguments := json.RawMessage(jsonvalue.Member(n, "arguments").Raw())
	if len(arguments) == 0 || string(arguments) == "null" {
		arguments = json.RawMessage("{}")
	}
	a.asks = true
	if head, ok := profile.FanOutHead(id); ok && a.isTodo(name) {
		a.calls[id] = call{tool: name, fold: a.operation(head, n, arguments)}
		return
	}
	a.calls[id] = call{tool: name}
	restated := a.tools.ToProvider(profile.Call{Name: name, Arguments: arguments})
	a.parts = append(a.parts, Part{
		Type: ToolCall, ToolCallID: id, ToolName: restated.Name, Input: restated.Arguments,
		ProviderOptions: a.signed(n, "thoughtSignature"),
	})
}
