package wazero

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/pintle-wasm/pintle/internal/digest"
)

// DefaultCacheDir returns the folder for compiled code in the user's cache directory.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache directory: %w", err)
	}
	return filepath.Join(dir, "pintle", "code"), nil
}

// A codeCache is a directory with one folder per module, named by the module's hash. A folder holds
// wazero's own file, in a folder that wazero names by its version and platform, and a seal: a checksum
// over all files. wazero trusts its files, and a flipped bit in one could end the process, so a folder
// whose seal does not fit is emptied first.
type codeCache struct{ dir string }

const sealFile = "seal"

func openCache(dir string) (*codeCache, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	// The folders above it that count are those where links lead.
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	if err := checkOwner(dir); err != nil {
		return nil, err
	}
	probe, err := os.CreateTemp(dir, "probe-*")
	if err != nil {
		return nil, err
	}
	return &codeCache{dir: dir}, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

type cacheEntry struct {
	dir   string
	cache wazero.CompilationCache
	seal0 string // the seal that the folder had when it was opened
}

func (c *codeCache) open(module []byte) (*cacheEntry, error) {
	sum := digest.Sum(module)
	e := &cacheEntry{dir: filepath.Join(c.dir, hex.EncodeToString(sum[:]))}
	if err := os.MkdirAll(e.dir, 0o700); err != nil {
		return nil, err
	}
	if err := checkOwner(e.dir); err != nil {
		return nil, err
	}
	sealed, err := os.ReadFile(filepath.Join(e.dir, sealFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if e.seal0, err = checksum(e.dir); err != nil {
		return nil, err
	}
	if string(sealed) != e.seal0 {
		if err := empty(e.dir); err != nil {
			return nil, err
		}
		e.seal0 = ""
	} else if e.seal0 != "" {
		e.touch(time.Now())
	}
	e.cache, err = wazero.NewCompilationCacheWithDir(e.dir)
	return e, err
}

// seal writes the checksum of what the folder now holds, if that is not what it held before.
func (e *cacheEntry) seal() (added bool, err error) {
	sum, err := checksum(e.dir)
	if err != nil || sum == e.seal0 {
		return false, err
	}
	f, err := os.CreateTemp(e.dir, "seal-*.tmp")
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(sum)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(e.dir, sealFile))
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err == nil, err
}

func (e *cacheEntry) discard(ctx context.Context) { _ = e.cache.Close(ctx) }

// checksum covers the names, sizes and contents of wazero's files. It guards against damage, not
// against an attacker: that the permissions do.
func checksum(dir string) (string, error) {
	var lines []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		// Another process may be writing or cleaning the same entry.
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || !d.Type().IsRegular() || d.Name() == sealFile || strings.HasSuffix(path, ".tmp") {
			return err
		}
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		defer f.Close()
		h := crc32.New(crc32.MakeTable(crc32.Castagnoli))
		n, err := io.Copy(h, f)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		lines = append(lines, fmt.Sprintf("%08x %d %s\n", h.Sum32(), n, filepath.ToSlash(name)))
		return nil
	})
	sort.Strings(lines)
	return strings.Join(lines, ""), err
}

func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}
