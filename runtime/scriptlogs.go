package runtime

import (
	"log/slog"
	"strings"

	"github.com/pintle-wasm/pintle/internal/quickjs"
)

// maxLoggedStacks bounds the stacks in the logs of one call whose places are looked up.
const maxLoggedStacks = 16

// note puts what a program logged into the log of the call.
func (in *instance) note(n quickjs.Notes) {
	logs, stacks := in.state.logs, maxLoggedStacks
	for _, l := range n.Logs {
		text := in.program.located(l.Text, &stacks)
		if room := logs.room(); len(text) > room {
			logs.drop(int64(len(text) - room))
			text = text[:room]
		}
		logs.add(guestLevel(l.Level), text)
	}
	logs.drop(int64(n.Lost))
	for _, e := range n.Rejected {
		text := "a promise was rejected and nobody handles it: " + e.Reason
		if trace, _ := in.program.trace(e.Stack); len(trace) > 0 {
			text += " at " + trace[0]
		}
		logs.add(slog.LevelWarn, text)
	}
}

// located puts places of the author's files into the stacks of errors in a text: what a program knows of an error
// are places of its bundle, which nobody has. left is how many stacks are looked at.
func (s *script) located(text string, left *int) string {
	if s.sourceMap == nil || !s.sourceMap.Useful() || *left == 0 || !strings.Contains(text, s.file()+":") {
		return text
	}
	var out strings.Builder
	for rest := text; rest != ""; {
		end := stackEnd(rest)
		if end == 0 {
			_, after, _ := strings.Cut(rest, "\n")
			end = len(rest) - len(after)
			out.WriteString(rest[:end])
		} else if stack := rest[:end]; *left > 0 && strings.Contains(stack, s.file()+":") {
			*left--
			lines, _ := s.trace(quickjs.ParseStack(stack))
			for _, line := range lines {
				out.WriteString("    at " + line + "\n")
			}
		} else {
			out.WriteString(stack)
		}
		rest = rest[end:]
	}
	if !strings.HasSuffix(text, "\n") {
		return strings.TrimSuffix(out.String(), "\n")
	}
	return out.String()
}

// stackEnd is where the lines of a stack end that a text begins with; 0 if it begins with another line.
func stackEnd(text string) (end int) {
	for line := range strings.Lines(text) {
		frame := strings.TrimSpace(line)
		if !strings.HasPrefix(frame, "at ") || !strings.HasSuffix(frame, ")") && !strings.Contains(frame, ":") {
			break
		}
		end += len(line)
	}
	return end
}
