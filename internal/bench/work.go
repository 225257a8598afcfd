package main

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	messages "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// The work of the comparison: a prompt of 1 KB goes in, the same text comes out.
const promptBytes = 1 << 10

var (
	//go:embed guests/echo.wasm
	echoModule []byte
	//go:embed guests/large.wasm
	largeModule []byte
	//go:embed guests/extism.wasm
	extismModule []byte
)

// A prompt is different each time, so that nobody answers from memory.
type prompt struct {
	text []byte
	n    int
}

func newPrompt() *prompt {
	return &prompt{text: []byte(strings.Repeat("Which quay does the 07:40 leave from? ", 27)[:promptBytes])}
}

// next changes the prompt.
func (p *prompt) next() []byte {
	p.n++
	for i, n := 0, p.n; i < 6; i, n = i+1, n/26 {
		p.text[i] = 'a' + byte(n%26)
	}
	return p.text
}

// A request is a prompt in the CBOR of developer-messages/v1, changed in place.
type request struct {
	prompt prompt
	cbor   []byte
}

func newRequest() (*request, error) {
	p := newPrompt()
	text := string(p.text)
	cbor, err := abi.Encode(messages.RenderRequest{ID: "echo", Prompt: &text})
	if err != nil {
		return nil, err
	}
	at := strings.Index(string(cbor), text)
	return &request{prompt{text: cbor[at : at+len(text)]}, cbor}, nil
}

func (r *request) next() []byte {
	r.prompt.next()
	return r.cbor
}

// manifest declares contributions that need the prompt.
func manifest(ids ...string) *abi.Manifest {
	m := &abi.Manifest{Transport: abi.Transport, ID: "bench", Version: "1.0.0"}
	for _, id := range ids {
		m.Contributions = append(m.Contributions, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: id,
			Needs: []abi.ContextField{abi.FieldPrompt}})
	}
	return m
}

// load returns a guest on a runtime of its own.
func (b *bench) load(name string, file []byte, opts runtime.Options) (*runtime.Guest, error) {
	r := runtime.New(wazero.New(wazero.Config{}), opts)
	b.defers(func() error { return r.Close(b.ctx) })
	return r.Load(b.ctx, name, file, runtime.GuestOptions{})
}

// goGuest builds the guest in Go.
func (b *bench) goGuest() ([]byte, error) {
	out := b.path("goecho.wasm")
	if _, _, err := guestbuild.Build(b.ctx, guestbuild.Options{Dir: "guests/goecho", Out: out, Stderr: os.Stderr}); err != nil {
		return nil, fmt.Errorf("go guest: %w", err)
	}
	return os.ReadFile(out)
}

// calling returns the operation of a guest, which reuses the memory for answers. The answer is looked at.
// Without a session nothing is remembered.
func calling(ctx context.Context, g *runtime.Guest, session string) (func() error, error) {
	r, err := newRequest()
	if err != nil {
		return nil, err
	}
	var value []byte
	return func() error {
		if session == "" {
			r.prompt.next()
		}
		var err error
		value, err = g.AppendCall(ctx, value[:0], runtime.Call{Op: abi.RenderV1, Offer: "echo", Session: session, Request: r.cbor})
		if err != nil {
			return err
		}
		return same(value[len(value)-promptBytes:], r.prompt.text)
	}, nil
}

func same(got, want []byte) error {
	if string(got) != string(want) {
		return fmt.Errorf("wrong answer: %.40q, expected %.40q", got, want)
	}
	return nil
}
