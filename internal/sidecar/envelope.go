package sidecar

import (
	"context"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/registry"
)

var envelopeMethods = map[string]method{
	"envelope/capture": handle(envelopeCapture).inOrderOf("request", "sessionId"),
	"envelope/current": handle(envelopeCurrent).inOrderOf("sessionId"),
	"envelope/clear":   handle(envelopeClear).inOrderOf("sessionId"),
	"envelope/render":  handle(envelopeRender).inOrderOf("context", "sessionId"),
}

type envelopeCaptureParams struct {
	Request       hostRequest    `json:"request"`
	Contributions []contribution `json:"contributions"`
	Branch        []branchEntry  `json:"branch"` // as in turn/start
}

type envelopeCaptureResult struct {
	Envelope *envelope.Envelope `json:"envelope"`
	State    *envelope.State    `json:"state"`
	Audit    []auditEntry       `json:"audit"`
	Report   buildReport        `json:"report"`
}

func envelopeCapture(ctx context.Context, c *call, p *envelopeCaptureParams) (*envelopeCaptureResult, error) {
	if err := sessionID(p.Request.SessionID).check("request.sessionId"); err != nil {
		return nil, err
	}
	service := c.server.process.host.Envelope
	p.Request.Contributions = contributionsOf(c, p.Contributions)
	log := branchOf(p.Branch)
	env, err := service.CaptureIn(ctx, p.Request.Request, log.asLog())
	if err != nil {
		return nil, buildFailed(ctx, err, p.Request.misfits)
	}
	report := buildReport{env.Report, p.Request.misfits}
	return &envelopeCaptureResult{env, stateOf(service, p.Request.SessionID), log.appended, report}, nil
}

type envelopeCurrentParams struct {
	SessionID     sessionID          `json:"sessionId"`
	Overrides     envelope.Overrides `json:"overrides"`
	Contributions []contribution     `json:"contributions"`
}

type envelopeCurrentResult struct {
	Envelope *envelope.Envelope `json:"envelope"` // nil: no request is stored
}

func envelopeCurrent(ctx context.Context, c *call, p *envelopeCurrentParams) (envelopeCurrentResult, error) {
	if err := p.SessionID.check("sessionId"); err != nil {
		return envelopeCurrentResult{}, err
	}
	p.Overrides.Contributions = contributionsOf(c, p.Contributions)
	env, err := c.server.process.host.Envelope.Current(ctx, string(p.SessionID), p.Overrides)
	if err != nil {
		return envelopeCurrentResult{}, buildFailed(ctx, err, nil)
	}
	return envelopeCurrentResult{env}, nil
}

type envelopeClearParams struct {
	SessionID sessionID `json:"sessionId"`
}

type envelopeClearResult struct{}

func envelopeClear(_ context.Context, c *call, p *envelopeClearParams) (envelopeClearResult, error) {
	err := p.SessionID.check("sessionId")
	if err == nil {
		c.server.process.host.Envelope.Clear(string(p.SessionID))
	}
	return envelopeClearResult{}, err
}

// envelopeRenderParams ask for the developer messages alone, in a context that has what a request has.
type envelopeRenderParams struct {
	Context       hostRequest    `json:"context"`
	Contributions []contribution `json:"contributions"`
}

type envelopeRenderResult struct {
	Messages []registry.Message `json:"messages"`
	Report   buildReport        `json:"report"`
}

func envelopeRender(ctx context.Context, c *call, p *envelopeRenderParams) (envelopeRenderResult, error) {
	rc := &registry.RenderContext{Provider: p.Context.Provider, API: p.Context.API, ActiveTools: p.Context.ActiveTools,
		SessionID: p.Context.SessionID, Prompt: p.Context.Prompt, Options: p.Context.Options}
	messages, report, err := c.server.process.host.Envelope.Render(ctx, rc, contributionsOf(c, p.Contributions)...)
	if err != nil {
		return envelopeRenderResult{}, buildFailed(ctx, err, p.Context.misfits)
	}
	return envelopeRenderResult{messages, buildReport{report, p.Context.misfits}}, nil
}

// buildFailedData goes with the error of a failed build.
type buildFailedData struct {
	Kind         string       `json:"kind"` // and the others as in buildFault
	Contribution wideText     `json:"contribution,omitempty"`
	Source       string       `json:"source,omitempty"`
	Report       *buildReport `json:"report,omitempty"`
}

func buildFailed(ctx context.Context, err error, misfits []string) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	fault := faultOf(err)
	data := buildFailedData{Kind: fault.Kind, Contribution: fault.Contribution, Source: fault.Source}
	if failed, ok := err.(*envelope.BuildError); ok {
		data.Report = &buildReport{failed.Report, misfits}
	}
	return jsonrpc.Errorf(codeBuildFailed, "%s", string(fault.Message)).With(data)
}
