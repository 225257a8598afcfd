package jsonrpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	maxHeaderLine  = 4 << 10 // bytes
	maxHeaderLines = 32
	readBuffer     = 64 << 10 // what a pipe holds
)

// ErrFraming is wrapped by every error about a stream in which the next message cannot be found.
var ErrFraming = errors.New("broken framing")

// A TooLongError tells of a message that was skipped. The stream can be read further.
type TooLongError struct {
	Length, Limit int64 // in bytes
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("a message of %d bytes: at most %d are read", e.Length, e.Limit)
}

// A Reader reads framed messages. It is not for concurrent use.
type Reader struct {
	in    *bufio.Reader
	limit int64
}

// NewReader reads messages of up to limit bytes.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, readBuffer), limit: int64(limit)}
}

// Read returns the bytes of the next message, which belong to the caller. The error is io.EOF at the end
// of the stream, io.ErrUnexpectedEOF inside a message, a [TooLongError] for a message that was skipped, one
// that wraps [ErrFraming], or the stream's own.
func (r *Reader) Read() ([]byte, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	if length > r.limit {
		if _, err := io.CopyN(io.Discard, r.in, length); err != nil {
			return nil, unexpected(err)
		}
		return nil, &TooLongError{Length: length, Limit: r.limit}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(r.in, body); err != nil {
		return nil, unexpected(err)
	}
	return body, nil
}

// header reads up to the empty line and returns the length of what follows.
func (r *Reader) header() (int64, error) {
	length := int64(-1)
	for n := 0; ; n++ {
		line, err := r.line()
		if err != nil {
			if n > 0 {
				err = unexpected(err)
			}
			return 0, err
		}
		if len(line) == 0 {
			if length < 0 {
				return 0, fmt.Errorf("%w: a header without Content-Length", ErrFraming)
			}
			return length, nil
		}
		if n == maxHeaderLines {
			return 0, fmt.Errorf("%w: a header of more than %d lines", ErrFraming, maxHeaderLines)
		}
		name, value, found := bytes.Cut(line, []byte(":"))
		if !found || bytes.ContainsFunc(name, noName) {
			return 0, fmt.Errorf("%w: %q is no line of a header, such as \"Content-Length: 20\"", ErrFraming, start(line))
		}
		if !strings.EqualFold(string(name), "Content-Length") {
			continue
		}
		if length >= 0 {
			return 0, fmt.Errorf("%w: a header with two lengths", ErrFraming)
		}
		if length, err = parseLength(string(bytes.Trim(value, " \t"))); err != nil {
			return 0, err
		}
	}
}

// noName tells what is in no name of a header, but in a message without a header is.
func noName(r rune) bool { return r <= ' ' || r >= 0x7f || r == '"' || r == '{' }

// line reads a line without its end.
func (r *Reader) line() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil && err != bufio.ErrBufferFull:
		return nil, err
	case err != nil || len(line) > maxHeaderLine:
		return nil, fmt.Errorf("%w: a line of a header is longer than %d bytes: %q", ErrFraming, maxHeaderLine, start(line))
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte("\r")), nil
}

func parseLength(digits string) (int64, error) {
	length, err := strconv.ParseUint(digits, 10, 63)
	if err != nil {
		return 0, fmt.Errorf("%w: the length %q is no number of bytes", ErrFraming, start([]byte(digits)))
	}
	return int64(length), nil
}

// start is what an error shows of a line that may be anything.
func start(line []byte) []byte { return line[:min(len(line), 60)] }

// unexpected is an error inside a message.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// A Writer writes framed messages. It is not for concurrent use.
type Writer struct {
	out    *bufio.Writer
	header []byte
}

// NewWriter writes to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: bufio.NewWriterSize(out, readBuffer)} }

// Write writes one message that consists of parts. It may stay in a buffer until [Writer.Flush].
func (w *Writer) Write(parts ...[]byte) error {
	w.header = append(w.header[:0], "Content-Length: "...)
	w.header = strconv.AppendInt(w.header, int64(size(parts)), 10)
	w.header = append(w.header, "\r\n\r\n"...)
	_, err := w.out.Write(w.header)
	for _, part := range parts {
		if err == nil {
			_, err = w.out.Write(part)
		}
	}
	return err
}

// Flush writes what is in the buffer.
func (w *Writer) Flush() error { return w.out.Flush() }

func size(parts [][]byte) int {
	n := 0
	for _, part := range parts {
		n += len(part)
	}
	return n
}
