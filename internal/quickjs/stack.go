package quickjs

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Frame is one line of a stack.
type Frame struct {
	Function     string // as the engine names it; empty if it has no name
	File         string // the name of a script; empty for functions of the engine
	Line, Column int    // from 1; 0: not known
}

// maxFrames bounds what is kept of a stack. The engine itself knows no more of them.
const maxFrames = 64

// ParseStack reads the stack of an error, which has a line for each frame:
//
//	at name (file:line:column)
//	at name (native)
//	at file:line:column
//
// What a program put in its place and does not look like this is left out, and so is what is behind 64 frames.
func ParseStack(text string) (frames []Frame) {
	for line := range strings.Lines(text) {
		line, ok := strings.CutPrefix(strings.TrimSpace(line), "at ")
		if !ok {
			continue
		}
		if len(frames) == maxFrames {
			break
		}
		f := Frame{}
		place := line
		if open := strings.LastIndex(line, " ("); open >= 0 && strings.HasSuffix(line, ")") {
			f.Function, place = line[:open], line[open+2:len(line)-1]
		}
		if place != "native" {
			f.File, f.Line, f.Column = parsePlace(place)
		}
		frames = append(frames, f)
	}
	return frames
}

// maxName bounds a name in a frame: programs give functions any name.
const maxName = 200

// short returns a name as it fits into a line.
func short(name string) string {
	if len(name) > maxName {
		name = name[:maxName] + "…"
	}
	name = strings.ToValidUTF8(name, "\uFFFD")
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029 {
			return utf8.RuneError
		}
		return r
	}, name)
}

// parsePlace reads file:line:column, or file:line.
func parsePlace(text string) (file string, line, column int) {
	file, last := cutNumber(text)
	if last == 0 {
		return text, 0, 0
	}
	if rest, n := cutNumber(file); n > 0 {
		return rest, n, last
	}
	return file, last, 0
}

// cutNumber takes a number behind the last colon off; 0 if there is none.
func cutNumber(text string) (rest string, n int) {
	colon := strings.LastIndexByte(text, ':')
	if colon < 0 {
		return text, 0
	}
	n, err := strconv.Atoi(text[colon+1:])
	if err != nil || n <= 0 || n > 1<<30 {
		return text, 0
	}
	return text[:colon], n
}

// String writes a frame for people: "render (src/index.ts:12:5)", or "map (native)" for a function of the
// engine.
func (f Frame) String() string {
	name, file := short(f.Function), short(f.File)
	switch name {
	case "":
		name = "anonymous"
	case "<eval>":
		name = "top level"
	}
	switch {
	case f.File == "":
		return name + " (native)"
	case f.Column > 0:
		return fmt.Sprintf("%s (%s:%d:%d)", name, file, f.Line, f.Column)
	case f.Line > 0:
		return fmt.Sprintf("%s (%s:%d)", name, file, f.Line)
	}
	return name + " (" + file + ")"
}
