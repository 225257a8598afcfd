package stream

import (
	"errors"
	"iter"
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// A Chunker turns the events of one answer into chunks, from which package assembler makes the durable
// message. What the provider needs to know its own answer again (signatures, ids, the calls that it ran
// itself) goes into the replay envelope, in the layout of package replay. It is for one stream and one
// goroutine; the zero value is ready.
//
// Starts and deltas are chunks as they come. All blocks end together in front of the finish, since until
// then an event may go back to a block that has ended, which chunks cannot. The end of a block has what the
// message has: a tool call by the host's name and in the host's shape, while its deltas are the provider's.
//
// A failure has the code that package replay reads from its text; that of an answer that was cut is
// TRANSPORT, and that of a tool that was not offered UNADVERTISED_TOOL. Status, request id and the time to
// wait are those of the error part, if it is an APICallError of the AI SDK as JSON.
//
// A tool call that must not run as it is has the arguments as the model gave them: input that is no JSON,
// and input that was cut. Text that was cut where it reads as JSON for all that, or before its first
// character, is written so that it does not. Deltas do not name the tool, so that a stream of chunks that
// was cut itself has no call to run either.
type Chunker struct {
	// Requested is the route that was asked. If the message names another one, the finish says so.
	Requested message.Route
	// ContextWindow is how many tokens the model takes, 0 if that is not known.
	ContextWindow int64
	// Image, if set, keeps the bytes of an image (base64) elsewhere and returns the text that stands for it in
	// the durable message, where images are not. Without it the text says what was left out.
	Image func(mediaType, data string) string

	writer replay.Writer
	open   map[int]*received // by the block's place
	out    []message.Chunk
}

// received is the input of a tool call as far as it has come.
type received struct {
	id   string
	text []byte
}

func begun(e *Event) *received {
	r := &received{}
	if e.Message != nil && e.ContentIndex < len(e.Message.Content) {
		r.id = e.Message.Content[e.ContentIndex].ID
	}
	return r
}

// Event takes one event and returns the chunks that it stands for: none, one, or at the end all that is
// left. The slice is valid until the next call; the chunks in it may be kept. The error is that of an
// event that does not fit what came before it.
func (c *Chunker) Event(e *Event) ([]message.Chunk, error) {
	c.out = c.out[:0]
	index := float64(e.ContentIndex)
	switch e.Type {
	case EventStart:
		if m := e.Message; m != nil && (m.API == "" || m.Provider == "" || m.Model == "") {
			return nil, errors.New("stream: a durable message needs the names of its api, provider and model: set all of Config.Model")
		}
	case EventTextStart:
		return c.start(e, message.Text, "text_start")
	case EventThinkingStart:
		return c.start(e, message.Reasoning, "thinking_start")
	case EventToolCallStart:
		if c.open == nil {
			c.open = map[int]*received{}
		}
		c.open[e.ContentIndex] = begun(e)
		return c.start(e, message.ToolCall, "toolcall_start")
	case EventTextDelta:
		c.out = append(c.out, message.Chunk{Type: message.TextDelta, Index: index, Text: e.Delta})
	case EventThinkingDelta:
		c.out = append(c.out, message.Chunk{Type: message.ReasoningDelta, Index: index, Text: e.Delta})
	case EventToolCallDelta:
		chunk := message.Chunk{Type: message.ToolCallDelta, Index: index, ArgumentsDelta: e.Delta}
		if r := c.open[e.ContentIndex]; r != nil {
			r.text = append(r.text, e.Delta...)
			chunk.ID = r.id
		}
		c.out = append(c.out, chunk)
	case EventToolCallEnd:
		if e.Block != nil && !e.Block.Incomplete {
			delete(c.open, e.ContentIndex)
		}
	case EventImageEnd:
		return c.start(e, message.Text, "text_start")
	case EventDone, EventError:
		if e.Message == nil {
			return nil, errors.New("stream: a terminal event has no message")
		}
		return c.end(e)
	}
	return c.out, nil
}

// start opens a block; the writer has to know the order in which blocks are seen.
func (c *Chunker) start(e *Event, kind, native string) ([]message.Chunk, error) {
	c.out = append(c.out, message.Chunk{Type: message.BlockStart, Index: float64(e.ContentIndex), BlockType: kind})
	event := append([]byte(`{"type":"`), native...)
	event = strconv.AppendInt(append(event, `","contentIndex":`...), int64(e.ContentIndex), 10)
	if _, err := c.writer.Event(append(event, '}')); err != nil {
		return nil, err
	}
	return c.out, nil
}

// end closes all blocks, and gives the usage and the finish.
func (c *Chunker) end(e *Event) ([]message.Chunk, error) {
	c.writer.Requested, c.writer.ContextWindow = c.Requested, c.ContextWindow
	durable := *e.Message
	durable.Content = make([]*Block, len(e.Message.Content))
	for i, b := range e.Message.Content {
		if b.Type == BlockImage {
			b = &Block{Type: BlockText, text: []byte(c.image(b))}
		}
		durable.Content[i] = b
		block := c.block(i, b)
		c.out = append(c.out, message.Chunk{Type: message.BlockEnd, Index: float64(i), Block: &block})
	}
	event := append([]byte(`{"type":"`), e.Type...)
	event = append(append(event, `","reason":"`...), e.Reason...)
	if e.Type == EventDone {
		event = append(event, `","message":`...)
	} else {
		event = append(event, `","error":`...)
	}
	last, err := c.writer.Event(append(durable.AppendJSON(event), '}'))
	if err != nil {
		return nil, err
	}
	for i := range last {
		if u := last[i].Usage; u != nil && e.Message.Usage.Reasoning != nil {
			u.Reasoning = *e.Message.Usage.Reasoning
		}
		if r := last[i].Reason; r != nil && r.Failure != nil {
			addFacts(r.Failure, e.Message)
		}
	}
	return append(c.out, last...), nil
}

// block is the durable form of a block.
func (c *Chunker) block(at int, b *Block) message.Block {
	switch b.Type {
	case BlockThinking:
		return message.Block{Type: message.Reasoning, Text: b.Text()}
	case BlockToolCall:
		call := message.Block{Type: message.ToolCall, ID: b.ID, Name: b.Name, Arguments: string(b.Arguments)}
		if b.Incomplete {
			text := b.Input
			if r := c.open[at]; r != nil && text == "" {
				text = string(r.text)
			}
			call.Arguments = unfinished(text)
		}
		return call
	}
	return message.Block{Type: message.Text, Text: b.Text()}
}

func (c *Chunker) image(b *Block) string {
	if c.Image != nil {
		return c.Image(b.MediaType, b.Data)
	}
	return "[image left out: " + b.MediaType + "]"
}

// unfinished makes sure that the text of arguments that did not come to their end is no JSON, and not
// blank, which would count as no arguments at all.
func unfinished(text string) string {
	if ecma.IsBlank(text) || jsonspan.Valid([]byte(text)) {
		return text + "{"
	}
	return text
}

// Chunks turns events into chunks as they are asked for, for package turn or an assembler. An error is
// the last thing that it gives.
func (c *Chunker) Chunks(events iter.Seq[Event]) iter.Seq2[message.Chunk, error] {
	return func(yield func(message.Chunk, error) bool) {
		for e := range events {
			chunks, err := c.Event(&e)
			if err != nil {
				yield(message.Chunk{}, err)
				return
			}
			for i := range chunks {
				if !yield(chunks[i], nil) {
					return
				}
			}
		}
	}
}
