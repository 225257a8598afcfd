package session

import (
	"fmt"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// A row holds a run of chunk events of one kind in one line: the replay-state protocol, section "Packed
// rows". Rows are read wherever a line is.
type row struct {
	// head is the data of each member up to its fragment, which deltaTail follows.
	head []byte
	// seq and time are those of the next member, left is how many are to come.
	seq, time int64
	left      int
	// gaps and fragments are lists, walked in step.
	gaps, fragments []byte
	gap, fragment   jsonspan.Walker
}

// A deltaKind is one kind of chunks that a row can hold.
type deltaKind struct {
	row, chunk     string // the types of the row and of its members' chunks
	list, fragment string // where the fragments are in a row, and in a chunk
	call           bool   // it is about a tool call
}

var deltaKinds = [...]deltaKind{
	{row: "text-chunks", chunk: "text-delta", list: "texts", fragment: "text"},
	{row: "reasoning-chunks", chunk: "reasoning-delta", list: "texts", fragment: "text"},
	{row: "tool-call-chunks", chunk: "tool-call-delta", list: "args", fragment: "argumentsDelta", call: true},
}

// rowKind returns the kind of row that a type names, nil if it names none.
func rowKind(typ string) *deltaKind {
	for i := range deltaKinds {
		if deltaKinds[i].row == typ {
			return &deltaKinds[i]
		}
	}
	return nil
}

const deltaTail = "}}"

// headOf writes the data of a chunk event up to its fragment.
func (k *deltaKind) headOf(turn, step, index, id, name []byte) []byte {
	dst := make([]byte, 0, 112+len(turn)+len(step)+len(index)+len(id)+len(name))
	dst = append(append(dst, `{"turn":`...), turn...)
	dst = append(append(dst, `,"step":`...), step...)
	dst = append(append(dst, `,"chunk":{"type":"`...), k.chunk...)
	dst = append(append(dst, `","index":`...), index...)
	if k.call {
		dst = append(append(dst, `,"id":`...), id...)
		if name != nil {
			dst = append(append(dst, `,"name":`...), name...)
		}
	}
	return append(append(append(dst, `,"`...), k.fragment...), `":`...)
}

// repeats says whether what all members share is too large to be repeated for each of them, for a row
// of this size. It bounds what a hostile row expands to. The rows of a stream expand some 20 to 40 times,
// and short ones may do as they like.
func repeats(members, head, size int) bool {
	return int64(members)*int64(head) > 256<<10+64*int64(size)
}

// Unpack reads one record of a log, which is the JSON of a line. A packed row becomes its events. Anything
// else becomes one event, whatever its shape: its Seq is -1 if it has no integer seq. The events may keep
// record, which must not change. The error is an *Error: RowMalformed if anything at all is wrong with a
// row, CorruptLine for what is not JSON.
func Unpack(record []byte) ([]Event, error) {
	var p parsed
	if err := p.read(record); err != nil {
		return nil, &Error{Code: CorruptLine, Detail: err.Error()}
	}
	k := rowKind(p.Type)
	if k == nil {
		return []Event{p.event(record)}, nil
	}
	r, fault := readRow(k, record)
	if fault != "" {
		return nil, &Error{Code: RowMalformed, Detail: "malformed row of " + k.row + ": " + fault}
	}
	events := make([]Event, 0, r.left)
	var a arena
	for r.left > 0 {
		events = append(events, r.next(&a))
	}
	return events, nil
}

// readRow reads a row, which is valid JSON, and says what is wrong with it.
func readRow(k *deltaKind, record []byte) (r row, fault string) {
	var typ, seq, time, data []byte
	if !exactly(record, []slot{{`"type"`, &typ}, {`"seq0"`, &seq}, {`"time0"`, &time}, {`"data"`, &data}}) {
		return r, "it must have type, seq0, time0 and data, and nothing else"
	}
	var turn, step, index, id, name []byte
	slots := []slot{
		{`"turn"`, &turn}, {`"step"`, &step}, {`"index"`, &index}, {`"dt"`, &r.gaps}, {`"` + k.list + `"`, &r.fragments},
	}
	if k.call {
		slots = append(slots, slot{`"id"`, &id}, slot{`"name"`, &name})
	}
	if !exactly(data, slots) {
		return r, "data has a member too many or too few"
	}
	var ok bool
	if r.seq, ok = jsonvalue.WholeOf(seq); !ok || r.seq < 0 {
		return r, "seq0 is not an integer from 0 to 2^53-1"
	}
	if r.time, ok = jsonvalue.WholeOf(time); !ok {
		return r, "time0 is not an integer"
	}
	if !isNumber(turn) || !isNumber(step) || !isNumber(index) {
		return r, "turn, step and index must be numbers"
	}
	if k.call && (!isString(id) || name != nil && !isString(name)) {
		return r, "id and name must be texts"
	}
	for w := jsonspan.Walk(r.fragments); ; r.left++ {
		if !w.Next() {
			if w.Kind() != jsonspan.Array || r.left == 0 {
				return r, k.list + " is not a list of at least one text"
			}
			break
		}
		if !isString(w.Raw()) {
			return r, k.list + " has a member that is not a text"
		}
	}
	if fault := r.checkTimes(); fault != "" {
		return r, fault
	}
	if r.seq+int64(r.left)-1 > jsonvalue.MaxSafe {
		return r, "the seqs go beyond 2^53-1"
	}
	r.head = k.headOf(turn, step, index, id, name)
	if repeats(r.left, len(r.head), len(record)) {
		return r, "id and name are too long to be repeated for each member"
	}
	r.gap, r.fragment = jsonspan.Walk(r.gaps), jsonspan.Walk(r.fragments)
	return r, ""
}

func (r *row) checkTimes() string {
	w := jsonspan.Walk(r.gaps)
	if w.Kind() != jsonspan.Array {
		return "dt is not a list"
	}
	n, time := 0, r.time
	for ; w.Next(); n++ {
		gap, ok := jsonvalue.WholeOf(w.Raw())
		if !ok {
			return "dt has a member that is not an integer"
		}
		if time += gap; time < -jsonvalue.MaxSafe || time > jsonvalue.MaxSafe {
			return "the times go beyond 2^53-1"
		}
	}
	if n != r.left-1 {
		return fmt.Sprintf("dt has %d members for %d fragments", n, r.left)
	}
	return ""
}

// next makes the next member. There must be one.
func (r *row) next(a *arena) Event {
	e := Event{Type: AssistantChunk, Seq: r.seq, Time: r.time}
	fragment := r.pass()
	data := append(a.get(len(r.head) + len(fragment) + len(deltaTail))[:0], r.head...)
	e.Data = append(append(data, fragment...), deltaTail...)
	return e
}

// pass goes past the next member, which there must be, and returns its fragment.
func (r *row) pass() []byte {
	r.fragment.Next()
	r.seq++
	r.left--
	if r.gap.Next() {
		gap, _ := jsonvalue.WholeOf(r.gap.Raw())
		r.time += gap
	}
	return r.fragment.Raw()
}

// A slot is a member that an object may have, by its key in JSON, and where its value goes.
type slot struct {
	key   string
	value *[]byte
}

// exactly reads an object that has all of the members, and no others. A name may be missing.
func exactly(object []byte, slots []slot) bool {
	w := jsonspan.Walk(object)
	if w.Kind() != jsonspan.Object {
		return false
	}
members:
	for w.Next() {
		key, value := plainKey(w.RawKey()), w.Raw()
		for _, s := range slots {
			if string(key) == s.key {
				*s.value = value
				continue members
			}
		}
		return false
	}
	for _, s := range slots {
		if *s.value == nil && s.key != `"name"` {
			return false
		}
	}
	return w.Err() == nil
}

func isNumber(raw []byte) bool {
	return len(raw) > 0 && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9')
}

func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }
