package guesttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// An Answer is what a guest answered to a case.
type Answer struct {
	Kind    Kind
	Text    string // of a contribution, as a turn has it: without white space around it
	Payload []byte // of an adapter, also if it is unchanged
	Err     error  // of kind Failure
	// Why says why there is nothing, or why the payload, or a part of it, is unchanged, if the host knows.
	Why      string
	Duration time.Duration
	Fuel     uint64
}

// Trace has the guest's functions in which it failed, innermost first.
func (a *Answer) Trace() []string {
	if e := (*runtime.Error)(nil); errors.As(a.Err, &e) {
		return e.Trace
	}
	return nil
}

// A Runner asks a guest. It is not safe for concurrent use.
type Runner struct {
	// Load loads the guest with a configuration. The runner closes what it returns.
	Load func(ctx context.Context, config map[string]string) (*runtime.Guest, error)

	guest  *runtime.Guest
	config map[string]string
}

// Close closes the guest that was loaded last. Closing twice is harmless.
func (r *Runner) Close(ctx context.Context) error {
	if r.guest == nil {
		return nil
	}
	err := r.guest.Close(ctx)
	if err == nil {
		r.guest = nil
	}
	return err
}

// Ask puts a case to the guest. That the guest fails, or cannot be loaded, is an answer too. No case sees
// anything of another one: what a guest keeps ends with the case, and a guest that failed is loaded anew, so
// that the next one is not held against it.
func (r *Runner) Ask(ctx context.Context, c *Case) Answer {
	a, err := r.ask(ctx, c)
	if err != nil {
		a.Kind, a.Err = Failure, errors.Join(err, r.Close(ctx))
	}
	return a
}

func (r *Runner) ask(ctx context.Context, c *Case) (a Answer, err error) {
	if r.guest == nil || !maps.Equal(r.config, c.Config) {
		if err := r.Close(ctx); err != nil {
			return a, err
		}
		if r.guest, err = r.Load(ctx, c.Config); err != nil {
			r.guest = nil
			return a, err
		}
		r.config = c.Config
	}
	defer r.guest.EndSession(ctx, c.session())
	used := &runtime.Usage{}
	ctx = runtime.WithUsage(ctx, used)
	start := time.Now()
	if c.Adapter != "" {
		a, err = adapt(ctx, r.guest, c)
	} else {
		a, err = render(ctx, r.guest, c)
	}
	a.Duration, a.Fuel = time.Since(start), max(a.Fuel, used.Fuel)
	return a, err
}

// adapterSession is the session of cases of adapters, which do not see one.
const adapterSession = "case"

func (c *Case) session() string {
	if c.Adapter != "" {
		return adapterSession
	}
	return c.Context.SessionID
}

// Of returns the context as registries have it.
func (c *Context) Of() *registry.RenderContext {
	return &registry.RenderContext{Provider: c.Provider, ActiveTools: c.ActiveTools, SessionID: c.SessionID,
		Prompt: c.Prompt, Options: c.Options}
}

func render(ctx context.Context, g *runtime.Guest, c *Case) (Answer, error) {
	ask, why, err := c.rendering(g)
	if err != nil {
		return Answer{}, err
	}
	if why != "" {
		return Answer{Kind: Nothing, Why: why}, nil
	}
	text, err := ask(ctx)
	if err != nil {
		return Answer{}, err
	}
	if text = ecma.Trim(text); text == "" {
		return Answer{Kind: Nothing}, nil
	}
	return Answer{Kind: Text, Text: text}, nil
}

func adapt(ctx context.Context, g *runtime.Guest, c *Case) (Answer, error) {
	ask, why, err := c.adapting(g)
	if err != nil {
		return Answer{}, err
	}
	result, err := ask(ctx)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Kind: Payload, Payload: result.Body.Bytes(), Why: why(&result), Fuel: fuelOf(&result)}
	if Compact(answer.Payload) == Compact(c.Request.Payload) {
		answer.Kind = Unchanged
	}
	return answer, nil
}

// of completes a request by what the adapter stands for.
func (r *Request) of(offer *abi.Adapter) registry.PayloadRequest {
	req := registry.PayloadRequest{SessionID: adapterSession, Provider: r.Provider, API: r.API, Payload: r.Payload}
	if req.Provider == "" {
		req.Provider = append(slices.Clone(offer.Providers), "any")[0]
	}
	if req.API == "" && len(offer.APIs) > 0 {
		req.API = offer.APIs[0]
	}
	return req
}

// noBase is a prompt that no payload has.
const noBase = "\x00no base"

// state is what a turn would have captured.
func (r *Request) state(req registry.PayloadRequest) envelope.State {
	base, prompt := noBase, ""
	if r.Base != nil {
		base, prompt = *r.Base, *r.Base
	}
	if r.SystemPrompt != nil {
		prompt = *r.SystemPrompt
	}
	return envelope.State{Base: &base, Prompt: &prompt, Provider: req.Provider, API: req.API, Messages: r.Messages}
}

// noOffer says what there is instead.
func noOffer(what, id string, m *abi.Manifest) error {
	var ids []string
	for _, c := range m.Contributions {
		if what == "contribution" {
			ids = append(ids, c.ID)
		}
	}
	for _, a := range m.Adapters {
		if what == "adapter" {
			ids = append(ids, a.ID)
		}
	}
	if len(ids) == 0 {
		return fmt.Errorf("%s@%s has no %ss", m.ID, m.Version, what)
	}
	return fmt.Errorf("%s@%s has no %s %q; it has %s", m.ID, m.Version, what, id, strings.Join(ids, ", "))
}

// Compact is a JSON text without white space, and of what is no JSON the text itself.
func Compact(text []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, text) != nil {
		return string(text)
	}
	return b.String()
}
