package pisession

import (
	"bytes"
	"regexp"
	"strconv"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// Types of entries.
const (
	Message       = "message"
	CustomMessage = "custom_message"
	Custom        = "custom"
	Compaction    = "compaction"
	BranchSummary = "branch_summary"
	ModelChange   = "model_change"
	ThinkingLevel = "thinking_level_change"
	Label         = "label"
	SessionInfo   = "session_info"
	Usage         = "usage"
	ContextEdit   = "context_edit"
)

// KnownType tells whether Pi has entries of this type.
func KnownType(name string) bool {
	switch name {
	case Message, CustomMessage, Custom, Compaction, BranchSummary, ModelChange, ThinkingLevel, Label, SessionInfo,
		Usage, ContextEdit:
		return true
	}
	return false
}

// A shape is what can be wrong with an entry by itself.
type shape struct {
	noParent bool // parentId is neither a string nor null
	badTime  bool
	badMessage
	time      int64 // in milliseconds since 1970
	keptPlace int   // a compaction of version 1 says which place it keeps first; -1 if it does not
}

// badMessage says why Pi stumbles over a message.
type badMessage int

// What can be wrong with a message.
const (
	soundMessage badMessage = iota
	noMessage               // there is no message object
	noContent               // of a message of the user or the model
)

// Misses says what of an entry is not as Pi writes it, in words; "" if nothing is.
func (e *Entry) Misses() string {
	switch {
	case e.Type == "":
		return "the entry has no type"
	case e.shape.noParent:
		return "the entry's parentId is neither a text nor null"
	}
	return ""
}

// NoMessage tells whether the entry is a message without a message object.
func (e *Entry) NoMessage() bool { return e.shape.badMessage == noMessage }

// NoContent tells whether a message's content is not of a kind that its role has: a list or, of the user, a text.
func (e *Entry) NoContent() bool { return e.shape.badMessage == noContent }

// Time is when the entry was written, in milliseconds since 1970; ok is false if the entry does not say in
// a form that Pi writes.
func (e *Entry) Time() (ms int64, ok bool) { return e.shape.time, !e.shape.badTime }

// members are those of a line that matter for the tree, as JSON; nil if they are not there.
type members struct {
	kind, id, parent, time, version, cwd, customType []byte
	message, keptID, keptPlace, target, from         []byte
}

// readMembers reads a line. The error is that of its JSON.
func readMembers(text []byte) (members, jsonspan.Kind, error) {
	var m members
	w := jsonspan.Walk(text)
	for w.Next() {
		key := w.RawKey()
		if len(key) == 0 { // an element of a list
			continue
		}
		if to := m.place(jsonspan.Text(key)); to != nil {
			*to = w.Raw()
		}
	}
	return m, w.Kind(), w.Err()
}

func (m *members) place(key string) *[]byte {
	switch key {
	case "type":
		return &m.kind
	case "id":
		return &m.id
	case "parentId":
		return &m.parent
	case "timestamp":
		return &m.time
	case "version":
		return &m.version
	case "cwd":
		return &m.cwd
	case "customType":
		return &m.customType
	case "message":
		return &m.message
	case "firstKeptEntryId":
		return &m.keptID
	case "firstKeptEntryIndex":
		return &m.keptPlace
	case "targetId":
		return &m.target
	case "fromId":
		return &m.from
	}
	return nil
}

// read takes what depends on the entry's type.
func (e *Entry) read(m *members, s *scanner) {
	e.shape.keptPlace = -1
	_, text := jsonvalue.TextOf(m.parent)
	e.shape.noParent = !text && len(m.parent) > 0 && string(m.parent) != "null"
	at, err := time.Parse(time.RFC3339Nano, jsonvalue.StringOf(m.time))
	e.shape.badTime, e.shape.time = err != nil, at.UnixMilli()
	switch e.Type {
	case Message:
		values := jsonvalue.Pick(m.message, "role", "content")
		e.Role = s.name(values[0])
		switch content := values[1]; {
		case e.Role == "":
			e.shape.badMessage = noMessage
		case e.Role != "user" && e.Role != "assistant" && e.Role != "toolResult":
		case len(content) == 0 || content[0] != '[' && (content[0] != '"' || e.Role != "user"):
			e.shape.badMessage = noContent
		}
	case Compaction:
		e.Target = jsonvalue.StringOf(m.keptID)
		if n, ok := jsonvalue.WholeOf(m.keptPlace); ok {
			e.shape.keptPlace = int(max(n, -1))
		}
	case Label, ContextEdit:
		e.Target = jsonvalue.StringOf(m.target)
	case BranchSummary:
		e.Target = jsonvalue.StringOf(m.from)
	}
}

func linearID(i int) string { return "#" + strconv.Itoa(i+1) }

// links is how Pi writes the two members that link an entry, next to each other in any entry.
var links = regexp.MustCompile(`"id":"([^"\\]{1,100})","parentId":(?:null|"([^"\\]{1,100})")`)

// remains finds the links of a broken line. A tool call in a message has an id too, but no parent.
func remains(text []byte) (id, parent string) {
	const most = 1 << 20 // a longer line is searched at both ends
	if len(text) > most {
		if id, parent = remains(text[:most/2]); id == "" {
			id, parent = remains(text[len(text)-most/2:])
		}
		return id, parent
	}
	if bytes.Contains(text, []byte(`"parentId"`)) {
		if m := links.FindSubmatch(text); m != nil {
			return string(m[1]), string(m[2])
		}
	}
	return "", ""
}
