package payload

import (
	"bytes"
	"io"
)

// A Body is a request body in pieces: parts of the payload as it was, and what an adapter put between
// them. So a large payload is edited without a copy of it. The zero Body is empty. A Body is safe for
// concurrent use; its bytes belong to the payload and to the adapter's answer and must not be changed.
type Body struct {
	pieces [][]byte
	size   int
}

// BodyOf returns the body that pieces make one behind the other.
func BodyOf(pieces ...[]byte) Body {
	b := Body{pieces: pieces}
	for _, p := range pieces {
		b.size += len(p)
	}
	return b
}

// Len returns the length in bytes.
func (b Body) Len() int { return b.size }

// Bytes returns the body as one slice: the one piece that it has, or else a copy.
func (b Body) Bytes() []byte {
	if len(b.pieces) == 1 {
		return b.pieces[0]
	}
	out := make([]byte, 0, b.size)
	for _, p := range b.pieces {
		out = append(out, p...)
	}
	return out
}

// WriteTo writes the body, piece by piece.
func (b Body) WriteTo(w io.Writer) (int64, error) {
	r := reader{pieces: b.pieces}
	return r.WriteTo(w)
}

// NewReader returns a reader of the body from its start. It is an io.WriterTo too, which hands the pieces
// to a writer as they are. Any number of readers of one body may be used at a time.
func (b Body) NewReader() io.Reader { return &reader{pieces: b.pieces} }

// same tells whether the body is these bytes.
func (b Body) same(data []byte) bool {
	if b.size != len(data) {
		return false
	}
	for _, p := range b.pieces {
		if !bytes.Equal(p, data[:len(p)]) {
			return false
		}
		data = data[len(p):]
	}
	return true
}

// A reader has read the pieces in front of its first, and a part of that.
type reader struct {
	pieces [][]byte
	at     int
}

func (r *reader) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) && len(r.pieces) > 0 {
		m := copy(p[n:], r.pieces[0][r.at:])
		n += m
		if r.at += m; r.at == len(r.pieces[0]) {
			r.pieces, r.at = r.pieces[1:], 0
		}
	}
	if n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

func (r *reader) WriteTo(w io.Writer) (int64, error) {
	var written int64
	for len(r.pieces) > 0 {
		piece := r.pieces[0][r.at:]
		n, err := w.Write(piece)
		written += int64(n)
		r.at += n
		if err == nil && n < len(piece) {
			err = io.ErrShortWrite
		}
		if err != nil {
			return written, err
		}
		r.pieces, r.at = r.pieces[1:], 0
	}
	return written, nil
}
