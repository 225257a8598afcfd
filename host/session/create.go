package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// CreateFile begins a session in a file of its own, plain JSON Lines, wherever it is to lie. It is Create
// for a store of one file: nothing is on disk before the first Append, which fails with ErrExists if
// there is a file of this name by then that is not empty. A name for Zstandard is refused.
func CreateFile(ctx context.Context, path string, h Header, o Options) (*Session, error) {
	return Create(ctx, newFileStore{path: path}, h, o)
}

// A newFileStore is a store of one file that is not there yet, for Create alone.
type newFileStore struct {
	Store
	path string
}

func (s newFileStore) Create(ctx context.Context, h Header) (Log, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if ext := filepath.Ext(s.path); ext == ".zst" || ext == ".zstd" {
		return nil, fmt.Errorf("%s: a new log is plain, and would not be read under this name: name it .jsonl", s.path)
	}
	return &logFile{
		view: view{path: s.path, header: h},
		create: func(first []byte) (*os.File, error) {
			return publishAs(filepath.Dir(s.path), filepath.Base(s.path), first)
		},
	}, nil
}
