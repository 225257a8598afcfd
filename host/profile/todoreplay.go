package profile

import (
	"encoding/json"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// FoldTodos restates the operations of one message that have the same head ([FanOutHead]) as the input of
// the provider's one call: its whole list (section "History direction", Folding). ops are the arguments of
// the host's calls in order. known are the rows known before that message, reported those of the last
// result of the group that has some, each nil if there are none; see [Toolset.ResultTodos].
func FoldTodos(ops []json.RawMessage, known, reported []Todo) json.RawMessage {
	rows, ok := ReplayTodos(ops, known)
	if !ok {
		rows = reported
	}
	return todoList(rows)
}

// ReplayTodos gives the rows that operations on a todo list leave: those of the arguments in ops, in
// order, on the known rows. known is nil if they are not known; then the result is false unless an
// operation begins the list anew or clears it.
//
// The first row of a new list is active. Of several rows with the same content an operation changes the
// first, but rm removes all. A row that is not there is added. What is no operation, or one without a
// task, changes nothing. The cost is linear.
func ReplayTodos(ops []json.RawMessage, known []Todo) ([]Todo, bool) {
	l := todoReplay{known: known != nil}
	l.begin(known)
	for _, raw := range ops {
		l.apply(raw)
	}
	return l.left(), l.known
}

// A todoReplay is a list on which operations are replayed.
type todoReplay struct {
	known bool
	rows  []replayRow
	// places are the first rows with a content.
	places map[string]int
	// started are rows that may be active.
	started []int
}

type replayRow struct {
	Todo
	gone bool
	// same is another row with the same content, 0 for none: the first row of all is never another one.
	same int
}

func (l *todoReplay) begin(rows []Todo) {
	l.rows, l.started = make([]replayRow, 0, len(rows)), l.started[:0]
	l.places = make(map[string]int, len(rows))
	for _, row := range rows {
		l.add(row)
	}
}

func (l *todoReplay) add(row Todo) {
	at := len(l.rows)
	l.rows = append(l.rows, replayRow{Todo: row})
	if first, ok := l.places[row.Content]; ok {
		l.rows[at].same, l.rows[first].same = l.rows[first].same, at
	} else {
		l.places[row.Content] = at
	}
	if row.Status == active {
		l.started = append(l.started, at)
	}
}

func (l *todoReplay) apply(raw json.RawMessage) {
	var members [4][]byte
	jsonvalue.PickInto(members[:], raw, "op", "task", "items", "list")
	content := ecma.Trim(jsonvalue.StringOf(members[1]))
	switch jsonvalue.StringOf(members[0]) {
	case "init":
		l.known = true
		l.begin(initRows(members[2], members[3]))
	case "rm":
		if content == "" {
			l.known = true
			l.begin(nil)
		} else {
			l.remove(content)
		}
	case "done":
		l.put(Todo{content, completed})
	case "drop":
		l.put(Todo{content, cancelled})
	case "start":
		if content != "" {
			for _, at := range l.started {
				if l.rows[at].Status == active {
					l.rows[at].Status = pending
				}
			}
			l.started = l.started[:0]
		}
		l.put(Todo{content, active})
	}
}

func (l *todoReplay) put(row Todo) {
	if row.Content == "" {
		return
	}
	at, ok := l.places[row.Content]
	if !ok {
		l.add(row)
		return
	}
	l.rows[at].Status = row.Status
	if row.Status == active {
		l.started = append(l.started, at)
	}
}

func (l *todoReplay) remove(content string) {
	at, ok := l.places[content]
	if !ok {
		return
	}
	delete(l.places, content)
	l.rows[at].gone = true
	for at = l.rows[at].same; at > 0; at = l.rows[at].same {
		l.rows[at].gone = true
	}
}

// left are the rows that are there, nil if the list is not known.
func (l *todoReplay) left() []Todo {
	if !l.known {
		return nil
	}
	rows := make([]Todo, 0, len(l.rows))
	for _, row := range l.rows {
		if !row.gone {
			rows = append(rows, row.Todo)
		}
	}
	return rows
}

// FanOutHead returns the id of the provider's call that the host's call with an id was made from, and
// whether there is one: what is in front of "#" and a number, if it is not empty. An id that a provider
// made may look the same.
func FanOutHead(id string) (head string, ok bool) {
	head, digits := cutDigits(id)
	if digits == "" || len(head) < 2 || head[len(head)-1] != '#' {
		return "", false
	}
	return head[:len(head)-1], true
}
