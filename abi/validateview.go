package abi

import "fmt"

// Bounds of what an adapter of version 2 may want.
const (
	// MaxClip is the longest string, in bytes, that can arrive whole in a view.
	MaxClip = 1_024

	maxSelectors = 16
	maxWritable  = 16
	maxSteps     = 8
	maxFilters   = 8
	maxMembers   = 16
)

func (v *validator) view(at string, a *Adapter) {
	if a.Interface != ProviderPayloadAdaptersV2 {
		if len(a.View)+len(a.Write) > 0 {
			v.fail(at, fmt.Sprintf("has a view or write paths, which %s does not know; they belong to %s", a.Interface, ProviderPayloadAdaptersV2))
		}
		return
	}
	v.between(at+".view", len(a.View), 1, maxSelectors)
	v.between(at+".write", len(a.Write), 1, maxWritable)
	for i, p := range a.Write {
		v.path(fmt.Sprintf("%s.write[%d]", at, i), p)
	}
	for i := range a.View {
		v.selector(fmt.Sprintf("%s.view[%d]", at, i), &a.View[i])
	}
}

func (v *validator) between(field string, n, least, most int) {
	if n < least || n > most {
		v.fail(field, fmt.Sprintf("has %d entries, between %d and %d are allowed", n, least, most))
	}
}

func (v *validator) path(field string, p Path) {
	v.between(field, len(p), 1, maxSteps)
	for i, s := range p {
		v.text(fmt.Sprintf("%s[%d]", field, i), s.Member)
	}
}

func (v *validator) selector(at string, s *Selector) {
	v.path(at+".path", s.Path)
	v.between(at+".where", len(s.Where), 0, maxFilters)
	v.between(at+".members", len(s.Members), 0, maxMembers)
	if s.Clip != nil && *s.Clip > MaxClip {
		v.fail(at+".clip", fmt.Sprintf("is %d, at most %d is allowed", *s.Clip, MaxClip))
	}
	seen := map[string]bool{}
	for i, name := range s.Members {
		field := fmt.Sprintf("%s.members[%d]", at, i)
		v.text(field, name)
		if seen[name] {
			v.fail(field, fmt.Sprintf("%q is listed twice", name))
		}
		seen[name] = true
	}
	for i := range s.Where {
		v.filter(fmt.Sprintf("%s.where[%d]", at, i), &s.Where[i], s.Path)
	}
}

func (v *validator) filter(at string, f *Filter, path Path) {
	if f.Of != nil && *f.Of > uint64(len(path)) {
		v.fail(at+".of", fmt.Sprintf("is %d, and the path has %d steps", *f.Of, len(path)))
	}
	v.text(at+".member", f.Member)
	equals, _ := f.Equals.Text()
	v.text(at+".equals", equals)
	affix := false
	for _, s := range []*string{f.Prefix, f.Suffix, f.Contains} {
		if s != nil {
			affix = true
			v.text(at, *s)
		}
	}
	if affix == !f.Equals.IsZero() {
		v.fail(at, "has to have either equals, or some of prefix, suffix and contains")
	}
}
