package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

func (d *difference) print(p *printer) {
	if d.Identical {
		p.printf("identical: %s, sha256 %s\n", oneLine(d.New.ID+"@"+d.New.Version, 200), d.New.SHA256[:12])
		return
	}
	old, new := d.Old.ID+"@"+d.Old.Version, d.New.ID+"@"+d.New.Version
	p.printf("%s\n", p.paint(bold, oneLine(old, 200)+" -> "+oneLine(new, 200)))
	p.printf("  sha256      %s -> %s\n", d.Old.SHA256[:12], d.New.SHA256[:12])
	p.printf("  size        %s -> %s (%s)\n", bytesText(d.Old.Size), bytesText(d.New.Size), moreBytes(d.New.Size-d.Old.Size))
	for _, group := range []struct {
		title, code string
		has         func(*change) bool
	}{
		{"breaks", red, func(c *change) bool { return len(c.Breaks) > 0 }},
		{"widens", red, func(c *change) bool { return len(c.Breaks) == 0 && len(c.Widens) > 0 }},
		{"neither", dim, func(c *change) bool { return len(c.Breaks)+len(c.Widens) == 0 }},
	} {
		headed := false
		for i := range d.Changes {
			c := &d.Changes[i]
			if !group.has(c) {
				continue
			}
			if !headed {
				p.head(p.paint(group.code, group.title))
				headed = true
			}
			c.print(p)
		}
	}
	p.printf("\n%s\n", d.verdict())
}

// verdict sums up.
func (d *difference) verdict() string {
	switch {
	case len(d.Changes) == 0:
		return "the bytes differ, and nothing that they say about the guest"
	case d.Widens+d.Breaks == 0:
		return "nothing widened or broke"
	}
	return fmt.Sprintf("of %s %d widen and %d break", plural(len(d.Changes), "change"), d.Widens, d.Breaks)
}

func (c *change) print(p *printer) {
	p.printf("  %s\n", oneLine(c.text(), 600))
	for _, why := range c.Breaks {
		p.printf("      breaks: %s\n", oneLine(why, 400))
	}
	for _, why := range c.Widens {
		p.printf("      widens: %s\n", oneLine(why, 400))
	}
}

// text says what changed in one line.
func (c *change) text() string {
	name := c.Part
	if c.ID != "" {
		name += " " + c.ID
	}
	if c.Interface != "" && c.Field != "interface" {
		name += " (" + c.Interface + ")"
	}
	if c.Field != "" {
		name += ": " + c.Field
	}
	old, new := c.value(c.Old), c.value(c.New)
	switch {
	case c.Old == nil && c.Field == "" && c.Part != string(runtime.PartLimit):
		return "+ " + name + brackets(new)
	case c.New == nil && c.Field == "" && c.Part != string(runtime.PartLimit):
		return "- " + name + brackets(old)
	}
	return fmt.Sprintf("~ %s: %s -> %s", name, old, new)
}

func brackets(s string) string {
	if s == "" || s == "yes" {
		return ""
	}
	return ": " + s
}

// value writes a value of a change for people.
func (c *change) value(v any) string {
	switch v := v.(type) {
	case nil:
		return c.nothing()
	case bool:
		return "yes"
	case int:
		return bytesText(v)
	case uint64:
		return c.number(v)
	case map[string]any:
		var fields []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			fields = append(fields, name+" "+c.value(v[name]))
		}
		return strings.Join(fields, ", ")
	case []abi.Selector:
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = selectorText(&v[i])
		}
		return "[" + strings.Join(texts, " | ") + "]"
	case []abi.Path:
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = v[i].String()
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case []string:
		return "[" + strings.Join(v, ", ") + "]"
	case []abi.ContextField:
		texts := make([]string, len(v))
		for i := range v {
			texts[i] = string(v[i])
		}
		return "[" + strings.Join(texts, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// nothing is what a value that is not there means.
func (c *change) nothing() string {
	switch {
	case c.Part == string(runtime.PartLimit):
		return "the host's"
	case c.Field == "providers" && c.Part == string(runtime.PartAdapter):
		return "the default for its apis"
	case c.Field == "apis", c.Field == "models":
		return "any"
	case c.Field == "priority":
		return "0"
	case c.Field == "":
		return ""
	}
	return "none"
}

func (c *change) number(n uint64) string {
	switch {
	case c.Part == partMemory, c.Part == string(runtime.PartLimit) && (c.ID == "memory" || c.ID == "answer" || c.ID == "log"):
		return bytesText(int(n))
	case c.Part == string(runtime.PartLimit) && c.ID == "time":
		return fmt.Sprintf("%d ms", n)
	case c.Part == partGuest:
		return fmt.Sprintf("%#x", n) // features
	}
	return fmt.Sprint(n)
}

func moreBytes(n int) string {
	if n < 0 {
		return "-" + bytesText(-n)
	}
	return "+" + bytesText(n)
}
