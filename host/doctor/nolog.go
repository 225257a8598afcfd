package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// NoLog says what a file seems to be in which neither a log's header nor an event can be read: "a binary
// file", for example. It returns "" for any other file, damaged logs among them.
func NoLog(ctx context.Context, path string) (string, error) {
	s, err := openSalvage(ctx, path)
	if err != nil {
		return "", err
	}
	defer s.close()
	return s.noLog()
}

// noLog is NoLog for a file whose beginning has been read up to its first event.
func (s *salvage) noLog() (string, error) {
	if s.found || s.log.Summary().Events > 0 {
		return "", nil
	}
	start, err := s.start()
	if err != nil {
		return "", err
	}
	return seems(start), nil
}

// start is the beginning of the file.
func (s *salvage) start() ([]byte, error) {
	start := make([]byte, 4<<10)
	n, err := s.file.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return start[:n], nil
}

// isNoLog puts one finding in the place of those about the lines of a file that is no log.
func (r *Report) isNoLog(what string, lines int64) {
	f := fileFinding(r.Refused)
	f.Detail = fmt.Sprintf("%s; the file seems to be %s: nothing can be read of its %s", f.Detail, what,
		pluralOf(int(lines), "line", "lines"))
	if lines == 0 {
		f.Detail = "it is " + what
	}
	r.Findings, r.counts, r.rest = nil, nil, nil
	r.add(f)
}

// seems is for people, and goes by the first bytes of a file.
func seems(start []byte) string {
	cut := start
	for i := 0; i < utf8.UTFMax && len(cut) > 0 && !utf8.Valid(cut); i++ {
		cut = cut[:len(cut)-1]
	}
	text := bytes.TrimSpace(start)
	switch {
	case len(start) == 0:
		return "an empty file"
	case bytes.HasPrefix(start, []byte("\x28\xb5\x2f\xfd")):
		return "a Zstandard file of something else"
	case bytes.HasPrefix(start, []byte("\x1f\x8b")):
		return "a gzip file"
	case bytes.HasPrefix(start, []byte("PK\x03\x04")):
		return "a zip file"
	case bytes.IndexByte(start, 0) >= 0 || !utf8.Valid(cut):
		return "a binary file"
	case len(text) == 0:
		return "blank text"
	case text[0] == '{' || text[0] == '[':
		return "JSON of another kind, or a log of which nothing is left"
	}
	return "text of another kind"
}
