package assembler_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

// text is a JavaScript string. Chunks are written as JSON with every unit escaped, so that halves get
// through.
type text []uint16

func (s text) json() string {
	var b strings.Builder
	b.WriteByte('"')
	for _, unit := range s {
		fmt.Fprintf(&b, `\u%04x`, unit)
	}
	b.WriteByte('"')
	return b.String()
}

// textOf is the text of a Go string, in which a half takes three bytes.
func textOf(s string) text {
	units := text{}
	for s != "" {
		if len(s) >= 3 && s[0] == 0xed && s[1] >= 0xa0 {
			units = append(units, 0xd000|uint16(s[1]&0x3f)<<6|uint16(s[2]&0x3f))
			s = s[3:]
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		units, s = utf16.AppendRune(units, r), s[size:]
	}
	return units
}

var (
	indexes = rapid.SampledFrom([]string{"0", "1", "2", "3", "-0", "17", "-1", "0.5", "4000000000", "1e300", "null"})
	kinds   = rapid.SampledFrom([]string{"text", "reasoning", "tool-call", "chart"})
	unit    = rapid.SampledFrom(text{'a', ' ', '"', 0xe9, 0xd83e, 0xddfe, 0xd800, 0xdfff, 0xfeff})
	texts   = rapid.Custom(func(t *rapid.T) text { return rapid.SliceOfN(unit, 0, 5).Draw(t, "text") })
	finish  = rapid.SampledFrom([]string{"stop", "tool-calls", "max-tokens", "max-tokens", "error", "content-filter"})
)

// A step is one chunk of a stream and what the model below needs of it.
type step struct {
	typ, index, kind string
	text             text
	id               *text
	state            string
}

func (s step) json() string {
	head := fmt.Sprintf(`{"type":%q,"index":%s`, s.typ, s.index)
	switch s.typ {
	case message.BlockStart:
		return fmt.Sprintf(`%s,"blockType":%q}`, head, s.kind)
	case message.BlockEnd:
		return fmt.Sprintf(`%s,"block":%s}`, head, s.block())
	case message.ToolCallDelta:
		if s.id != nil {
			head += `,"id":` + s.id.json()
		}
		return head + `,"argumentsDelta":` + s.text.json() + `}`
	case message.FinishChunk:
		return fmt.Sprintf(`{"type":"finish","reason":{"kind":%q}%s}`, s.kind, s.state)
	}
	return head + `,"text":` + s.text.json() + `}`
}

// key is the key that the index is.
func (s step) key() string { return strings.Replace(s.index, "-0", "0", 1) }

func (s step) block() string {
	return fmt.Sprintf(`{"type":%q,"text":%s,"x":1}`, s.kind, s.text.json())
}

var steps = rapid.Custom(func(t *rapid.T) []step {
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		s := step{index: indexes.Draw(t, "index"), kind: kinds.Draw(t, "kind"), text: texts.Draw(t, "text")}
		s.typ = rapid.SampledFrom([]string{message.BlockStart, message.BlockEnd, message.TextDelta, message.TextDelta,
			message.ReasoningDelta, message.ToolCallDelta, message.ToolCallDelta}).Draw(t, "type")
		if s.typ == message.BlockStart && s.kind == "chart" && rapid.Bool().Draw(t, "not so often") {
			s.kind = "text"
		}
		if rapid.Bool().Draw(t, "has id") {
			id := texts.Draw(t, "id")
			s.id = &id
		}
		return s
	}), 0, 20).Draw(t, "steps")
	seen := map[string]bool{}
	for _, s := range list {
		seen[s.key()] = true
	}
	f := step{typ: message.FinishChunk, kind: finish.Draw(t, "finish")}
	n := max(0, len(seen)+rapid.SampledFrom([]int{0, 0, 0, -1, 1}).Draw(t, "entries beside"))
	f.state = rapid.SampledFrom([]string{
		"", `,"replayState":{"response":1}`, `,"replayState":{"response":1,"blocks":null}`, `,"replayState":"x"`,
		`,"replayState":{"response":1,"blocks":[` + strings.TrimSuffix(strings.Repeat(`{"m":0},`, n), ",") + `]}`,
		`,"replayState":{"blocks":[` + strings.TrimSuffix(strings.Repeat(`0,`, n), ",") + `]}`,
		`,"replayState":{"response":1,"blocks":[` + strings.TrimSuffix(strings.Repeat(`0,`, n), ",") + `],"x":1}`,
	}).Draw(t, "state")
	at := rapid.IntRange(0, len(list)).Draw(t, "at")
	return slices.Insert(list, at, f)
})

// run pushes steps and reads the result.
func run(t require.TestingT, list []step) (*assembler.Assembler, assembler.Result, error) {
	var a assembler.Assembler
	for _, s := range list {
		c, err := message.ParseChunk([]byte(s.json()))
		require.NoError(t, err, s.json())
		require.NoError(t, a.Push(&c))
	}
	r, err := a.Result()
	return &a, r, err
}

func TestEntriesAreAsManyAsBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, r, err := run(t, steps.Draw(t, "steps"))
		if err != nil {
			return
		}
		checkAgreement(t, r)
		again, err := a.Result()
		require.NoError(t, err)
		require.Equal(t, r, again)
	})
}

func checkAgreement(t require.TestingT, r assembler.Result) {
	require.False(t, r.ReplayState != nil && r.Discarded != nil)
	if r.ReplayState == nil {
		return
	}
	var state map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(r.ReplayState, &state))
	require.Contains(t, state, "response")
	if list, ok := state["blocks"]; ok {
		var entries []json.RawMessage
		require.NoError(t, json.Unmarshal(list, &entries))
		require.NotNil(t, entries)
		require.Len(t, r.Blocks, len(entries))
	}
}

// However a text is cut into deltas, inside a character too, it is the same text.
func TestSplittingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := steps.Draw(t, "steps")
		var split []step
		for _, s := range list {
			if strings.HasSuffix(s.typ, "-delta") {
				for len(s.text) > 0 && rapid.Bool().Draw(t, "cut") {
					n := rapid.IntRange(0, len(s.text)).Draw(t, "at")
					head := s
					head.text, s.text = s.text[:n], s.text[n:]
					split = append(split, head)
					if other := rapid.IntRange(0, 3).Draw(t, "chunk between"); other == 0 {
						split = append(split, step{typ: message.BlockStart, index: s.index, kind: "chart"}) // known by now
					}
				}
			}
			split = append(split, s)
		}
		a, r, err := run(t, list)
		b, r2, err2 := run(t, split)
		require.Equal(t, fmt.Sprint(err), fmt.Sprint(err2))
		require.Equal(t, r, r2)
		require.Equal(t, a.Interrupted(), b.Interrupted())
	})
}

// The assembler against the rules as they are written in rules_test.go.
func TestAssemblerAgainstTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := steps.Draw(t, "steps")
		all, interrupted, readable := rulesFor(list)
		a, r, err := run(t, list)
		require.Equal(t, interrupted, lines(t, a.Interrupted()))
		require.Equal(t, readable, err == nil)
		if readable {
			require.Equal(t, all, lines(t, r.Blocks))
		}
	})
}

// A stream that the checker lets through can be read, has a block for each start, and loses nothing.
func TestLegalStreamsAreReadWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := steps.Draw(t, "steps")
		var legal []step
		open := map[string]string{}
		started := 0
		for _, s := range list { // leave out what is not legal
			candidate := append(slices.Clone(legal), s)
			if s.typ == message.FinishChunk {
				continue
			}
			var g assembler.Grammar
			ok := true
			for _, c := range candidate {
				chunk, err := message.ParseChunk([]byte(c.json()))
				require.NoError(t, err)
				ok = ok && g.Check(&chunk) == nil
			}
			if !ok {
				continue
			}
			legal = candidate
			switch s.typ {
			case message.BlockStart:
				started++
				open[s.index] = s.kind
			case message.BlockEnd:
				delete(open, s.index)
			}
		}
		for index, kind := range open {
			legal = append(legal, step{typ: message.BlockEnd, index: index, kind: kind})
		}
		_, r, err := run(t, append(legal, step{typ: message.FinishChunk, kind: "stop"}))
		require.NoError(t, err)
		require.Len(t, r.Blocks, started)
	})
}

// The interrupted view is a part of all blocks, in their order.
func TestInterruptedIsASubsequence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := steps.Draw(t, "steps")
		a, _, _ := run(t, list)
		interrupted := a.Interrupted()
		for i := range list { // so that nothing is dropped
			if list[i].typ == message.FinishChunk {
				list[i].kind = "stop"
			}
		}
		a, r, err := run(t, list)
		if err != nil {
			return
		}
		require.Equal(t, interrupted, a.Interrupted())
		rest := r.Blocks
		for _, b := range interrupted {
			at := slices.IndexFunc(rest, func(o message.Block) bool { return jsonOf(t, o) == jsonOf(t, b) })
			require.GreaterOrEqual(t, at, 0)
			rest = rest[at+1:]
		}
	})
}

// FuzzAssembler takes one chunk a line.
func FuzzAssembler(f *testing.F) {
	f.Add(start0 + "\n" + delta0 + "\n" + end0 + "\n" + usage + "\n" + stop)
	f.Add(`{"type":"tool-call-delta","index":-1e999,"argumentsDelta":"\ud83e"}` + "\n" + `{"type":"finish","reason":{"kind":"max-tokens"},"replayState":{"response":1,"blocks":[1]}}`)
	f.Add(`{"type":"block-start","index":"x","blockType":"chart"}` + "\n" + `{"type":"finish","reason":{"kind":"stop"},"replayState":{"blocks":{"length":1}}}`)
	f.Fuzz(func(t *testing.T, lines string) {
		a, reference := assembler.Assembler{}, assembler.Assembler{Reference: true}
		var g assembler.Grammar
		legal := true
		for line := range strings.SplitSeq(lines, "\n") {
			c, err := message.ParseChunk([]byte(line))
			if err != nil {
				continue
			}
			known := a.Push(&c) == nil
			require.Equal(t, known, reference.Push(&c) == nil)
			legal = g.Check(&c) == nil && legal && known
		}
		legal = g.End() == nil && legal
		a.Interrupted()
		_, _ = reference.Result()
		finish := a.Finish()
		r, err := a.Result()
		if legal && finish.Kind != message.Failed && finish.Kind != message.Aborted {
			require.NoError(t, err)
		}
		if err != nil {
			return
		}
		checkAgreement(t, r)
		require.True(t, json.Valid(r.AppendJSON(nil)))
	})
}
