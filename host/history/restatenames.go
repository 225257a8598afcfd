package history

import (
	"slices"
	"strings"
)

// RestateNames puts a provider's names of tools in the place of a host's in Markdown text that the host has
// written: where a code span is a name and nothing else, and, with listItems, where a line begins with
// "- name: ". renames are the provider's names by the host's. Each place is looked at once, so that names
// may be exchanged.
//
//   - A code span begins with any number of backticks and ends with as many. Spaces inside count. Backticks
//     that nothing closes, and a backslash or backtick after a backslash, are what they are.
//   - A list line may be indented by spaces and tabs, and has one space after the dash and one after the colon.
//     A name in it is of ASCII letters, digits, "_", "." and "-".
//   - Fenced code blocks are left alone: from a line of at least three backticks or tildes, indented by at
//     most three spaces, to one of at least as many and nothing else, or to the end. As in Markdown, what
//     follows backticks that begin a block has no backticks itself, and no code span reaches into a block.
//
// The cost is linear in the length of the text.
func RestateNames(text string, renames map[string]string, listItems bool) string {
	if len(renames) == 0 {
		return text
	}
	r := restating{text: text, renames: renames}
	from := 0 // of the text in front of the next fenced block
	inside, open := false, fence{}
	for at := 0; at < len(text); {
		line, next := text[at:], len(text)
		if n := strings.IndexByte(line, '\n'); n >= 0 {
			line, next = line[:n], at+n+1
		}
		line = strings.TrimSuffix(line, "\r")
		f, is := fenceOf(line)
		switch {
		case inside:
			if is && f.closes(open) {
				inside, from = false, next
			}
		case is && f.opens():
			r.spans(from, at)
			inside, open = true, f
		case listItems:
			r.item(line, at)
		}
		at = next
	}
	if !inside {
		r.spans(from, len(text))
	}
	return r.done()
}

// A fence is a line that begins with at least three backticks or tildes.
type fence struct {
	mark  byte
	count int
	// rest is what follows them.
	rest string
}

func fenceOf(line string) (fence, bool) {
	body := strings.TrimLeft(line, " ")
	if len(line)-len(body) > 3 || body == "" || body[0] != '`' && body[0] != '~' {
		return fence{}, false
	}
	f := fence{mark: body[0], count: run(body, 0)}
	f.rest = body[f.count:]
	return f, f.count >= 3
}

func (f fence) opens() bool { return f.mark == '~' || strings.IndexByte(f.rest, '`') < 0 }

func (f fence) closes(open fence) bool {
	return f.mark == open.mark && f.count >= open.count && strings.Trim(f.rest, " \t") == ""
}

// run is how often the character at a place is repeated there.
func run(s string, at int) int {
	end := at
	for end < len(s) && s[end] == s[at] {
		end++
	}
	return end - at
}

// restating collects what changes in a text.
type restating struct {
	text    string
	renames map[string]string
	edits   []edit
}

// An edit puts a name in the place of another.
type edit struct {
	from, to int
	name     string
}

func (r *restating) rename(from, to int) {
	if name, ok := r.renames[r.text[from:to]]; ok {
		r.edits = append(r.edits, edit{from, to, name})
	}
}

// item looks at the line at a place.
func (r *restating) item(line string, at int) {
	rest := strings.TrimLeft(line, " \t")
	rest, ok := strings.CutPrefix(rest, "- ")
	if !ok {
		return
	}
	size := 0
	for size < len(rest) && isNameByte(rest[size]) {
		size++
	}
	if after, ok := strings.CutPrefix(rest[size:], ": "); ok && size > 0 && !strings.HasPrefix(after, " ") {
		from := at + len(line) - len(rest)
		r.rename(from, from+size)
	}
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
}

// spans looks for the code spans of a part of the text.
func (r *restating) spans(from, to int) {
	s := r.text[:to]
	last := lastRuns(s, from)
	for at := from; at < to; {
		if s[at] == '\\' && at+1 < to && (s[at+1] == '\\' || s[at+1] == '`') {
			at += 2
			continue
		}
		if s[at] != '`' {
			at++
			continue
		}
		count := run(s, at)
		at += count
		if end, ok := last[count]; ok && end >= at {
			// One of the runs from here on is of the same length, and none is looked at twice.
			for end = at; ; end += run(s, end) {
				end += strings.IndexByte(s[end:], '`')
				if run(s, end) == count {
					break
				}
			}
			r.rename(at, end)
			at = end + count
		}
	}
}

// lastRuns are the places of the last runs of backticks by their length.
func lastRuns(s string, from int) (last map[int]int) {
	for at := from; ; {
		next := strings.IndexByte(s[at:], '`')
		if next < 0 {
			return last
		}
		at += next
		count := run(s, at)
		if last == nil {
			last = map[int]int{}
		}
		last[count] = at
		at += count
	}
}

// done makes the changes. List lines were found before the code spans around them.
func (r *restating) done() string {
	if len(r.edits) == 0 {
		return r.text
	}
	slices.SortFunc(r.edits, func(a, b edit) int { return a.from - b.from })
	var out strings.Builder
	at := 0
	for _, e := range r.edits {
		if e.from >= at { // a name may hold what looks like a list line
			out.WriteString(r.text[at:e.from])
			out.WriteString(e.name)
			at = e.to
		}
	}
	out.WriteString(r.text[at:])
	return out.String()
}
