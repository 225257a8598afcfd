package sidecar

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/registry"
)

// renderParams ask the client to call some of its callbacks, one after the other.
type renderParams struct {
	Call jsonrpc.ID `json:"call"` // the client's request that is being served
	// Handles are those of contributions of that request, in the order in which to call them.
	Handles []int64 `json:"handles"`
	// StopOnError: nothing is called behind a callback that failed.
	StopOnError bool `json:"stopOnError"`
}

// renderResult has an answer for each handle, or with stopOnError up to the first error.
type renderResult struct {
	Results []rendered `json:"results"`
}

type rendered struct {
	Text  *wideText    `json:"text"` // nil: nothing in this turn
	Error *renderError `json:"error"`
}

type renderError struct {
	Message wideText `json:"message"` // the callback's own words
	Kind    string   `json:"kind"`    // "not-text", or absent
}

const kindNotText = "not-text"

// asking renders the contributions of one call of the client.
type asking struct {
	call    *call
	handles map[*registry.Contribution]int64 // of callbacks
}

// render asks for all callbacks of a list by one request. Texts that do not change need none.
func (a *asking) render(
	ctx context.Context, rc *registry.RenderContext, list []*registry.Contribution, stop bool,
) []registry.Rendered {
	answers := make([]registry.Rendered, len(list))
	var places []int // of the callbacks
	var handles []int64
	for i, c := range list {
		if handle, ok := a.handles[c]; ok {
			places, handles = append(places, i), append(handles, handle)
			continue
		}
		answers[i].Text, answers[i].Err = c.Render(ctx, rc)
	}
	if len(handles) == 0 {
		return answers
	}
	results, err := a.ask(ctx, renderParams{a.call.id, handles, stop})
	for k, i := range places {
		switch {
		case err != nil:
			answers[i].Err = err
		case k >= len(results):
			answers[i].Err = errUnanswered
		default:
			answers[i] = results[k].value()
		}
		if stop && answers[i].Err != nil {
			return answers[:i+1]
		}
	}
	return answers
}

var (
	errUnanswered = errors.New("the client's answer to render has no result for it")
	errSilent     = errors.New("the client did not answer in time")
)

func (a *asking) ask(ctx context.Context, params renderParams) ([]rendered, error) {
	p := a.call.server.process
	if !p.renders {
		return nil, errNoRender
	}
	limited, cancel := context.WithTimeoutCause(ctx, p.patience, errSilent)
	defer cancel()
	var result renderResult
	if err := a.call.conn.Call(limited, "render", params, &result); err != nil {
		if ctx.Err() == nil && errors.Is(err, errSilent) {
			return nil, fmt.Errorf("%w: %v", errSilent, p.patience)
		}
		if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
			return nil, fmt.Errorf("the client's answer to render: %s: want %s, got %s", cmp.Or(wrong.Field, "result"),
				kindOf(wrong.Type), start(wrong.Value))
		}
		return nil, err
	}
	return result.Results, nil
}

func (r *rendered) value() registry.Rendered {
	switch {
	case r.Error != nil && r.Error.Kind == kindNotText:
		return registry.Rendered{Err: notText(r.Error.Message)}
	case r.Error != nil:
		return registry.Rendered{Err: errors.New(string(r.Error.Message))}
	case r.Text == nil:
		return registry.Rendered{}
	}
	return registry.Rendered{Text: string(*r.Text)}
}

// notText is the client's word about an answer that is no text.
type notText string

func (e notText) Error() string { return string(e) }

func (e notText) Unwrap() error { return registry.ErrNotText }
