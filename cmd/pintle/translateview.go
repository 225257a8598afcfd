package main

import (
	"bufio"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// forPerson tells whether an output is a terminal, in colours or not.
func forPerson(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// linesOut writes lines of JSON, many at a time as long as there are more.
type linesOut struct {
	out  *bufio.Writer
	line []byte
}

func newLinesOut(w io.Writer) linesOut { return linesOut{out: bufio.NewWriterSize(w, 64<<10)} }

func (l *linesOut) write(line []byte) error {
	l.line = append(line, '\n')
	_, err := l.out.Write(l.line)
	return err
}

func (l *linesOut) idle() error                     { return l.out.Flush() }
func (l *linesOut) result(*translation, bool) error { return nil }

// eventLines writes events. whole puts the message so far into each of them.
type eventLines struct {
	linesOut
	whole bool
}

func (l *eventLines) event(e *stream.Event) error {
	last := e.Type == stream.EventDone || e.Type == stream.EventError
	return l.write(e.AppendJSON(l.line[:0], l.whole || last))
}

// A chunking makes chunks of events, and keeps the last one.
type chunking struct {
	stream.Chunker
	finish *message.Chunk
}

// Event is that of the Chunker.
func (c *chunking) Event(e *stream.Event) ([]message.Chunk, error) {
	chunks, err := c.Chunker.Event(e)
	if last := len(chunks) - 1; last >= 0 && chunks[last].Type == message.FinishChunk {
		finish := chunks[last]
		c.finish = &finish
	}
	return chunks, err
}

// tell tells a translation how the answer ends.
func (c *chunking) tell(t *translation) {
	if c.finish != nil {
		t.finish = c.finish.Reason
	}
}

// chunkLines writes chunks.
type chunkLines struct {
	linesOut
	chunking chunking
}

func (l *chunkLines) result(t *translation, _ bool) error {
	l.chunking.tell(t)
	return nil
}

func (l *chunkLines) event(e *stream.Event) error {
	chunks, err := l.chunking.Event(e)
	if err != nil {
		return err
	}
	for i := range chunks {
		if err := l.write(chunks[i].AppendJSON(l.line[:0])); err != nil {
			return err
		}
	}
	return nil
}

// A translatedView shows an answer to a person, as `pintle assemble` would show its chunks, and then what
// became of it in translation.
type translatedView struct {
	view        *liveView
	translation *translation
	chunking    chunking
	assembler   assembler.Assembler
	blocks      liveBlocks
	assembled   assembled
}

func newTranslatedView(cmd *cobra.Command, t *translation) *translatedView {
	return &translatedView{view: newLiveView(cmd), translation: t}
}

func (v *translatedView) idle() error { return v.view.p.err }

func (v *translatedView) event(e *stream.Event) error {
	chunks, err := v.chunking.Event(e)
	if err != nil {
		return err
	}
	for i := range chunks {
		c := &chunks[i]
		if err := v.assembler.Push(c); err != nil {
			return err
		}
		if err := v.view.chunk(c, v.blocks.see(c)); err != nil {
			return err
		}
	}
	block := v.blocks.at(float64(e.ContentIndex))
	switch {
	case block == nil:
	case e.Type == stream.EventToolCallStart:
		v.view.of(block).name = v.translation.inputs[e.Message.Content[e.ContentIndex].ID].tool
	case e.Type == stream.EventToolCallEnd && !e.Block.Incomplete:
		v.view.call(e.Block, block)
	}
	return v.view.p.err
}

func (v *translatedView) result(t *translation, cut bool) error {
	v.chunking.tell(t)
	if finish := v.chunking.finish; finish != nil {
		v.assembled.offered, v.assembled.finished = finish.ReplayState, true
	}
	v.assembled.cut = cut
	v.assembled.read(&v.assembler, &v.blocks, nil)
	if err := v.view.result(&v.assembled); err != nil {
		return err
	}
	p := v.view.p
	p.head("translation for " + t.Host)
	p.printf("  %s\n", t.partsLine())
	for _, line := range t.lines() {
		p.printf("  %s\n", line)
	}
	return p.err
}

// call shows a call as the host gets it, in front of the end of its block, which comes with the end of the
// answer.
func (v *liveView) call(b *stream.Block, block *liveBlock) {
	s := v.of(block)
	if s.name != b.Name || !jsonspan.Equal([]byte(s.text.String()), b.Arguments) {
		v.rest(&message.Block{Type: message.ToolCall, Name: b.Name, Arguments: string(b.Arguments)}, block, ", as the host gets it")
	}
	s.name = b.Name
	s.text.Reset()
	s.text.Write(b.Arguments)
}
