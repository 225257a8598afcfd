package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// A translation is what became of the parts of an answer on their way to a host's events, as data. It is
// told of every part and every event, in the order in which they come.
type translation struct {
	Host  string `json:"host"`
	Parts int    `json:"parts"`
	// Calls are those that the host is to run, in the order of their blocks.
	Calls []translatedCall `json:"calls"`
	// Files are those that the model has made.
	Files []generatedFile `json:"files"`
	// Executed are the calls that the provider has run itself.
	Executed []executedCall `json:"providerExecuted"`
	// Silent counts the parts that no event tells of, by kind, and the members of others, by name.
	Silent []ignoredCount `json:"withoutEffect"`

	reference  bool                     // in which files are dropped
	first      firstLine                // of the parts
	emptyThrow bool                     // an exception ended the parts, and nothing is known of it
	finish     *message.Finish          // of the chunks, nil if the answer was not written as chunks
	inputs     map[string]providerInput // by id
	blocks     map[int]int              // places in Calls by content index
	silent     map[ignoredPart]int      // places in Silent
}

// A translatedCall is a call of a tool as the model made it and as the host gets it.
type translatedCall struct {
	ID string `json:"id"`
	// Tool is the model's name of the tool, HostTool the host's.
	Tool     string `json:"tool,omitempty"`
	HostTool string `json:"hostTool"`
	// Added says that the model has made no such call: on the host, delegated work ends with one.
	Added bool `json:"added,omitempty"`
	// Reshaped says that the host gets other arguments than the model gave.
	Reshaped bool `json:"reshaped"`
	// Received is what the model gave, if that is no JSON object.
	Received string `json:"received,omitempty"`
	// Incomplete says that the call never came, only the beginning of its input.
	Incomplete bool `json:"incomplete,omitempty"`
}

type providerInput struct {
	tool, input string
	called      bool
	usable      bool // a JSON object
}

// A generatedFile is a file that a model has made, and where it is.
type generatedFile struct {
	MediaType string `json:"mediaType"`
	Bytes     int    `json:"bytes,omitempty"`
	// Path, URL and InMessage say where it is.
	Path      string `json:"path,omitempty"`
	URL       string `json:"url,omitempty"`
	InMessage bool   `json:"inMessage,omitempty"`
	// Error is why it was not kept.
	Error string `json:"error,omitempty"`
}

type executedCall struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	HasResult bool   `json:"hasResult"`
	Failed    bool   `json:"failed,omitempty"`
}

// An ignoredPart is a kind of parts, or a member of such parts.
type ignoredPart struct{ kind, member string }

type ignoredCount struct {
	Kind string `json:"kind"`
	// Member is set if the parts have an effect, and only this member of them has none.
	Member string `json:"member,omitempty"`
	Count  int    `json:"count"`
	// Unknown says that the protocol does not have it.
	Unknown bool `json:"unknown,omitempty"`
}

func newTranslation(host string) *translation {
	return &translation{Host: host, Calls: []translatedCall{}, Files: []generatedFile{}, Executed: []executedCall{},
		Silent: []ignoredCount{}, inputs: map[string]providerInput{}, blocks: map[int]int{}, silent: map[ignoredPart]int{}}
}

// watch tells t of the parts, and notes what ends them if that is not the stream itself: also that they are
// chunks, most of which would pass for parts without effect.
func (t *translation) watch(parts iter.Seq2[*stream.Part, error], bad *error) iter.Seq2[*stream.Part, error] {
	return func(yield func(*stream.Part, error) bool) {
		for p, err := range parts {
			if err == nil && t.Parts == 0 && lineKind(t.first.text) == chunkLine {
				err = fmt.Errorf("line %d: %w", t.first.number+1, errChunk)
			}
			switch thrown := (*stream.Thrown)(nil); {
			case err == nil:
				t.part(p)
			case errors.As(err, &thrown):
				t.emptyThrow = thrown.Message == ""
			default:
				*bad = err
			}
			if !yield(p, err) {
				return
			}
		}
	}
}

func (t *translation) part(p *stream.Part) {
	t.Parts++
	switch p.Type {
	case stream.PartToolInputStart:
		t.inputs[p.ID] = providerInput{tool: p.ToolName}
	case stream.PartToolCall:
		_, usable := ordered.ParseObject([]byte(p.Input))
		t.inputs[p.ID] = providerInput{p.ToolName, p.Input, true, usable}
	case stream.PartFile:
		if url := fileURL(p); url != "" && !t.reference {
			t.Files = append(t.Files, generatedFile{MediaType: p.MediaType, URL: url})
		}
	}
}

// ignored takes in what no event tells of.
func (t *translation) ignored(i stream.Ignored) {
	what := ignoredPart{i.Part, i.Member}
	at, ok := t.silent[what]
	if !ok {
		at = len(t.Silent)
		t.silent[what] = at
		t.Silent = append(t.Silent, ignoredCount{Kind: i.Part, Member: i.Member, Unknown: i.Unknown})
	}
	t.Silent[at].Count++
}

func fileURL(p *stream.Part) string {
	tagged, _ := ordered.ParseObject(p.Data)
	if kind, _ := tagged.Text("type"); kind != "url" {
		return ""
	}
	url, _ := tagged.Text("url")
	return url
}

// keepIn returns what keeps files in a folder, or nowhere without one.
func (t *translation) keepIn(folder string) func(mediaType string, data []byte) (string, error) {
	keep := func(string, []byte) (string, error) { return "", errors.New("there is no place for it") }
	if folder != "" {
		keep = stream.FilesIn(folder)
	}
	return func(mediaType string, data []byte) (string, error) {
		path, err := keep(mediaType, data)
		f := generatedFile{MediaType: mediaType, Bytes: len(data), Path: path}
		if err != nil {
			f.Error = err.Error()
		}
		t.Files = append(t.Files, f)
		return path, err
	}
}

// event takes an event in. The last one, which has the whole message, completes the rest.
func (t *translation) event(e *stream.Event) {
	switch e.Type {
	case stream.EventToolCallEnd:
		t.call(e.ContentIndex, e.Block)
	case stream.EventImageEnd:
		t.Files = append(t.Files, generatedFile{MediaType: e.Block.MediaType, Bytes: base64Bytes(e.Block.Data), InMessage: true})
	case stream.EventDone, stream.EventError:
		t.end(e.Message)
	}
}

// base64Bytes is how many bytes a text in base64 stands for.
func base64Bytes(text string) int {
	return base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(text, "=")))
}

func (t *translation) call(at int, b *stream.Block) {
	c := translatedCall{ID: b.ID, HostTool: b.Name}
	in, ok := t.inputs[b.ID]
	one := ok // of several calls that one has become, none is as it was
	if head, fanned := profile.FanOutHead(b.ID); !ok && fanned {
		in, ok = t.inputs[head]
	}
	if c.Added = !ok || !in.called; !c.Added {
		c.Tool = in.tool
		switch {
		case in.usable:
			c.Reshaped = !one || !jsonspan.Equal([]byte(in.input), b.Arguments)
		case !ecma.IsBlank(in.input):
			c.Received = in.input
		}
	}
	if place, again := t.blocks[at]; again {
		t.Calls[place] = c // a second call with the same id takes the block
		return
	}
	t.blocks[at] = len(t.Calls)
	t.Calls = append(t.Calls, c)
}

func (t *translation) end(m *stream.Message) {
	for i, b := range m.Content {
		if _, ended := t.blocks[i]; b.Type == stream.BlockToolCall && !ended {
			t.Calls = append(t.Calls, translatedCall{ID: b.ID, Tool: t.inputs[b.ID].tool, HostTool: b.Name, Incomplete: true})
		}
	}
	for i := range m.ProviderExecuted {
		c := &m.ProviderExecuted[i]
		t.Executed = append(t.Executed, executedCall{c.ToolCallID, c.ToolName, c.Result != nil, c.IsError != nil && *c.IsError})
	}
}
