package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

// A liveView shows an answer to a person while it arrives.
type liveView struct {
	p      *printer
	stderr io.Writer
	flow   textFlow
	at     *liveBlock // what the flow belongs to
	shown  map[*liveBlock]*shownBlock
}

// A shownBlock is what has been shown of a block that is still open.
type shownBlock struct {
	text strings.Builder // of its own kind: text, or arguments
	half string          // of a character, at the end of text and not shown yet
	name string
}

func newLiveView(cmd *cobra.Command) *liveView {
	p := newPrinter(cmd.OutOrStdout())
	return &liveView{p: p, stderr: cmd.ErrOrStderr(), flow: textFlow{p: p, indent: "  "}, shown: map[*liveBlock]*shownBlock{}}
}

func (v *liveView) chunk(c *message.Chunk, block *liveBlock) error {
	if block == nil {
		return v.p.err
	}
	s := v.of(block)
	text := block.kind == message.Text || block.kind == message.Reasoning
	switch {
	case c.Type == message.BlockEnd:
		v.rest(c.Block, block, ", as it was closed")
		delete(v.shown, block)
	case text && (c.Type == message.TextDelta || c.Type == message.ReasoningDelta):
		v.grow(block, s, c.Text)
	case block.kind == message.ToolCall && c.Type == message.ToolCallDelta:
		if c.Name != "" {
			s.name = c.Name
		}
		v.grow(block, s, c.ArgumentsDelta)
	}
	return v.p.err
}

// of is what has been shown of a block.
func (v *liveView) of(block *liveBlock) *shownBlock {
	s := v.shown[block]
	if s == nil {
		s = &shownBlock{}
		v.shown[block] = s
	}
	return s
}

// grow shows a fragment, under the heading of its block.
func (v *liveView) grow(block *liveBlock, s *shownBlock, fragment string) {
	if fragment == "" {
		return
	}
	more := ""
	if s.text.Len() > 0 {
		more = ", continued"
	}
	v.turnTo(block, s.name, more)
	s.text.WriteString(fragment)
	fragment, s.half = splitHalf(s.half + fragment)
	v.flow.write(fragment)
}

// turnTo writes a block's heading, if the last output is not the block's.
func (v *liveView) turnTo(block *liveBlock, name, more string) {
	if v.at == block {
		return
	}
	v.flow.end()
	v.at = block
	head := fmt.Sprintf("%d %s", block.position+1, oneLine(block.words(), 60))
	if name != "" {
		head += " " + oneLine(name, 80)
	}
	v.p.printf("%s\n", v.p.paint(cyan, head+more))
}

// rest shows what a block has beside what has been shown: usually nothing, since its content has been
// streamed. What is different is shown anew, under a heading that says how it differs.
func (v *liveView) rest(b *message.Block, block *liveBlock, how string) {
	s := v.of(block)
	content, name := b.Text, s.name
	switch b.Type {
	case message.Text, message.Reasoning:
	case message.ToolCall:
		content, name = b.Arguments, b.Name
	default:
		content = string(b.AppendJSON(nil))
	}
	streamed := joined(s.text.String())
	switch {
	case streamed == "":
		v.turnTo(block, name, "")
		v.flow.write(orNone(content))
	case streamed != joined(content) || b.Type == message.ToolCall && name != s.name:
		v.flow.end()
		v.at = nil
		v.turnTo(block, name, how)
		v.flow.write(orNone(content))
	case s.half != "":
		v.turnTo(block, name, ", continued")
		v.flow.write(s.half)
	}
	if v.at == block {
		v.flow.end()
	}
}

func (v *liveView) violation(input string, line int, violation *assembler.Violation) error {
	v.flow.end()
	v.at = nil
	where := fmt.Sprintf("%s:%d", input, line)
	if violation.At == assembler.End {
		where = input + ": the end"
	}
	_, err := fmt.Fprintf(v.stderr, "pintle: warn: %s: %s: %s; %s\n", oneLine(where, 200), violation.Kind,
		oneLine(violation.Detail, 400), advice[violation.Kind])
	return err
}

// advice says what an adapter must do instead.
var advice = map[assembler.ViolationKind]string{
	assembler.AfterFinish:     "the finish is the last chunk of a stream",
	assembler.BadIndex:        "count the blocks from 0 in the order in which they begin",
	assembler.RepeatedStart:   "start each block once",
	assembler.IndexReused:     "give each block an index of its own: what comes under a used one is lost",
	assembler.DeltaMismatch:   "start a block before its deltas, with their kind, and end it after them",
	assembler.EndNotOpen:      "start a block before its end, and end it once",
	assembler.EndKindMismatch: "start a block with the kind that it will have",
	assembler.RepeatedUsage:   "send usage once, with the totals: a second one replaces the first",
	assembler.OpenAtFinish:    "end every block before the finish, a cut one too",
	assembler.NoFinish:        "end every stream with a finish chunk, also one that failed",
}

func (v *liveView) result(r *assembled) error {
	v.flow.end()
	p := v.p
	p.head("answer")
	if r.cut {
		p.printf("  %s\n", p.paint(red, "interrupted before its end"))
	}
	switch {
	case r.cut:
		p.printf("  kept          %s of what came; no call and no replay state outlives an interruption\n", blockList(r.Interrupted))
	case r.Error != nil:
		p.printf("  kept          nothing: %s\n", p.paint(red, oneLine(r.Error.Message, 400)))
	default:
		p.printf("  kept          %s\n", blockList(r.Blocks))
	}
	if len(r.dropped) > 0 {
		positions := make([]string, len(r.dropped))
		for i, b := range r.dropped {
			positions[i] = fmt.Sprint(b.position + 1)
		}
		p.printf("  dropped       %s (%s): the output limit may have cut it\n", plural(len(r.dropped), "tool call"), strings.Join(positions, ", "))
	}
	p.printf("  finish        %s\n", r.finishLine())
	p.printf("  usage         %s\n", usageLine(r.Usage))
	if !r.cut {
		p.printf("  replay state  %s\n", r.envelopeLine())
	}
	return p.err
}

// blockList counts blocks by kind, in the order of their appearance.
func blockList(blocks []message.Block) string {
	if len(blocks) == 0 {
		return "no block"
	}
	var kinds []string
	counts := map[string]int{}
	for _, b := range blocks {
		if counts[b.Type]++; counts[b.Type] == 1 {
			kinds = append(kinds, b.Type)
		}
	}
	for i, kind := range kinds {
		words := oneLine((&liveBlock{kind: kind}).words(), 60)
		if kind == message.ToolCall && counts[kind] > 1 {
			words += "s"
		}
		kinds[i] = fmt.Sprintf("%d %s", counts[kind], words)
	}
	return plural(len(blocks), "block") + ": " + strings.Join(kinds, ", ")
}
