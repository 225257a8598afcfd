package languages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// A renderCase is a case of the conformance kit's registry-render. Its contributions are literal texts and
// described callbacks.
type renderCase struct {
	Name  string
	Input struct {
		Contributions []described
		Context       struct {
			Provider            string
			ActiveTools         []string
			SessionID           string
			Prompt              *string
			SystemPromptOptions *registry.PromptOptions
		}
	}
	Expect struct{ Messages []registry.Message }
}

type described struct {
	ID          string
	Priority    float64
	Providers   []string
	ActiveTools []string
	Content     json.RawMessage
}

// template returns the text of a template callback; false for other contents.
func (d described) template() (text string, ok bool) {
	var callback struct{ Fn, Text string }
	err := json.Unmarshal(d.Content, &callback)
	return callback.Text, err == nil && callback.Fn == "template"
}

// Templates renders the cases of the kit's registry-render that use the template callback, with the guest's
// contribution template in the callback's place. The error says which cases failed.
func Templates(ctx context.Context, r *runtime.Runtime, file []byte, kit string) (seen []Observation, err error) {
	raw, err := os.ReadFile(filepath.Join(kit, "developer-messages", "registry-render.json"))
	if err != nil {
		return nil, err
	}
	var cases []renderCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		return nil, err
	}
	stays, err := pin(ctx, r, file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stays.Close(ctx)) }()
	var failed []error
	for i := range cases {
		c := &cases[i]
		if !slices.ContainsFunc(c.Input.Contributions, func(d described) bool { _, ok := d.template(); return ok }) {
			continue
		}
		got, err := c.render(ctx, r, file)
		if err == nil && !slices.Equal(got, c.Expect.Messages) {
			err = fmt.Errorf("want %+v, got %+v", c.Expect.Messages, got)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("registry-render %s: %w", c.Name, err))
		}
		seen = append(seen, Observation{"registry-render " + c.Name, fmt.Sprint(got, err)})
	}
	return seen, errors.Join(failed...)
}

func (c *renderCase) render(ctx context.Context, r *runtime.Runtime, file []byte) (got []registry.Message, err error) {
	reg := &registry.Registry{}
	for _, d := range c.Input.Contributions {
		text, ok := d.template()
		if !ok {
			return nil, errors.New("it has contributions that are no templates too")
		}
		g, err := r.Load(ctx, Example, file, runtime.GuestOptions{Config: map[string]string{"template": text}})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, g.Close(ctx)) }()
		own, ok := registry.ContributionOf(g, "template")
		if !ok {
			return nil, errors.New("there is no contribution template")
		}
		own.ID, own.Priority, own.Providers, own.ActiveTools = d.ID, d.Priority, d.Providers, d.ActiveTools
		if _, err := reg.Register(own); err != nil {
			return nil, err
		}
	}
	in := &c.Input.Context
	rc := &registry.RenderContext{Provider: in.Provider, ActiveTools: in.ActiveTools, SessionID: cmp.Or(in.SessionID, "s1"),
		Prompt: in.Prompt, Options: registry.PromptOptions{CWD: "/work/app"}}
	if in.SystemPromptOptions != nil {
		rc.Options = *in.SystemPromptOptions
	}
	service := envelope.Service{Registry: reg, Policy: registry.Fail, Sequential: true}
	got, _, err = service.Render(ctx, rc)
	return got, err
}
