package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/internal/guesttest"
)

// A testResult is what became of a case, as data.
type testResult struct {
	Name         string          `json:"name"`
	Line         int             `json:"line"`
	Contribution string          `json:"contribution,omitempty"`
	Adapter      string          `json:"adapter,omitempty"`
	Passed       bool            `json:"passed"`
	Updated      bool            `json:"updated,omitempty"`
	Kind         guesttest.Kind  `json:"kind"` // of the answer
	Text         string          `json:"text,omitempty"`
	Payload      json.RawMessage `json:"payload,omitempty"`
	Error        string          `json:"error,omitempty"`
	Trace        []string        `json:"trace,omitempty"` // of the error, innermost first
	Why          string          `json:"why,omitempty"`
	Fault        string          `json:"fault,omitempty"`
	Diff         []string        `json:"diff,omitempty"`
	Logs         []string        `json:"logs,omitempty"`
	Duration     time.Duration   `json:"durationNs"`
	Fuel         uint64          `json:"fuel,omitempty"`
}

func (r *testReport) add(result guesttest.Result, logs []string) {
	c, a := result.Case, &result.Answer
	if result.Passed {
		r.Passed++
	} else {
		r.Failed++
	}
	r.all = append(r.all, result)
	r.Results = append(r.Results, testResult{Name: c.Name, Line: c.Line, Contribution: c.Contribution, Adapter: c.Adapter,
		Passed: result.Passed, Kind: a.Kind, Text: a.Text, Payload: a.Payload, Error: a.Words(), Trace: a.Trace(), Why: a.Why,
		Fault: result.Fault, Diff: result.Diff, Logs: logs, Duration: a.Duration, Fuel: a.Fuel})
}

// Bounds of what is shown of a case that failed. --json has all of it.
const (
	maxDiffLines = 60
	maxLogLines  = 20
)

// print shows the cases that failed, and with verbose the others too.
func (r *testReport) print(p *printer, verbose bool) error {
	for i := range r.Results {
		c := &r.Results[i]
		cost := p.paint(dim, effortText(c.Duration, c.Fuel, false))
		switch {
		case c.Updated:
			p.printf("%s %s  %s\n", p.paint(cyan, "~"), oneLine(c.Name, 120), p.paint(dim, "updated"))
		case !c.Passed:
			most := 8
			if verbose {
				most = 0
			}
			r.printFailed(p, c, traceUpTo(r.all[i].Answer.Err, most))
		case verbose:
			p.printf("%s %s  %s\n", p.paint(green, "✓"), oneLine(c.Name, 120), cost)
			printLogs(p, c.Logs)
		}
	}
	code := green
	if r.Failed > 0 {
		code = red
	}
	summary := fmt.Sprintf("%d passed, %d failed", r.Passed, r.Failed)
	if r.Updated > 0 {
		summary += fmt.Sprintf(", %d updated in %s", r.Updated, oneLine(r.Cases, 400))
	}
	p.printf("%s\n", p.paint(code, summary))
	return p.err
}

func (r *testReport) printFailed(p *printer, c *testResult, trace string) {
	p.printf("%s %s  %s  %s\n", p.paint(red, "✗"), p.paint(bold, oneLine(c.Name, 120)), oneLine(c.Fault, 600),
		p.paint(dim, fmt.Sprintf("%s:%d", oneLine(r.Cases, 400), c.Line)))
	if trace != "" {
		p.printf("%s\n", strings.TrimPrefix(trace, "\n"))
	}
	lines := c.Diff
	if len(lines) > maxDiffLines {
		lines = lines[:maxDiffLines]
	}
	for _, line := range lines {
		p.printf("    %s\n", paintDiff(p, cut(printable(line), 160)))
	}
	if more := len(c.Diff) - len(lines); more > 0 {
		p.printf("    … %s more; --json has all of it\n", plural(more, "line"))
	}
	printLogs(p, c.Logs)
}

func printLogs(p *printer, lines []string) {
	for _, line := range lines[:min(len(lines), maxLogLines)] {
		p.printf("    %s\n", p.paint(dim, line))
	}
	if more := len(lines) - maxLogLines; more > 0 {
		p.printf("    … %s more\n", plural(more, "line"))
	}
}
