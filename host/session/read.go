package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
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
	if s.frames != nil && s.frames.torn > 0 {
		at, err := wholeFrame(v.f, s.frames.torn+1, v.size)
		if err != nil {
			return fmt.Errorf("%s: %w", v.path, err)
		}
		if at > 0 {
			return &Error{
				Code: FrameCorrupt, Path: v.path, Offset: s.frames.torn,
				Detail: fmt.Sprintf("the frame at byte %d has no end, but a whole one follows it, at byte %d", s.frames.torn, at),
			}
		}
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

// wholeFrame looks for a complete frame in a part of a file, and returns where it begins, 0 for none. A
// write that was cut short is the last thing in a file, since what is torn is cut off before anything is
// appended; so a frame behind it says that the file has been damaged, and must not be cut.
func wholeFrame(f io.ReaderAt, from, to int64) (int64, error) {
	const (
		piece = 1 << 20
		most  = 64 // the magic bytes come by chance once in 4 GB, so this many are somebody's doing
	)
	text, err := newFrameText()
	if err != nil {
		return 0, err
	}
	buffer := make([]byte, piece)
	for tried := 0; from < to; {
		n, err := f.ReadAt(buffer[:min(piece, to-from)], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return 0, err
		}
		at := bytes.Index(buffer[:n], []byte(frameMagic))
		if at < 0 {
			if n < len(frameMagic) {
				return 0, nil
			}
			from += int64(n - len(frameMagic) + 1)
			continue
		}
		from += int64(at)
		if text.begin(bufio.NewReader(io.NewSectionReader(f, from, to-from)), from) {
			_, _ = io.Copy(io.Discard, text)
			if what, _ := text.fate(); what == frameWhole && text.body.checksum && text.last == '\n' {
				return from, nil
			}
		}
		if tried++; tried == most {
			return 0, nil
		}
		from++
	}
	return 0, nil
}
