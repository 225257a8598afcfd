package session

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
)

// scanner reads the file from its start up to a length.
func (v *view) scanner(length int64) *Scanner {
	text := io.NewSectionReader(v.f, 0, length)
	s := NewScanner(text)
	if v.packed {
		s = NewZstdScanner(text)
	}
	s.Path = v.path
	return s
}

// scan reads the file through, and says what of it is a log.
func (v *view) scan(ctx context.Context) error {
	var err error
	if v.packed, err = compressed(v.path, v.f); err != nil {
		return err
	}
	s := v.scanner(v.size)
	if err := s.through(ctx); err != nil {
		return err
	}
	if v.header, err = s.Header(); err != nil {
		return err
	}
	v.next, v.kept, v.end = s.Next(), s.Kept(), s.Committed()
	v.text, v.keptText = s.behind()
	v.limit = v.end
	if v.kept < v.next {
		v.limit = v.size
	}
	return nil
}

// readHeader reads the header alone.
func readHeader(path string) (Header, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return Header{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Header{}, err
	}
	v := view{path: path, f: f}
	if v.packed, err = compressed(path, f); err != nil {
		return Header{}, err
	}
	return v.scanner(info.Size()).Header()
}

// compressed says whether a file is Zstandard. Its name and its first bytes must not contradict.
func compressed(path string, f io.ReaderAt) (bool, error) {
	start := make([]byte, len(frameMagic))
	n, err := f.ReadAt(start, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	is := string(start[:n]) == frameMagic
	switch {
	case strings.HasSuffix(path, ".jsonl"):
		if is {
			return false, &Error{
				Code: HeaderNotJSON, Path: path, Line: 1,
				Detail: "the file is named as a plain log but is a Zstandard file; if it is a log, name it .jsonl.zstd",
			}
		}
		return false, nil
	case strings.HasSuffix(path, ".zstd"), strings.HasSuffix(path, ".zst"):
		if !strings.HasPrefix(frameMagic, string(start[:n])) {
			return false, &Error{
				Code: FrameCorrupt, Path: path,
				Detail: "the file is named as a Zstandard file but is none; if it is a plain log, name it .jsonl",
			}
		}
		return true, nil
	}
	return is, nil
}
