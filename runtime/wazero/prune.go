package wazero

import (
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// What the cache may hold. What was used lately stays in any case: another process may be about to read it, and one
// that loads more than fits would find nothing the next time.
const (
	maxCacheBytes = 512 << 20
	lately        = time.Hour
)

// touch notes that an entry is in use.
func (e *cacheEntry) touch(now time.Time) {
	if info, err := os.Stat(e.dir); err == nil && now.Sub(info.ModTime()) > lately/4 {
		_ = os.Chtimes(e.dir, now, now) // of a cache that is not ours to write to, nothing is removed either
	}
}

// prune removes the entries that were not used for longest until the others have at most so many bytes. What cannot
// be removed is left: another process may be doing the same.
func (c *codeCache) prune(most int64, now time.Time) {
	type entry struct {
		dir   string
		bytes int64
		used  time.Time
	}
	var entries []entry
	var total int64
	all, _ := os.ReadDir(c.dir)
	for _, d := range all {
		// The folder may be one that somebody keeps other things in.
		if sum, err := hex.DecodeString(d.Name()); err != nil || len(sum) != 32 || !d.IsDir() {
			continue
		}
		info, err := d.Info()
		if err != nil {
			continue
		}
		e := entry{dir: filepath.Join(c.dir, d.Name()), used: info.ModTime()}
		if _, err := os.Stat(filepath.Join(e.dir, sealFile)); err != nil {
			continue // another's, or one that is being written
		}
		e.bytes = bytesIn(e.dir)
		entries, total = append(entries, e), total+e.bytes
	}
	slices.SortFunc(entries, func(a, b entry) int { return a.used.Compare(b.used) })
	for _, e := range entries {
		if total <= most || now.Sub(e.used) < lately {
			return
		}
		if os.RemoveAll(e.dir) == nil {
			total -= e.bytes
		}
	}
}

func bytesIn(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it is gone
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
		return nil
	})
	return n
}
