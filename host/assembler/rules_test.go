package assembler_test

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
)

// The rules of the assembler, written down once more with UTF-16 units and without any thought of speed.

type partial struct {
	key, kind, end  string
	text, arguments text
	id              *text
	endText         text
}

// rulesFor returns the lines of the blocks that are kept, and of the interrupted view, and whether the
// blocks can be read.
func rulesFor(list []step) (all, interrupted []string, readable bool) {
	var parts []*partial
	last := message.Stop
	for _, s := range list {
		if s.typ == message.FinishChunk {
			last = s.kind
			continue
		}
		parts = take(parts, s)
	}
	readable = true
	for _, p := range parts {
		kind, id, s := p.read()
		if p.end == "" && kind == "chart" {
			readable = false
		}
		l := line(kind, id, s, p.end != "")
		if kind != message.ToolCall || last != message.MaxTokens {
			all = append(all, l)
		}
		blank := strings.Trim(string(utf16.Decode(s)), " \ufeff") == "" // of the units that are drawn
		if (kind == message.Text || kind == message.Reasoning) && !blank {
			interrupted = append(interrupted, l)
		}
	}
	return all, interrupted, readable
}

func take(parts []*partial, s step) []*partial {
	kind := s.kind
	switch s.typ {
	case message.TextDelta:
		kind = message.Text
	case message.ReasoningDelta:
		kind = message.Reasoning
	case message.ToolCallDelta:
		kind = message.ToolCall
	}
	at := slices.IndexFunc(parts, func(p *partial) bool { return p.key == s.key() })
	if at < 0 {
		at = len(parts)
		parts = append(parts, &partial{key: s.key(), kind: kind})
	}
	p := parts[at]
	switch {
	case p.end != "":
	case s.typ == message.BlockEnd:
		p.end, p.endText = s.kind, s.text
	case s.typ == message.ToolCallDelta:
		p.id, p.arguments = s.id, slices.Concat(p.arguments, s.text)
	case s.typ != message.BlockStart:
		p.text = slices.Concat(p.text, s.text)
	}
	return parts
}

func (p *partial) read() (kind string, id, s text) {
	switch {
	case p.end != "":
		return p.end, nil, p.endText
	case p.kind != message.ToolCall:
		return p.kind, nil, p.text
	case p.id != nil:
		return p.kind, *p.id, p.arguments
	}
	name := map[string]string{"null": "undefined", "1e300": "1e+300"}[p.key]
	if name == "" {
		name = p.key
	}
	return p.kind, textOf("call-" + name), p.arguments
}

// line puts a block into words.
func line(kind string, id, s text, closed bool) string { return fmt.Sprint(kind, id, s, closed) }

// lines does so for the blocks of a result.
func lines(t require.TestingT, blocks []message.Block) (lines []string) {
	for _, b := range blocks {
		raw := string(b.AppendJSON(nil))
		closed := strings.HasSuffix(raw, `"x":1}`)
		s := b.Text
		switch {
		case closed: // a call or chart has its text in the JSON alone
			again, err := message.ParseBlock([]byte(strings.TrimSuffix(raw, "}") + `,"type":"text"}`))
			require.NoError(t, err)
			s = again.Text
		case b.Type == message.ToolCall:
			s = b.Arguments
		}
		lines = append(lines, line(b.Type, textOf(b.ID), textOf(s), closed))
	}
	return lines
}
