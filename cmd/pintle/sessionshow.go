package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/doctor"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

func newSessionShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show FILE",
		Short: "Show the turns of a session and what its next request would lose",
		Long: `Show the turns of a session: what the user said, what the model answered, the tools that it called,
how each turn ended, and at the end what the next request would not carry over. The log is read as a
session that takes it up would see it, with an open turn closed; nothing is written.

  pintle session show session.jsonl
  pintle session show --json session.jsonl | jq '.turns[].reason.kind'

` + exitHelp,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: logFiles(),
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := viewLog(cmd, args[0])
			if err != nil {
				return err
			}
			defer v.Close()
			i, err := session.Inspect(cmd.Context(), v, logOptions(cmd))
			if err != nil {
				return logError(args[0], err)
			}
			show := showSession
			if asJSON(cmd) {
				show = showSessionJSON
			}
			return show(cmd, args[0], v.Header(), i)
		},
	}
}

// showSessionJSON writes {"header", "turns", "recovery", "route", "messages", "diagnostics", "otherLayout",
// "reports"}, turn by turn, as a log may be larger
// than memory.
func showSessionJSON(cmd *cobra.Command, _ string, h session.Header, i *session.Inspection) error {
	w := cmd.OutOrStdout()
	var failed error
	put := func(format string, args ...any) {
		if failed == nil {
			_, failed = fmt.Fprintf(w, format, args...)
		}
	}
	put("{\n  \"header\": %s,\n  \"turns\": [", asText(h))
	separator := ""
	for t, err := range turns(i.Events(cmd.Context(), 0)) {
		if err != nil {
			return err
		}
		put("%s\n    %s", separator, asText(t))
		separator = ","
	}
	a := lookAhead(i.State, doctor.LastRoute(i.State))
	put("\n  ],\n  \"recovery\": %s,\n", asText(newRecoveryData(i.Recovery)))
	put("  \"route\": %s,\n  \"messages\": [", asText(a.Route))
	separator = ""
	for _, m := range a.Messages {
		put("%s\n    %s", separator, asText(m))
		separator = ","
	}
	put("\n  ],\n  \"diagnostics\": %s,\n  \"otherLayout\": %s,\n  \"reports\": %s\n}\n",
		asText(a.Diagnostics), asText(a.OtherLayout), asText(a.Reports))
	return failed
}

// asText is a value as JSON on one line, with <, > and & as they are.
func asText(v any) string {
	var b bytes.Buffer
	if err := encodeJSON(&b, v, ""); err != nil {
		return "null"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func showSession(cmd *cobra.Command, path string, h session.Header, i *session.Inspection) error {
	p := newPrinter(cmd.OutOrStdout())
	line := []string{pluralOf(int(i.State.Next()-int64(len(i.Recovery.Closed))), "event", "events"),
		"created " + clock(h.CreatedAt)}
	if h.Cwd != nil {
		line = append(line, oneLine(*h.Cwd, 200))
	}
	if h.ParentSession != nil {
		line = append(line, "from session "+oneLine(*h.ParentSession, 80))
	}
	p.printf("%s  %s\n", p.paint(bold, "session "+oneLine(h.ID, 80)), strings.Join(line, " · "))
	for t, err := range turns(i.Events(cmd.Context(), 0)) {
		if err != nil {
			return logError(path, err)
		}
		printLoggedTurn(p, t)
		if p.err != nil {
			return p.err
		}
	}
	printRecovery(p, i.Recovery)
	printAhead(p, lookAhead(i.State, doctor.LastRoute(i.State)))
	return p.err
}

func clock(ms int64) string {
	const most = 253402300799999 // the end of the year 9999
	if ms < 0 || ms > most {
		return fmt.Sprintf("at %d ms", ms)
	}
	return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04:05 UTC")
}

// spanText is for times that a log says, which may be any.
func spanText(ms int64) string {
	if ms > math.MaxInt64/int64(time.Millisecond) {
		return fmt.Sprintf("%d s", ms/1000)
	}
	return durationText(time.Duration(ms) * time.Millisecond)
}

func printLoggedTurn(p *printer, t *loggedTurn) {
	title := fmt.Sprintf("turn %d", t.Turn)
	if t.Turn == 0 {
		title = "outside of turns"
	}
	p.head(title)
	line := []string{clock(t.Start)}
	if took := t.End - t.Start; took > 0 && t.Turn != 0 {
		line = append(line, spanText(took))
	}
	if u := t.usage(); u != nil {
		line = append(line, usageLine(u))
	}
	p.printf("  %s\n", p.paint(dim, strings.Join(line, " · ")))
	for i := range t.Messages {
		printLoggedMessage(p, &t.Messages[i])
	}
	if t.Turn != 0 {
		p.printf("  ended: %s", reasonLine(p, t.Reason))
		if t.Lost > 0 {
			p.printf("; %s became no message", plural(t.Lost, "chunk"))
		}
		p.printf("\n")
	}
}

// reasonLine puts a turn's end into words.
func reasonLine(p *printer, reason json.RawMessage) string {
	doc, err := jsonspan.Scan(reason, 2)
	if err != nil || doc.Root().Kind() != jsonspan.Object {
		return p.paint(red, "not at all")
	}
	kind := jsonvalue.String(jsonvalue.Member(doc.Root(), "kind"))
	switch kind {
	case "max-tokens":
		return p.paint(red, "max-tokens") + ", the output limit was reached"
	case "interrupted":
		return p.paint(red, "interrupted") + ", the process ended in the middle of it"
	case "error":
		if cause := jsonvalue.Member(doc.Root(), "error"); cause.Kind() == jsonspan.Object {
			failure := message.ParseFailure(cause.Raw())
			return p.paint(red, "error") + ", " + oneLine(safeText(failure.Error()), 400)
		}
	case "aborted":
		by := jsonvalue.String(jsonvalue.Member(jsonvalue.Member(doc.Root(), "reason"), "kind"))
		return p.paint(red, "aborted") + " by " + oneLine(orDefault(safeText(by), "unknown"), 60)
	}
	return oneLine(safeText(kind), 60)
}

const shownText = 300

func printLoggedMessage(p *printer, l *loggedMessage) {
	m := &l.Message
	var marks []string
	if m.Source.Kind == message.FromModel {
		marks = append(marks, oneLine(m.Source.Serving().String(), 80))
		if m.Source.Answered != nil {
			marks = append(marks, "in the place of "+oneLine(m.Source.Requested().String(), 80))
		}
		switch {
		case l.OtherLayout:
			marks = append(marks, "replay state of another layout")
		case m.Source.ReplayState != nil:
			marks = append(marks, "replay state")
		}
	}
	if l.Interrupted {
		marks = append(marks, p.paint(red, "interrupted"))
	}
	if l.Replaces != nil {
		marks = append(marks, "replaces "+oneLine(string(l.Replaces), 80))
	}
	p.printf("  %s %s", p.paint(cyan, fmt.Sprintf("%-10s", speaker(m))), oneLine(m.ID, 60))
	if len(marks) > 0 {
		p.printf("  %s", strings.Join(marks, " · "))
	}
	p.printf("\n")
	if l.Degrades != nil {
		p.printf("    %s\n", p.paint(red, "! degrades: "+oneLine(doctor.StateFault(m, l.Degrades), 400)))
	}
	if len(m.Content) == 0 {
		p.printf("    (empty: not part of the history)\n")
	}
	for i := range m.Content {
		p.printf("    %s\n", blockLine(&m.Content[i]))
	}
}

// speaker is where a message comes from.
func speaker(m *message.Message) string {
	switch m.Source.Kind {
	case message.FromModel:
		return "assistant"
	case message.FromTool:
		return "tool"
	case message.FromPlugin:
		return "plugin " + oneLine(m.Source.Plugin, 40)
	}
	return oneLine(m.Role, 40)
}

func blockLine(b *message.Block) string {
	text := func(what, s string) string {
		return fmt.Sprintf("%-10s %s", cutText(what, 40), orNone(cutText(s, shownText)))
	}
	switch b.Type {
	case message.Text:
		return text("text", b.Text)
	case message.Reasoning:
		return text("reasoning", b.Text)
	case message.ToolCall:
		return text("call", b.Name+" "+b.Arguments+"  "+b.ID)
	case message.ToolResult:
		what := "result"
		if b.IsError {
			what = "error"
		}
		var texts []string
		for i := range b.Content {
			if c := &b.Content[i]; c.Type == message.Text {
				texts = append(texts, c.Text)
			} else {
				texts = append(texts, "["+c.Type+"]")
			}
		}
		return text(what, b.ToolCallID+"  "+strings.Join(texts, " "))
	case message.Image:
		if a := b.Attachment; a != nil {
			return text("image", fmt.Sprintf("%s, %s, %d x %d", a.MediaType, bytesText(int(a.Bytes)), a.Width, a.Height))
		}
	}
	return text(b.Type, string(b.AppendJSON(nil)))
}

// cutText is a text on one line of n characters at most. Only its beginning is looked at.
func cutText(s string, n int) string {
	if len(s) > 8*n {
		s = strings.ToValidUTF8(s[:8*n], "") + "…"
	}
	return oneLine(safeText(s), n)
}

func printRecovery(p *printer, r session.Recovery) {
	if r.Tail == 0 && len(r.Closed) == 0 && len(r.Uncommitted) == 0 {
		return
	}
	p.head("taking it up")
	todo := newRecoveryData(r)
	printTodo(p, &todo)
}

func printAhead(p *printer, a ahead) {
	p.head("next request")
	if a.Route.Provider == "" {
		p.printf("  %s; no route is known\n", plural(len(a.Messages), "message"))
		return
	}
	p.printf("  %s, %s\n", oneLine(a.Route.String(), 120), plural(len(a.Messages), "message"))
	printLosses(p, &a)
}

// printLosses says what a request does not carry over of the history.
func printLosses(p *printer, a *ahead) {
	for i := range a.Diagnostics {
		p.printf("  %s\n", p.paint(red, fmt.Sprintf("! %s degrades: %s", oneLine(a.Diagnostics[i].MessageID, 60), oneLine(a.faults[i], 400))))
	}
	for _, id := range a.OtherLayout {
		p.printf("  - %s: replay state of another layout, which only its own adapter can use\n", oneLine(id, 60))
	}
	for _, r := range a.Reports {
		p.printf("  - %s: %s\n", oneLine(r.MessageID, 60), oneLine(r.String(), 400))
	}
}
