package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/replay"
)

var historyMethods = map[string]method{
	"history/options": handle(historyOptions),
	"history/read":    handle(historyRead),
}

type historyOptionsParams struct {
	Host    string      `json:"host"`
	Model   modelParams `json:"model"`
	Package string      `json:"package"`
	Exclude []string    `json:"exclude"` // nil: as in stream/open
	// Version is the model's specificationVersion.
	Version string `json:"version"`
	// Context is the host's, an object.
	Context json.RawMessage `json:"context"`
	Call    callParams      `json:"call"`
	// Notes are messages of the host's context event.
	Notes    []json.RawMessage  `json:"notes"`
	Outcomes map[string]outcome `json:"outcomes"`
	// Reference and Readme switch to the behaviour of the reference, and of an older build of it.
	Reference bool `json:"reference"`
	Readme    bool `json:"readme"`
}

type callParams struct {
	SessionID  string            `json:"sessionId"`
	Headers    map[string]string `json:"headers"`
	ToolChoice json.RawMessage   `json:"toolChoice"`
}

type outcome struct {
	Text   wideText `json:"text"`
	Failed bool     `json:"failed"`
}

type historyOptionsResult struct {
	// Options are what the model's doStream takes.
	Options json.RawMessage `json:"options"`
	// Tools and Todos are what stream/open needs to know of the call.
	Tools []profile.Tool `json:"tools"`
	Todos []todo         `json:"todos,omitempty"`
}

// historyOptions makes the options of a call of a host's context.
func historyOptions(_ context.Context, _ *call, p *historyOptionsParams) (historyOptionsResult, error) {
	host, err := hostProfile(p.Host)
	if err != nil {
		return historyOptionsResult{}, err
	}
	version := history.Version(p.Version)
	if !slices.Contains([]history.Version{"", history.V2, history.V3, history.V4}, version) {
		return historyOptionsResult{}, invalid("params.version", "%.40q is none of v2, v3 and v4", p.Version)
	}
	given, err := history.ParseContext(p.Context)
	if err != nil {
		return historyOptionsResult{}, invalid("params.context", "%v", err)
	}
	var notes history.Notes
	notes.Remember(p.Notes...)
	config := history.Config{
		Profile: host, API: p.Model.API, Provider: p.Model.Provider, Version: version,
		Exclude: excluded(p.Exclude, p.Package), Notes: &notes, Outcomes: outcomesOf(p.Outcomes),
		Readme: p.Readme, Reference: p.Reference,
	}
	options, err := config.CallOptions(given, history.Call{
		SessionID: p.Call.SessionID, Headers: p.Call.Headers, ToolChoice: notNull(p.Call.ToolChoice),
	})
	if err != nil {
		return historyOptionsResult{}, invalid("params.context", "%v", err)
	}
	out := historyOptionsResult{Options: options.AppendJSON(nil), Tools: options.Toolset.Tools()}
	if out.Tools == nil {
		out.Tools = []profile.Tool{}
	}
	if rows := history.Todos(options.Toolset, given.Messages); rows != nil {
		out.Todos = make([]todo, len(rows))
		for i, row := range rows {
			out.Todos[i] = todo{wideText(row.Content), row.Status}
		}
	}
	return out, nil
}

func outcomesOf(given map[string]outcome) map[string]history.Outcome {
	outcomes := make(map[string]history.Outcome, len(given))
	for call, o := range given {
		outcomes[call] = history.Outcome{Text: string(o.Text), Failed: o.Failed}
	}
	return outcomes
}

type historyReadParams struct {
	Messages []json.RawMessage `json:"messages"`
	Route    message.Route     `json:"route"`
	// Owned are the providers that the adapter of the request serves, nil if that is not to be looked at.
	Owned     []string   `json:"owned"`
	System    *wideText  `json:"system"`
	Tools     []hostTool `json:"tools"`
	Reference bool       `json:"reference"`
}

type historyReadResult struct {
	// Context is nil if there is an error.
	Context     *replay.Context     `json:"context"`
	Diagnostics []replay.Diagnostic `json:"diagnostics"`
	Reports     []replay.Report     `json:"reports"`
	Error       *readError          `json:"error,omitempty"`
}

// A readError is why a history cannot be read, in reference mode only.
type readError struct {
	Code         string `json:"code"`
	MessageID    string `json:"messageId"`
	AttachmentID string `json:"attachmentId"`
	Message      string `json:"message"`
}

// historyRead makes a native request of durable messages.
func historyRead(_ context.Context, _ *call, p *historyReadParams) (historyReadResult, error) {
	messages := make([]message.Message, len(p.Messages))
	for i, raw := range p.Messages {
		var err error
		if messages[i], err = message.ParseMessage(raw); err != nil {
			return historyReadResult{}, invalid("params.messages."+strconv.Itoa(i), "%v", err)
		}
	}
	var tools []replay.Tool
	for _, t := range p.Tools {
		tools = append(tools, replay.Tool{Name: string(t.Name), Description: string(t.Description), Parameters: t.Parameters})
	}
	out := historyReadResult{Diagnostics: []replay.Diagnostic{}, Reports: []replay.Report{}}
	r := replay.Reader{
		Reference: p.Reference, Route: p.Route,
		OnDiagnostic: func(d replay.Diagnostic) { out.Diagnostics = append(out.Diagnostics, d) },
		OnReport:     func(report replay.Report) { out.Reports = append(out.Reports, report) },
	}
	if p.Owned != nil {
		messages = r.Own(messages, func(provider string) bool { return slices.Contains(p.Owned, provider) })
	}
	converted, err := r.Context((*string)(p.System), tools, messages)
	if known := (*replay.Error)(nil); errors.As(err, &known) {
		out.Error = &readError{
			Code: string(known.Code), MessageID: known.MessageID, AttachmentID: known.AttachmentID, Message: known.Error(),
		}
		return out, nil
	}
	if err != nil {
		return historyReadResult{}, err
	}
	out.Context = &converted
	return out, nil
}
