package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// Store is a settings file. Its methods may be called concurrently; writers in other processes are
// seen, and the last one wins.
type Store struct {
	// Path is the file, see the function Path.
	Path string

	mu sync.Mutex
}

const (
	// A new file has this line. It is part of the host's format.
	newFile = "# Shared Pi and extension settings.\n"
	maxSize = 4 << 20
)

// Load reads the file, or makes it (mode 0600) and its directories if it is missing. With an error,
// which wraps ErrUnreadable, the document is empty, so that defaults apply, and the file is left alone.
func (s *Store) Load() (Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.load()
}

// Set stores a value in the file and returns the new content, for publishing. Comments and layout of
// the file are lost, everything else is kept. A file that cannot be read is left alone.
func (s *Store) Set(k Key, value any) (Document, error) {
	return s.rewrite(func(d *Document) error { return d.set(k, value) })
}

// Unset removes a value from the file, as Set stores one. Tables that this leaves empty go too.
func (s *Store) Unset(k Key) (Document, error) {
	return s.rewrite(func(d *Document) error { d.unset(k); return nil })
}

func (s *Store) load() (Document, error) {
	data, err := readFile(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = create(s.Path); err == nil {
			return Document{}, nil
		}
		if errors.Is(err, fs.ErrExist) {
			data, err = readFile(s.Path)
		}
	}
	if err != nil {
		return Document{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	d, err := Parse(data)
	if err != nil {
		return Document{}, fmt.Errorf("%s: %w", s.Path, err)
	}
	return d, nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxSize)
	}
	return data, err
}

func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(newFile)
	return errors.Join(err, f.Close())
}

func (s *Store) rewrite(change func(*Document) error) (Document, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	d, err := s.load()
	if err != nil {
		return Document{}, err
	}
	if err := change(&d); err != nil {
		return Document{}, err
	}
	data, err := d.encode()
	if err != nil {
		return Document{}, err
	}
	// What cannot be read back must not replace what can.
	if d, err = Parse(data); err != nil {
		return Document{}, err
	}
	if err := replaceFile(s.Path, data); err != nil {
		return Document{}, fmt.Errorf("settings cannot be written: %w", err)
	}
	return d, nil
}

// replaceFile puts data in the place of a file in one step. A link stays a link: the file that it
// points to is replaced.
func replaceFile(path string, data []byte) (err error) {
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return err
	}
	info, err := os.Stat(target)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+FileName+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(info.Mode().Perm()), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), target)
}
