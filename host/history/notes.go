package history

import (
	"encoding/json"
	"sync"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// maxNotes is how many notes are remembered.
const maxNotes = 512

// Notes remembers the messages that a host's extensions have put into the conversation without showing
// them. Some hosts (see [profile.Context]) give them to a model as messages of the user, which they are not:
// a note that follows a step of a tool becomes a system message in the prompt. The zero value is ready for
// use, and safe for concurrent use.
type Notes struct {
	mu    sync.Mutex
	known recent
}

// Remember takes the messages of a host's context event and remembers the hidden notes among them: those
// with role "custom", display false, a number as timestamp, and a content of nothing but text, of which
// there is some. Of more than 512 the oldest are forgotten. It keeps nothing of the messages' memory.
func (n *Notes) Remember(messages ...json.RawMessage) {
	for _, raw := range messages {
		doc, err := jsonspan.Scan(raw, 3)
		if err != nil {
			continue
		}
		m := doc.Root()
		if !jsonvalue.Member(m, "role").Is("custom") || string(jsonvalue.Member(m, "display").Raw()) != "false" {
			continue
		}
		if key, ok := noteKey(m, readContent(jsonvalue.Member(m, "content"))); ok {
			n.mu.Lock()
			n.known.add(key, maxNotes)
			n.mu.Unlock()
		}
	}
}

func (n *Notes) has(key string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.known.has(key)
}

// noteKey is by what a note is known again.
func noteKey(m jsonspan.Node, c content) (string, bool) {
	at, ok := jsonvalue.Number(jsonvalue.Member(m, "timestamp"))
	text := c.text()
	if !ok || text == "" || c.hasImage() {
		return "", false
	}
	return string(append(ecma.AppendNumber(nil, at), ' ')) + text, true
}
