package main

import (
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
)

// printPlaces says what an adapter of version 2 sees of a payload and where it may write.
func printPlaces(p *printer, a abi.Adapter) {
	for i := range a.View {
		p.printf("      sees     %s\n", oneLine(selectorText(&a.View[i]), 300))
	}
	if len(a.Write) > 0 {
		paths := make([]string, len(a.Write))
		for i, path := range a.Write {
			paths[i] = path.String()
		}
		p.printf("      writes   %s\n", oneLine(strings.Join(paths, ", "), 300))
	}
}

// selectorText is a selector for people: input[] where role = "developer": role, content; texts up to 80
// bytes.
func selectorText(s *abi.Selector) string {
	var b strings.Builder
	b.WriteString(s.Path.String())
	for i := range s.Where {
		b.WriteString([]string{" where ", " and "}[min(i, 1)] + filterText(&s.Where[i], s.Path))
	}
	if len(s.Members) > 0 {
		b.WriteString(": " + strings.Join(s.Members, ", "))
	}
	clip := uint64(abi.MaxClip)
	if s.Clip != nil {
		clip = *s.Clip
	}
	if clip == 0 {
		b.WriteString("; no texts")
	} else {
		fmt.Fprintf(&b, "; texts up to %d bytes", clip)
	}
	return b.String()
}

func filterText(f *abi.Filter, path abi.Path) string {
	member := f.Member
	if depth := f.Depth(path); depth < len(path) {
		member = strings.TrimPrefix(path[:depth].String()+"."+member, ".")
	}
	if !f.Equals.IsZero() {
		return fmt.Sprintf("%s = %s", member, f.Equals.JSON())
	}
	var is []string
	if f.Prefix != nil {
		is = append(is, fmt.Sprintf("%s begins with %q", member, *f.Prefix))
	}
	if f.Suffix != nil {
		is = append(is, fmt.Sprintf("%s ends with %q", member, *f.Suffix))
	}
	if f.Contains != nil {
		is = append(is, fmt.Sprintf("%s contains %q", member, *f.Contains))
	}
	return strings.Join(is, " and ")
}
