package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// lines are what a person wants to know of a translation: what came otherwise than the model gave it. There
// are none if nothing did.
func (t *translation) lines() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for i := range t.Calls {
		if what := t.Calls[i].words(); what != "" {
			add("call %s: %s", oneLine(t.Calls[i].ID, 60), what)
		}
	}
	for i := range t.Files {
		f := &t.Files[i]
		size := ""
		if f.Bytes > 0 {
			size = ", " + bytesText(f.Bytes)
		}
		add("file %s%s: %s", orDefault(oneLine(f.MediaType, 60), "of no type"), size, f.where())
	}
	for _, c := range t.Executed {
		add("run by the provider: %s %s, %s", oneLine(c.Tool, 60), oneLine(c.ID, 60), c.outcome())
	}
	return lines
}

// words say what happened to a call, nothing if it is as the model made it.
func (c *translatedCall) words() string {
	name := orDefault(oneLine(c.Tool, 80), "a tool without a name")
	changes := []string{name}
	if c.Tool != c.HostTool {
		changes[0] += " became " + oneLine(c.HostTool, 80)
	}
	switch {
	case c.Added:
		return oneLine(c.HostTool, 80) + " was added, by which delegated work ends on the host"
	case c.Incomplete:
		return name + " was begun and never called"
	case c.Received != "":
		changes = append(changes, "its arguments are no JSON object: "+oneLine(safeText(c.Received), 120))
	case c.Reshaped:
		changes = append(changes, "its arguments reshaped")
	case c.Tool == c.HostTool:
		return ""
	}
	return strings.Join(changes, ", ")
}

func (f *generatedFile) where() string {
	switch {
	case f.InMessage:
		return "in the message"
	case f.URL != "":
		return oneLine(f.URL, 200)
	case f.Path != "":
		return oneLine(f.Path, 200)
	}
	return "not kept: " + oneLine(f.Error, 200)
}

func (c *executedCall) outcome() string {
	switch {
	case c.Failed:
		return "with an error"
	case c.HasResult:
		return "with a result"
	}
	return "without a result"
}

// partsLine counts the parts.
func (t *translation) partsLine() string {
	line := plural(t.Parts, "part")
	if silent := t.silentWords(); silent != "" {
		line += ", without effect: " + oneLine(silent, 600)
	}
	return line
}

// warn says on standard error which files were not kept.
func (t *translation) warn(cmd *cobra.Command, folder string) {
	var lost []string
	for i := range t.Files {
		switch f := &t.Files[i]; {
		case f.Error == "":
		case folder == "":
			lost = append(lost, fmt.Sprintf("%s (%s)", orDefault(oneLine(f.MediaType, 60), "of no type"), bytesText(f.Bytes)))
		default:
			fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: not kept: %s\n", oneLine(f.Error, 400))
		}
	}
	if len(lost) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s not kept: %s; --files FOLDER keeps them\n",
			pluralOf(len(lost), "generated file was", "generated files were"), oneLine(strings.Join(lost, ", "), 400))
	}
}

// tell says on standard error what a person would see of the translation.
func (t *translation) tell(cmd *cobra.Command) {
	for _, line := range append([]string{t.partsLine()}, t.lines()...) {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: info: %s\n", line)
	}
}

// silentWords lists the parts and members that no event tells of.
func (t *translation) silentWords() string {
	words := make([]string, 0, len(t.Silent))
	for _, k := range t.Silent {
		word := fmt.Sprintf("%d %s", k.Count, orDefault(oneLine(safeText(k.Kind), 60), "of no kind"))
		if k.Member != "" {
			word = oneLine(safeText(k.Member), 60) + " of " + word
		}
		if k.Unknown {
			word += " (unknown)"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
