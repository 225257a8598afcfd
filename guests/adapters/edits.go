package main

import (
	"bytes"
	"slices"

	"github.com/pintle-wasm/pintle/guests/sdk/go/payload/edit"
)

// editsFor answers a request of version 2 by the rules of version 1. It returns [edit.UseV1] where they
// need more than the view shows, and where the edits for the messages depend on whether the prompt is
// replaced, which the host decides.
func editsFor(api, compat, developerRole string, r *edit.Request) (edit.Answer, error) {
	if compat == "reference" {
		return edit.Answer{}, edit.UseV1("the reference's behaviour is that of version 1")
	}
	rules := rulesFor(api, developerRole)
	d := viewed(r.View)
	segs := segments(r.Messages)
	var a edit.Answer
	a.Messages = d.editsForMessages(rules, segs)
	at, own, ok := rules.prompt(d)
	tail := ok && own < d.content(at).length
	if d.blind || tail {
		return edit.Answer{}, edit.UseV1("a string has to be known whole, or holds both prompt and messages")
	}
	if !ok {
		return a, nil
	}
	a.PromptAt = at.seen.at
	a.Prompt = []edit.Edit{edit.Set(a.PromptAt, quote(r.SystemPrompt))}

	// Once more, as if the prompt had been replaced.
	at.seen.show(edit.Value{Kind: edit.String, Text: r.SystemPrompt})
	replaced := d.editsForMessages(rules, segs)
	taken := slices.ContainsFunc(a.Messages, func(e edit.Edit) bool { return takesAway(e, a.PromptAt) })
	if d.blind || taken || !slices.EqualFunc(a.Messages, replaced, sameEdit) {
		return edit.Answer{}, edit.UseV1("the edits for the messages depend on the prompt")
	}
	return a, nil
}

func (d *document) editsForMessages(rules rules, segs [][]byte) []edit.Edit {
	d.edits = nil
	rules.setMessages(d, segs)
	return d.edits
}

func sameEdit(a, b edit.Edit) bool {
	return a.Op == b.Op && slices.Equal(a.At, b.At) && bytes.Equal(a.Value, b.Value)
}

// takesAway tells whether an edit replaces or removes what is at an address.
func takesAway(e edit.Edit, at edit.Address) bool {
	return (e.Op == edit.OpSet || e.Op == edit.OpRemove) && len(e.At) <= len(at) && slices.Equal(e.At, at[:len(e.At)])
}
