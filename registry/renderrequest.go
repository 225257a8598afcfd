package registry

import (
	"fmt"
	"slices"
	"sync"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/cborout"
	"github.com/pintle-wasm/pintle/runtime"
)

// The requests of one turn differ in the contribution's id alone as long as the needs are the same. So
// what follows the id is encoded once for each set of needs and shared, and so is its hash, under which
// answers are remembered. In CBOR the id comes first: it is the shortest key.

// needs is a set of context fields.
type needs uint8

const (
	needsProvider needs = 1 << iota
	needsActiveTools
	needsSessionID
	needsPrompt
	needsOptions
)

func needsOf(c *abi.Contribution) needs {
	var n needs
	for field, bit := range map[abi.ContextField]needs{
		abi.FieldProvider: needsProvider, abi.FieldActiveTools: needsActiveTools, abi.FieldSessionID: needsSessionID,
		abi.FieldPrompt: needsPrompt, abi.FieldSystemPromptOptions: needsOptions,
	} {
		if slices.Contains(c.Needs, field) {
			n |= bit
		}
	}
	return n
}

// maxRequestKeys is the number of keys of a request that has them all: the id, the features and the
// context fields.
const maxRequestKeys = 7

// requestHeads returns how requests for a contribution begin: at index n the map of n keys and the id.
func requestHeads(id string) (heads [maxRequestKeys + 1][]byte) {
	for n := range heads {
		heads[n] = cborout.AppendText(cborout.AppendText(cborout.AppendMap(nil, n), "id"), id)
	}
	return heads
}

// A requestCache has what the requests of a turn share. It belongs to one RenderContext: in a copy of
// one, whose fields may be others, it starts anew.
type requestCache struct {
	mu    sync.Mutex
	of    *RenderContext
	tails []requestTail

	options    []byte // encoded, empty if the host has none
	optionsErr error
	encoded    bool
}

// A requestTail is what follows the id.
type requestTail struct {
	needs    needs
	features uint64
	keys     int // of the whole request
	rest     *runtime.Shared
	err      error
}

// tail returns what follows the id in the requests of contributions with these needs.
func (rc *RenderContext) tail(n needs, features uint64) (keys int, rest *runtime.Shared, err error) {
	c := &rc.requests
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of != rc {
		c.of, c.tails, c.encoded = rc, nil, false
	}
	for i := range c.tails {
		if t := &c.tails[i]; t.needs == n && t.features == features {
			return t.keys, t.rest, t.err
		}
	}
	t := requestTail{needs: n, features: features}
	t.encode(rc)
	c.tails = append(c.tails, t)
	return t.keys, t.rest, t.err
}

// encode writes what the needs ask for and nothing else.
func (t *requestTail) encode(rc *RenderContext) {
	var options []byte
	if t.needs&needsOptions != 0 {
		if options, t.err = rc.requests.encodedOptions(rc); t.err != nil {
			t.err = fmt.Errorf("system prompt options: %w", t.err)
			return
		}
	}
	// The request of a contribution without an id, so that it can be checked as a whole.
	head := requestHeads("")
	b := append(make([]byte, 0, len(options)+256), head[0]...)
	keys := 1
	key := func(name string) []byte {
		keys++
		return cborout.AppendText(b, name)
	}
	if t.needs&needsPrompt != 0 && rc.Prompt != nil {
		b = cborout.AppendText(key("prompt"), *rc.Prompt)
	}
	b = cborout.AppendUint(key("features"), t.features)
	if t.needs&needsProvider != 0 && rc.Provider != "" {
		b = cborout.AppendText(key("provider"), rc.Provider)
	}
	if t.needs&needsSessionID != 0 {
		b = cborout.AppendText(key("sessionId"), rc.SessionID)
	}
	if t.needs&needsActiveTools != 0 {
		b = cborout.AppendTexts(key("activeTools"), rc.ActiveTools)
	}
	if len(options) > 0 {
		b = append(key("systemPromptOptions"), options...)
	}
	copy(b, head[keys])
	if err := abi.Check(b); err != nil { // lists may be too long, and the host's own keys too deep
		t.err = fmt.Errorf("encode message: %w", err)
		return
	}
	t.keys, t.rest = keys, runtime.Share(b[len(head[0]):])
}

// encodedOptions is called with the lock held.
func (c *requestCache) encodedOptions(rc *RenderContext) ([]byte, error) {
	if !c.encoded {
		c.options, c.optionsErr = encodeOptions(&rc.Options)
		c.encoded = true
	}
	return c.options, c.optionsErr
}

// encodeOptions writes the options with the host's own key names; nothing if there are none.
func encodeOptions(o *PromptOptions) ([]byte, error) {
	w := objectEncoder{values: make([]byte, 0, roughSize(o))}
	w.textIfAny("cwd", o.CWD)
	w.textIfAny("customPrompt", o.CustomPrompt)
	w.textIfAny("appendSystemPrompt", o.AppendSystemPrompt)
	encodeObjects(&w, "contextFiles", o.ContextFiles, func(f *ContextFile, w *objectEncoder) {
		w.text("path", f.Path)
		w.text("content", f.Content)
	})
	encodeObjects(&w, "skills", o.Skills, func(s *Skill, w *objectEncoder) {
		w.textIfAny("name", s.Name)
		w.textIfAny("description", s.Description)
		w.textIfAny("filePath", s.FilePath)
		w.yesIf("disableModelInvocation", s.DisableModelInvocation)
		w.extra(s.Extra)
	})
	w.texts("selectedTools", o.SelectedTools)
	w.textMap("toolSnippets", o.ToolSnippets)
	w.texts("promptGuidelines", o.PromptGuidelines)
	w.extra(o.Extra)
	if len(w.members) == 0 {
		return nil, w.err
	}
	return w.appendTo(make([]byte, 0, len(w.values)+256)), w.err
}

// roughSize spares the largest texts being moved again and again.
func roughSize(o *PromptOptions) int {
	n := 1<<10 + len(o.CustomPrompt) + len(o.AppendSystemPrompt)
	for i := range o.ContextFiles {
		n += len(o.ContextFiles[i].Content) + 256
	}
	for i := range o.Skills {
		n += len(o.Skills[i].Description) + 256
	}
	return n
}
