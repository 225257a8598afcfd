package jsonspan

// A Walker goes through the members of one object, or the elements of one list, in order. It checks the
// document on its way and allocates nothing, which makes it the cheapest way to read a document of which
// a few members are wanted. The zero Walker has nothing to walk through.
type Walker struct {
	data       []byte
	i          int // behind what has been read; the place of the fault in the end if there is one
	kind       Kind
	state      walkState
	key, value Span
}

type walkState uint8

const (
	walkOpened walkState = iota // behind the opening bracket
	walkInside                  // behind a value
	walkEnded
	walkFailed
)

// Walk begins to walk through a document, which must not change meanwhile.
func Walk(data []byte) Walker {
	w := Walker{data: data, i: SkipSpace(data, 0)}
	if w.i == len(data) {
		w.state = walkFailed
		return w
	}
	if w.kind = kindOf(data[w.i]); w.kind >= Array {
		w.value.From = w.i
		w.i++
		return w
	}
	end, ok := SkipValue(data, w.i, MaxDepth)
	w.value = Span{w.i, end}
	w.i = end
	w.close(ok)
	return w
}

// Kind is the kind of the document's one value, guessed from its first byte: it is certain when Err has
// returned nil. It is Absent for a document of white space.
func (w *Walker) Kind() Kind { return w.kind }

// Next goes on to the next member or element, and says whether there is one.
func (w *Walker) Next() bool {
	if w.state >= walkEnded || w.kind < Array {
		return false
	}
	b := w.data
	i := SkipSpace(b, w.i)
	closing := byte(']')
	if w.kind == Object {
		closing = '}'
	}
	if i < len(b) && b[i] == closing {
		w.i = i + 1
		w.close(true)
		return false
	}
	if w.state == walkInside {
		if i >= len(b) || b[i] != ',' {
			return w.fail(i)
		}
		i = SkipSpace(b, i+1)
	}
	if w.kind == Object {
		if i >= len(b) || b[i] != '"' {
			return w.fail(i)
		}
		end, ok := SkipString(b, i+1)
		if !ok {
			return w.fail(end)
		}
		w.key = Span{i, end}
		if i = SkipSpace(b, end); i >= len(b) || b[i] != ':' {
			return w.fail(i)
		}
		i = SkipSpace(b, i+1)
	}
	end, ok := SkipValue(b, i, MaxDepth-1)
	if !ok {
		return w.fail(end)
	}
	w.value = Span{i, end}
	w.i = end
	w.state = walkInside
	return true
}

func (w *Walker) fail(at int) bool {
	w.i, w.state = at, walkFailed
	return false
}

// close ends the walk behind the value.
func (w *Walker) close(ok bool) {
	if !ok {
		w.state = walkFailed
		return
	}
	w.state = walkEnded
	if w.kind >= Array {
		// The last member is of no use any more; the whole container is.
		w.key, w.value = Span{}, Span{SkipSpace(w.data, 0), w.i}
	}
	if w.i = SkipSpace(w.data, w.i); w.i != len(w.data) {
		w.state = walkFailed
	}
}

// Value is where the member or element is. When Next has returned false, and from the beginning if the
// document is no container, it is where the whole value is.
func (w *Walker) Value() Span { return w.value }

// RawKey returns the bytes of the member's key, quotation marks included; none in a list. They belong to the
// document.
func (w *Walker) RawKey() []byte { return w.data[w.key.From:w.key.To:w.key.To] }

// Raw returns the bytes of the member or element ([Walker.Value]). They belong to the document.
func (w *Walker) Raw() []byte { return w.data[w.value.From:w.value.To:w.value.To] }

// Err returns a *[SyntaxError] if what has been read is not JSON. When Next has returned false and Err
// returns nil, the document is valid, as [Valid] says it.
func (w *Walker) Err() error {
	if w.state != walkFailed {
		return nil
	}
	return &SyntaxError{Offset: w.i}
}
