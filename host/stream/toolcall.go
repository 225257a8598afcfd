package stream

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// call completes the blocks of a call: one, or several where one call of the provider is several on the
// host.
func (t *Translator) call(p *Part) {
	if p.ProviderExecuted && !t.cfg.Reference {
		t.theirCall(p)
		return
	}
	tool := t.tool(p.ToolName)
	if tool == nil {
		t.refuse(p.ToolName)
		return
	}
	c := call{id: p.ID, metadata: p.Metadata}
	c.arguments, c.incomplete = t.arguments(p.Input)
	if t.answer.ArgumentErrors && !t.cfg.Reference && !isObject(c.arguments, c.incomplete) {
		c.arguments, c.incomplete = t.empty, true
		c.wrong = fmt.Sprintf("The arguments of the call are not a JSON object. The model has given: %s", p.Input)
	}
	if c.incomplete {
		c.input = p.Input
	} else if at, ok := t.tools.find(p.ID); ok && t.m.Content[at].streamed && ecma.IsBlank(p.Input) {
		c.incomplete = true // the model has said something, and it is not known what
	}
	if tool.plain {
		c.host = tool.host
		t.complete(&c, true, false)
		return
	}
	calls := t.cfg.Toolset.ToHost(profile.Call{Name: tool.name, Arguments: c.arguments}, t.todos)
	if calls.Todo {
		t.todos = nil
	}
	if calls.FanOut && len(p.ID) > maxIDs/max(1, len(calls.Calls)) {
		t.fail(Reported, fmt.Sprintf("A call is %d calls of the host, and its id is too long for that: %d bytes.", len(calls.Calls), len(p.ID)))
		return
	}
	for i, host := range calls.Calls {
		c.host, c.arguments = host.Name, host.Arguments
		if !t.complete(&c, i == 0, calls.FanOut) {
			return
		}
		c.index++
	}
}

// maxIDs bounds the ids of what one call fans out to, in bytes: each of them repeats that of the call.
const maxIDs = 16 << 20

// A call is one of the host's.
type call struct {
	// id is that of the provider's call, and index the place in what it fans out to.
	id    string
	index int
	host  string
	// arguments are JSON; incomplete, input and wrong are as in Block.
	arguments    json.RawMessage
	incomplete   bool
	input, wrong string
	metadata     json.RawMessage
}

// complete puts a call into its block, and says whether more events are wanted. The first one has the block
// of the provider's call, opened now if no input came before. Where it fans out, that block is given
// another id only then, and the provider's id is free again whichever of them has opened the block.
func (t *Translator) complete(c *call, first, fanOut bool) bool {
	id := c.id
	if fanOut {
		id += "#" + strconv.Itoa(c.index)
	}
	at, bound, opened := 0, false, id
	if first {
		opened = c.id
		at, bound = t.tools.find(opened)
	}
	if !bound {
		at = t.open(&t.tools, opened)
		if !t.send(Event{Type: EventToolCallStart, ContentIndex: at}) {
			return false
		}
	}
	if first && fanOut {
		t.tools.unbind(opened)
	}
	b := t.own(at)
	if b.ID != id {
		b.ID = id
	}
	b.Name, b.Arguments, b.Incomplete, b.Input, b.ArgumentsError = c.host, c.arguments, c.incomplete, c.input, c.wrong
	b.called = true
	if first {
		t.noteMetadata(at, c.metadata)
	}
	b.metadata = b.metadata.settled()
	b.shown = true
	return t.send(Event{Type: EventToolCallEnd, ContentIndex: at, Block: b})
}

// arguments reads the input of a call, which should be a JSON object, and may be a list. Whatever else is
// {}, and incomplete if the model has said anything at all.
func (t *Translator) arguments(input string) (arguments json.RawMessage, incomplete bool) {
	input = strings.Trim(input, " \t\r\n")
	switch {
	case input == "" || input == "{}":
		return t.empty, false
	case input[0] != '{' && input[0] != '[' || !jsonspan.Valid(bytesOf(input)):
		return t.empty, !ecma.IsBlank(input)
	case utf8.ValidString(input):
		return bytesOf(input), false
	}
	// Halves of surrogate pairs can be in JSON only as escapes.
	out, err := ordered.Reserialize(nil, bytesOf(input))
	if err != nil {
		return t.empty, true
	}
	return out, false
}

func isObject(arguments json.RawMessage, incomplete bool) bool {
	return !incomplete && arguments[0] == '{'
}

// refuse ends the answer with a call of a tool that the model was not offered.
func (t *Translator) refuse(name string) {
	if t.ctx.Err() != nil {
		t.abort()
		return
	}
	t.m.ErrorTool = strings.Clone(name)
	t.fail(UnadvertisedTool, fmt.Sprintf("The model has called the tool %q, which it was not offered.", name))
}
