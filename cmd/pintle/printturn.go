package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/guesttrace"
	"github.com/pintle-wasm/pintle/internal/linediff"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

func printTurn(p *printer, t *turnFile, r *turnReport) {
	p.printf("%s  %s\n", p.paint(bold, "turn "+oneLine(t.SessionID, 60)), turnLine(t))
	printGuests(p, r)
	printContributions(p, r.Report, r.Guests)
	printEnvelope(p, r.Envelope)
	if r.Payload != nil {
		printPayload(p, t, r)
	}
	if r.History != nil {
		printHistory(p, *r.History)
	}
	if r.Response != nil {
		printResponse(p, r.Response)
	}
	total := durationText(r.Duration)
	if r.Fuel > 0 {
		total += "  " + fuelText(r.Fuel)
	}
	p.printf("\ncomposed in %s\n", total)
}

func turnLine(t *turnFile) string {
	known := func(what, s string) string {
		if s == "" {
			return what + " unknown"
		}
		return what + " " + oneLine(s, 60)
	}
	line := []string{known("provider", t.Provider), known("api", t.API)}
	if t.Model != "" {
		line = append(line, known("model", t.Model))
	}
	if len(t.ActiveTools) > 0 {
		line = append(line, "tools "+oneLine(strings.Join(t.ActiveTools, ", "), 200))
	}
	return strings.Join(line, " · ")
}

func printGuests(p *printer, r *turnReport) {
	p.head("guests")
	if len(r.Guests) == 0 {
		p.printf("  none\n")
	}
	for _, g := range r.Guests {
		var offers []string
		if g.Contributions > 0 {
			offers = append(offers, plural(g.Contributions, "contribution"))
		}
		if g.Adapters > 0 {
			offers = append(offers, plural(g.Adapters, "adapter"))
		}
		loaded := "reloaded"
		if g.Load > 0 {
			loaded = "loaded in " + durationText(g.Load)
		}
		p.printf("  %-28s %-26s sha256 %s  %-17s  ran for %s\n", oneLine(g.Name, 40),
			strings.Join(offers, ", "), g.SHA256[:12], loaded, durationText(g.Ran))
	}
}

// addTimes sums up how long each guest ran in the turn.
func (r *turnReport) addTimes() {
	seen := map[string]bool{}
	for i := range slices.Backward(r.Guests) {
		g := &r.Guests[i]
		if seen[g.Name] {
			continue // loaded twice: the later one took its place
		}
		seen[g.Name] = true
		for _, o := range r.Report.Contributions {
			if o.Source == g.Name {
				g.Ran += o.Duration
			}
		}
		if r.Payload != nil && r.Payload.Result.Adapter == g.Name {
			g.Ran += r.Payload.Result.Prompt.Duration + r.Payload.Result.Developer.Duration
		}
	}
}

// fuel sums up what the guests used in the turn.
func (r *turnReport) fuel() uint64 {
	var sum uint64
	for _, o := range r.Report.Contributions {
		sum += o.Fuel
	}
	if r.Payload != nil {
		sum += r.Payload.Result.Prompt.Fuel + r.Payload.Result.Developer.Fuel
	}
	return sum
}

func fuelText(n uint64) string { return fmt.Sprintf("fuel %d", n) }

// effortText says what an answer took, nothing if it took nothing.
func effortText(took time.Duration, fuel uint64, remembered bool) string {
	switch {
	case remembered:
		return "remembered"
	case fuel > 0:
		return durationText(took) + "  " + fuelText(fuel)
	case took > 0:
		return durationText(took)
	}
	return ""
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// printContributions shows what went in and what did not, and why.
func printContributions(p *printer, r envelope.Report, guests []loadedGuest) {
	p.head("developer messages")
	for _, o := range append(r.Contributions, r.ContextFiles) {
		mark, code := "+", green
		switch {
		case o.Reason == envelope.Failed || o.Reason == envelope.LastGoodUsed:
			mark, code = "!", red
		case !o.Included:
			mark, code = "-", dim
		}
		size := ""
		if o.Included {
			size = bytesText(o.Bytes)
		}
		line := fmt.Sprintf("  %s %-24s %10s  %-22s %s", mark, oneLine(o.ID, 40), size,
			effortText(o.Duration, o.Fuel, o.Remembered), oneLine(o.Source, 40))
		p.printf("%s", p.paint(code, strings.TrimRight(line, " ")))
		if why := explain(o); why != "" {
			p.printf("\n      %s", why)
		}
		if o.Reason == envelope.Blank && blind(o, guests) {
			p.printf("; it sees nothing of the turn, since its `needs` are empty")
		}
		p.printf("\n")
	}
}

// blind says whether a guest's contribution sees no context field: forgotten needs look like a turn in
// which there is nothing to say.
func blind(o envelope.Outcome, guests []loadedGuest) bool {
	for _, g := range guests {
		if g.Name != o.Source {
			continue
		}
		for _, c := range g.manifest.Contributions {
			if c.ID == o.ID {
				return len(c.Needs) == 0
			}
		}
	}
	return false
}

// explain puts the reason of an outcome into words.
func explain(o envelope.Outcome) string {
	switch o.Reason {
	case "":
		return ""
	case registry.ProviderUnknown:
		return "left out: it is only for certain providers, and the provider of this turn is unknown"
	case registry.ProviderNotListed:
		return "left out: it is for other providers"
	case registry.ToolInactive:
		return "left out: not active: " + oneLine(strings.Join(o.Tools, ", "), 200)
	case envelope.Replaced:
		return "left out: its id now belongs to " + oneLine(o.By, 80)
	case envelope.Blank:
		return "left out: it had nothing to say in this turn"
	case envelope.Failed:
		return "left out: " + indentRest(o.Error) + traceOf(o.Err)
	case envelope.LastGoodUsed:
		return "its last good text was used: " + indentRest(o.Error) + traceOf(o.Err)
	case envelope.NoFiles:
		return "no context files"
	case envelope.AlsoInPrompt:
		return "sent twice: without a custom prompt the host's own prompt carries a copy"
	}
	return string(o.Reason)
}

// traceOf lists the functions of a guest that failed, innermost first.
func traceOf(err error) string { return traceUpTo(err, 8) }

// traceUpTo has about so many lines, without what is not the author's; 0: all functions.
func traceUpTo(err error, most int) string {
	var guest *runtime.Error
	if !errors.As(err, &guest) {
		return ""
	}
	var b strings.Builder
	if most == 0 {
		for _, frame := range guest.Trace {
			b.WriteString("\n          at " + oneLine(frame, 120))
		}
		return b.String()
	}
	for _, line := range guesttrace.Lines(guest.Trace, most) {
		b.WriteString("\n          " + oneLine(line, 200))
	}
	return b.String()
}

func indentRest(s string) string { return strings.TrimSpace(indent(s, "        ")) }

func printEnvelope(p *printer, e *envelope.Envelope) {
	p.head("envelope")
	p.printf("  %s\n%s\n", p.paint(cyan, "system prompt"), indent(orNone(e.SystemPrompt), "    "))
	for _, m := range e.DeveloperMessages {
		p.printf("  %s\n%s\n", p.paint(cyan, "developer "+oneLine(m.ID, 80)), indent(m.Content, "    "))
	}
	for _, m := range e.ContextualUserMessages {
		p.printf("  %s\n%s\n", p.paint(cyan, "user "+oneLine(m.ID, 80)), indent(m.Content, "    "))
	}
}

func orNone(s string) string {
	if s == "" {
		return "(empty)"
	}
	return s
}

func printPayload(p *printer, t *turnFile, turn *turnReport) {
	r := turn.Payload
	p.head("payload " + oneLine(r.File, 80))
	res := r.Result
	if res.Adapter != "" {
		p.printf("  adapter    %s, %s\n", oneLine(res.Adapter, 60), adapterKind(res.AdapterKind))
	}
	switch {
	case r.Error != "":
		p.printf("  %s\n", p.paint(red, "sent as it was: "+indentRest(r.Error)+traceOf(r.failure)))
		return
	case res.Reason != "":
		p.printf("  sent as it was: %s\n", payloadReason(res.Reason))
		if res.Reason == payload.NoAdapter {
			p.printf("  %s\n", adaptersFor(t.Provider, t.API, turn.Guests))
		}
		return
	}
	p.printf("  prompt     %s\n", stepLine(res.Prompt, "replaced by the composed one"))
	p.printf("  messages   %s\n", stepLine(res.Developer, "placed"))
	if len(turn.Envelope.ContextualUserMessages) > 0 {
		p.printf("  context    not in the payload: a user message for the host to put in front of the history\n")
	}
	before, after := pretty(r.before), pretty(r.After)
	if bytes.Equal(before, after) {
		p.printf("  nothing changed\n")
		return
	}
	p.printf("\n")
	lines := []string{"--- payload before", "+++ payload after"}
	for _, h := range linediff.Hunks(linediff.Split(string(before)), linediff.Split(string(after))) {
		lines = append(append(lines, h.Head()), h.Lines...)
	}
	for _, line := range lines {
		p.printf("  %s\n", paintDiff(p, cut(printable(line), 160)))
	}
}

func paintDiff(p *printer, line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return p.paint(green, line)
	case strings.HasPrefix(line, "-"):
		return p.paint(red, line)
	case strings.HasPrefix(line, "@@"):
		return p.paint(cyan, line)
	}
	return line
}

// cut shortens a line; payloads hold whole files and images in one.
func cut(s string, n int) string {
	if runes := []rune(s); len(runes) > n {
		return fmt.Sprintf("%s… (%d more characters)", string(runes[:n]), len(runes)-n)
	}
	return s
}

// pretty lays JSON out without changing numbers, the order of keys or escapes.
func pretty(raw []byte) []byte {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return raw
	}
	return b.Bytes()
}

// adaptersFor lists what the loaded adapters stand for, when none stands for the request.
func adaptersFor(provider, api string, guests []loadedGuest) string {
	var stand []string
	for _, g := range guests {
		for _, a := range g.manifest.Adapters {
			what := "any api"
			if len(a.APIs) > 0 {
				what = "api " + strings.Join(a.APIs, ", ")
			}
			if len(a.Providers) > 0 {
				what += " of provider " + strings.Join(a.Providers, ", ")
			}
			if !slices.Contains(stand, what) { // one of version 2 may have one of version 1 behind it
				stand = append(stand, what)
			}
		}
	}
	if len(stand) == 0 {
		return "no guest with an adapter is loaded"
	}
	return oneLine(fmt.Sprintf("asked for: api %q of provider %q; there are adapters for: %s", api, provider, strings.Join(stand, "; ")), 1000)
}

func adapterKind(kind string) string {
	if kind == registry.Default.String() {
		return "the default for this api"
	}
	return "registered for this provider"
}

// stepLine says what became of a step and what it cost. Where one call answers for both, the prompt's costs nothing.
func stepLine(s payload.Step, done string) string {
	line := done
	if !s.Done {
		line = "left alone: " + payloadReason(s.Reason)
	}
	if cost := effortText(s.Duration, s.Fuel, s.Remembered); cost != "" {
		line += "  " + cost
	}
	return line
}

// payloadReason puts a reason of package payload into words.
func payloadReason(r payload.Reason) string {
	words := map[payload.Reason]string{
		payload.NoState:            "no turn was composed for this session",
		payload.NoBase:             "the turn does not say which prompt the host had built (key piSystemPrompt)",
		payload.ProviderUnknown:    "the turn does not say what the provider is (key provider)",
		payload.ProviderChanged:    "the turn was composed for another provider",
		payload.APIChanged:         "the turn was composed for another api",
		payload.NoAdapter:          "no adapter stands for the provider, nor for the api",
		payload.AdapterDisabled:    "the adapter is switched off for this request",
		payload.PromptAbsent:       "the adapter found no system prompt in the payload",
		payload.PromptComposed:     "the payload carries the composed prompt already",
		payload.PromptDiffers:      "the payload carries another prompt than the one that the host had built",
		payload.NoDeveloperSupport: "the adapter cannot place developer messages",
		payload.Unchanged:          "there was nothing to change",
		payload.Discarded:          "the reference mode takes the change back",
	}
	if w, ok := words[r]; ok {
		return w
	}
	return string(r)
}
