package session

import (
	"bytes"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// minRun is how many members a row has at least when it is written.
const minRun = 3

// maxRow is how large a row gets, about.
const maxRow = 1 << 20

// A delta is a chunk event that may be a member of a row. Its parts are JSON; id and name are nil if
// there is none.
type delta struct {
	kind                                  *deltaKind
	turn, step, index, id, name, fragment []byte
}

// Pack returns the records to be written for events, one for each line: runs of at least three chunk
// events of one block become packed rows (the replay-state protocol, section "Packed rows"), everything
// else stays as it is. Nothing is lost: [Unpack] of all records gives the same events again.
func Pack(events []Event) [][]byte {
	var (
		text []byte
		ends []int
		r    run
	)
	from := 0 // where the run begins
	flush := func(to int) {
		if r.members() >= minRun {
			text = r.appendTo(text, &events[from])
			ends = append(ends, len(text))
			return
		}
		for i := from; i < to; i++ {
			text = events[i].AppendJSON(text)
			ends = append(ends, len(text))
		}
	}
	for i := range events {
		d, ok := deltaOf(&events[i])
		if ok && i > from && r.joins(&d, &events[i-1], &events[i]) {
			r.add(&d, events[i].Time-events[i-1].Time)
			continue
		}
		flush(i)
		from = i
		r.begin(&d, ok)
	}
	flush(len(events))
	records := make([][]byte, len(ends))
	start := 0
	for i, end := range ends {
		records[i] = text[start:end:end]
		start = end
	}
	return records
}

// A run collects the members of a row.
type run struct {
	first     delta // its kind is nil if the run is of an event that is no delta
	head      int
	fragments [][]byte
	gaps      []int64
	size      int
}

func (r *run) begin(d *delta, ok bool) {
	r.fragments, r.gaps = r.fragments[:0], r.gaps[:0]
	if r.first = *d; !ok {
		r.first.kind = nil
		return
	}
	r.head = len(d.kind.headOf(d.turn, d.step, d.index, d.id, d.name))
	r.size = r.head + len(d.fragment)
	r.fragments = append(r.fragments, d.fragment)
}

func (r *run) members() int { return len(r.fragments) }

// joins says whether d, of event e, can follow the run, which ends in the event before.
func (r *run) joins(d *delta, before, e *Event) bool {
	f := &r.first
	gap := e.Time - before.Time
	return f.kind == d.kind && e.Seq == before.Seq+1 && -jsonvalue.MaxSafe <= gap && gap <= jsonvalue.MaxSafe &&
		sameJSON(f.turn, d.turn) && sameJSON(f.step, d.step) && sameJSON(f.index, d.index) &&
		sameJSON(f.id, d.id) && sameJSON(f.name, d.name) &&
		r.size+len(d.fragment) <= maxRow && !repeats(r.members()+1, r.head, r.size)
}

func (r *run) add(d *delta, gap int64) {
	r.fragments = append(r.fragments, d.fragment)
	r.gaps = append(r.gaps, gap)
	r.size += len(d.fragment)
}

// sameJSON compares two values, nil being none.
func sameJSON(a, b []byte) bool {
	return bytes.Equal(a, b) || a != nil && b != nil && jsonspan.Equal(a, b)
}

// appendTo writes the row of the run that begins with event e.
func (r *run) appendTo(dst []byte, e *Event) []byte {
	f := &r.first
	dst = append(append(dst, `{"type":"`...), f.kind.row...)
	dst = strconv.AppendInt(append(dst, `","seq0":`...), e.Seq, 10)
	dst = strconv.AppendInt(append(dst, `,"time0":`...), e.Time, 10)
	dst = append(append(dst, `,"data":{"turn":`...), f.turn...)
	dst = append(append(dst, `,"step":`...), f.step...)
	dst = append(append(dst, `,"index":`...), f.index...)
	dst = append(dst, `,"dt":[`...)
	for i, gap := range r.gaps {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, gap, 10)
	}
	dst = append(dst, ']')
	if f.id != nil {
		dst = append(append(dst, `,"id":`...), f.id...)
	}
	if f.name != nil {
		dst = append(append(dst, `,"name":`...), f.name...)
	}
	dst = append(append(append(dst, `,"`...), f.kind.list...), `":[`...)
	for i, fragment := range r.fragments {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, fragment...)
	}
	return append(dst, "]}}"...)
}

// deltaOf looks whether an event may be a member of a row: it has exactly the members that Unpack gives
// back, each once.
func deltaOf(e *Event) (d delta, ok bool) {
	if e.Type != AssistantChunk || e.raw != nil && !e.bare ||
		e.SurfaceOp != nil || e.Sources != nil || e.Ignorable ||
		e.Seq < 0 || e.Seq > jsonvalue.MaxSafe || e.Time < -jsonvalue.MaxSafe || e.Time > jsonvalue.MaxSafe {
		return d, false
	}
	var chunk []byte
	data := e.Data
	w := jsonspan.Walk(data)
	n := 0
	for ; w.Kind() == jsonspan.Object && w.Next(); n++ {
		value := w.Raw()
		switch string(w.RawKey()) {
		case `"turn"`:
			d.turn = value
		case `"step"`:
			d.step = value
		case `"chunk"`:
			chunk = value
		default:
			return d, false
		}
	}
	if n != 3 || w.Err() != nil || !isNumber(d.turn) || !isNumber(d.step) || chunk == nil {
		return d, false
	}
	return d, d.readChunk(chunk)
}

func (d *delta) readChunk(chunk []byte) bool {
	var typ, text, args []byte
	w := jsonspan.Walk(chunk)
	n := 0
	for ; w.Kind() == jsonspan.Object && w.Next(); n++ {
		value := w.Raw()
		switch string(w.RawKey()) {
		case `"type"`:
			typ = value
		case `"index"`:
			d.index = value
		case `"id"`:
			d.id = value
		case `"name"`:
			d.name = value
		case `"text"`:
			text = value
		case `"argumentsDelta"`:
			args = value
		default:
			return false
		}
	}
	if !isNumber(d.index) || !isString(typ) {
		return false
	}
	for i := range deltaKinds {
		k := &deltaKinds[i]
		if string(typ[1:len(typ)-1]) != k.chunk {
			continue
		}
		d.kind = k
		if !k.call {
			d.fragment = text
			return n == 3 && isString(text) // type, index and text
		}
		d.fragment = args
		if d.name != nil {
			n--
		}
		return n == 4 && isString(d.id) && isString(args) && (d.name == nil || isString(d.name))
	}
	return false
}
