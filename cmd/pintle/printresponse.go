package main

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
)

// shownHistory is how many messages of a history are shown, the last ones.
const shownHistory = 12

// printHistory shows what goes with the request, and what of it is lost.
func printHistory(p *printer, a ahead) {
	p.head(strings.TrimSpace("history " + oneLine(a.File, 200)))
	if a.Recovery != nil {
		printTodo(p, a.Recovery)
	}
	switch n := len(a.Messages); {
	case n == 0:
		p.printf("  none: the session begins with this turn\n")
	case n > shownHistory:
		p.printf("  … %s before these\n", plural(n-shownHistory, "message"))
	}
	for i := max(0, len(a.Messages)-shownHistory); i < len(a.Messages); i++ {
		m := &a.Messages[i]
		p.printf("  %s %s\n", p.paint(cyan, fmt.Sprintf("%-10s", speaker(m))), messageLine(m))
	}
	printLosses(p, &a)
}

// messageLine is a message on one line.
func messageLine(m *message.Message) string {
	var parts []string
	for i := range m.Content {
		switch b := &m.Content[i]; b.Type {
		case message.Text:
			parts = append(parts, orNone(cutText(b.Text, 120)))
		case message.Reasoning:
			parts = append(parts, "(reasoning)")
		default:
			parts = append(parts, strings.Join(strings.Fields(blockLine(b)), " "))
		}
	}
	return cut(strings.Join(parts, " · "), 160)
}

// printResponse shows the answers and what became of them.
func printResponse(p *printer, r *responseReport) {
	p.head(fmt.Sprintf("response in turn %d", r.Turn))
	answer := 0
	for i := range r.Messages {
		m := &r.Messages[i]
		printLoggedMessage(p, m)
		if m.Message.Source.Kind == message.FromModel && answer < len(r.Answers) {
			a := &r.Answers[answer]
			answer++
			p.printf("    %s\n", p.paint(dim, answerLine(a)))
			printTranslation(p, a.Translation)
		}
	}
	for _, a := range r.Answers[answer:] {
		p.printf("  %s\n", p.paint(red, "no message: "+answerLine(&a)))
		printTranslation(p, a.Translation)
	}
	p.printf("  ended: %s; %s\n", reasonLine(p, r.ended), usageLine(&r.Usage))
	if r.Stored == nil {
		p.printf("  not stored: the turn has no session\n")
		return
	}
	what := "added to"
	if r.Stored.Made {
		what = "stored in the new log"
	}
	p.printf("  %s %s, events %d to %d\n", what, oneLine(r.Stored.File, 200), r.Stored.From, r.Stored.To-1)
}

// printTranslation shows what became of the parts of an answer.
func printTranslation(p *printer, t *translation) {
	if t == nil {
		return
	}
	p.printf("    %s\n", p.paint(dim, "translated for "+t.Host+": "+t.partsLine()))
	for _, line := range t.lines() {
		p.printf("      %s\n", line)
	}
}

func answerLine(a *answerReport) string {
	finish := "no finish"
	if a.Finish != nil {
		finish = "finish " + finishLine(a.Finish)
	}
	envelope := "no replay state"
	switch a.Envelope {
	case "discarded":
		envelope = "replay state discarded: " + oneLine(a.Discarded.String(), 300)
	case "pruned":
		envelope = fmt.Sprintf("replay state kept with %d of %s, as the blocks", *a.Kept, pluralOf(*a.Offered, "entry", "entries"))
	case "kept":
		envelope = "replay state kept"
	}
	line := strings.TrimPrefix(oneLine(a.File, 200)+": ", ": ") + finish + " · " + envelope
	if a.Dropped > 0 {
		line += " · dropped " + plural(a.Dropped, "tool call") + ": the output limit may have cut it"
	}
	return line
}

// failed says why the response makes the command fail, nil if it does not.
func (r *responseReport) failed() error {
	if r.Outcome != turn.Failed {
		return nil
	}
	if r.Failure != nil && r.Failure.Code == turn.ScriptEnded {
		stored := ""
		if r.Stored != nil {
			stored = "; the turn was stored as failed"
		}
		return fmt.Errorf("the model is called %s and there are fewer responses: give one --response for each call, in order%s",
			pluralOf(len(r.Answers), "time", "times"), stored)
	}
	return errQuiet
}
