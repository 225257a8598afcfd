// Package languages looks at the guests in testdata/guests that are written in several languages: the example,
// and the one that fails in every way. They are to behave the same in all of them, and a rebuilt guest is to
// behave as the one that is checked in.
package languages

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// All returns the languages by the names of their folders.
func All() []string { return []string{"go", "rust", "assemblyscript", "c", "typescript"} }

// The guests.
const (
	Example = "example"
	Faults  = "faults"
)

// Dir returns the folder of a guest in testdata/guests.
func Dir(guests, guest, language string) string { return filepath.Join(guests, guest, language) }

// Read returns the module of a guest that is checked in. Large ones are compressed.
func Read(guests, guest, language string) ([]byte, error) {
	path := filepath.Join(Dir(guests, guest, language), guest+".wasm")
	file, err := os.ReadFile(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	packed, err := os.ReadFile(path + ".gz")
	if err != nil {
		return nil, fmt.Errorf("there is neither %s.wasm nor that compressed: %w", guest, err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s.gz: %w", path, err)
	}
	return io.ReadAll(r)
}

// uncompressed is the size in bytes up to which a module is kept as it is.
const uncompressed = 200_000

// Write puts a module into the tree as Read finds it. One that is there already stays as it was compressed.
func Write(guests, guest, language string, file []byte) error {
	if old, err := Read(guests, guest, language); err == nil && bytes.Equal(old, file) {
		return nil
	}
	path := filepath.Join(Dir(guests, guest, language), guest+".wasm")
	other := path + ".gz"
	if len(file) > uncompressed {
		path, other = other, path
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		if err != nil {
			return err
		}
		if _, err := w.Write(file); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
		file = packed.Bytes()
	}
	if err := os.Remove(other); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return os.WriteFile(path, file, 0o644)
}
