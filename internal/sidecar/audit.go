package sidecar

import (
	"context"
	"encoding/json"

	"github.com/pintle-wasm/pintle/envelope"
)

var auditMethods = map[string]method{
	"audit/view":     handle(auditView),
	"audit/settings": handle(auditSettings),
}

type auditViewParams struct {
	CustomType string          `json:"customType"`
	Data       json.RawMessage `json:"data"`
	Expanded   bool            `json:"expanded"`
	Columns    int             `json:"columns"` // 0: headings are not cut
}

type auditViewResult struct {
	View *auditLayout `json:"view"` // nil: the type is not that of an audit entry
}

// auditLayout is an audit entry as a transcript shows it: rows, or a line about what is invalid.
type auditLayout struct {
	Rows    []auditRow `json:"rows"`
	Invalid string     `json:"invalid,omitempty"`
}

type auditRow struct {
	Heading   wideText `json:"heading"`
	Markdown  wideText `json:"markdown"`
	Expanded  bool     `json:"expanded"`
	MaxHeight int      `json:"maxHeight"`
}

func auditView(_ context.Context, _ *call, p *auditViewParams) (auditViewResult, error) {
	view, known := envelope.ViewAudit(p.CustomType, p.Data, p.Expanded, p.Columns)
	if !known {
		return auditViewResult{}, nil
	}
	layout := &auditLayout{Rows: []auditRow{}, Invalid: view.Invalid}
	for _, r := range view.Rows {
		layout.Rows = append(layout.Rows, auditRow{wideText(r.Heading), wideText(r.Markdown), r.Expanded, r.MaxHeight})
	}
	return auditViewResult{layout}, nil
}

// auditSettingsParams say what is recorded from now on; nil is the default.
type auditSettingsParams struct {
	AuditEntries []string `json:"auditEntries"`
}

type auditSettingsResult struct{}

func auditSettings(_ context.Context, c *call, p *auditSettingsParams) (auditSettingsResult, error) {
	c.server.process.host.Envelope.SetAuditEntries(p.AuditEntries)
	return auditSettingsResult{}, nil
}
