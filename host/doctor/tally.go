package doctor

import "fmt"

// maxFindings bounds how many findings of one code and level are listed. A file of a few kilobytes can be
// unpacked to more faults than there is memory for.
const maxFindings = 1000

// A kind is what findings are counted by.
type kind struct {
	code  Code
	level Level
}

// admit counts a finding, and tells whether there is room for it in the list.
func (r *Report) admit(f *Finding) bool {
	if r.counts == nil {
		r.counts = map[kind]int{}
	}
	k := kind{f.Code, f.Level}
	r.counts[k]++
	if r.counts[k] == maxFindings+1 {
		r.rest = append(r.rest, *f)
	}
	return r.counts[k] <= maxFindings
}

func (r *Report) add(f Finding) {
	if r.admit(&f) {
		r.Findings = append(r.Findings, f)
	}
}

// finish ends the list with what there was no room for.
func (r *Report) finish() {
	for _, f := range r.rest {
		n := r.counts[kind{f.Code, f.Level}] - maxFindings
		r.Findings = append(r.Findings, Finding{Code: f.Code, Level: f.Level, Count: n, Curable: f.Curable,
			Detail: fmt.Sprintf("%d more like those above", n), Effect: f.Effect, Here: f.Here})
	}
	r.rest = nil
}

// each gives change every finding, those too that there was no room for.
func (r *Report) each(change func(f *Finding)) {
	for i := range r.Findings {
		change(&r.Findings[i])
	}
	for i := range r.rest {
		change(&r.rest[i])
	}
}

// several is how many findings one entry of the list stands for.
func (f *Finding) several() int { return max(f.Count, 1) }

// quote shows a text from a log, the beginning of it if it is long.
func quote(s string) string {
	const most = 200
	if len(s) > most {
		return fmt.Sprintf("%q…", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
