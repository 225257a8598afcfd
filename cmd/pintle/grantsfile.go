package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/jsonkind"
	"github.com/pintle-wasm/pintle/runtime"
)

// A grantsFile keeps grants in one JSON file of the user's. It is read anew each time: another command may
// have written it. Commands write it only when a person has decided something.
type grantsFile struct {
	path string
	// patience is how long a command waits for another one that changes the grants. That needs milliseconds,
	// unless a person has stopped it.
	patience time.Duration
}

// A grantRecord is a grant in the file.
type grantRecord struct {
	Source       string   `json:"source"`
	ID           string   `json:"id"`
	Version      string   `json:"version"`
	SHA256       string   `json:"sha256"`
	Capabilities []string `json:"capabilities"`
	Manifest     []byte   `json:"manifest"` // CBOR, as in the guest's file
}

type grantsContent struct {
	Version int           `json:"version"`
	Grants  []grantRecord `json:"grants"`
}

// grantsVersion is that of the file's format.
const grantsVersion = 1

// userGrants returns the grants of the user, in the configuration directory.
func userGrants() (*grantsFile, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return nil, fmt.Errorf("grants have no place: %w", err)
	}
	return &grantsFile{path: filepath.Join(dir, "pintle", "grants.json"), patience: 5 * time.Second}, nil
}

// noGrants stand for those of a user who has no configuration directory.
type noGrants struct{ error }

func (noGrants) Get(string, string) (runtime.Grant, bool, error) { return runtime.Grant{}, false, nil }

func (n noGrants) Put(runtime.Grant) error { return n.error }

// grantsOf returns the user's grants for a host.
func grantsOf() runtime.Grants {
	f, err := userGrants()
	if err != nil {
		return noGrants{err}
	}
	return f
}

// recordOf puts a grant into the file's form.
func recordOf(g runtime.Grant) (grantRecord, error) {
	manifest, err := abi.EncodeManifest(g.Manifest)
	return grantRecord{g.Source, g.ID, g.Version, g.Digest, append([]string{}, g.Capabilities...), manifest}, err
}

// grant reads a record. One of another version of the command may be beyond it.
func (r *grantRecord) grant() (runtime.Grant, error) {
	m, err := abi.DecodeManifest(r.Manifest)
	if err != nil {
		return runtime.Grant{}, fmt.Errorf("the grant of %q from %q: %w", r.ID, r.Source, err)
	}
	return runtime.Grant{Source: r.Source, ID: r.ID, Version: r.Version, Digest: r.SHA256, Capabilities: r.Capabilities, Manifest: m}, nil
}

// all returns the grants in the order of their sources and ids. A missing file has none.
func (f *grantsFile) all() ([]grantRecord, error) {
	content, err := f.read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return content.Grants, nil
}

func (f *grantsFile) read() (grantsContent, error) {
	file, err := os.OpenFile(f.path, os.O_RDONLY|openNow, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return grantsContent{}, nil
	}
	if err != nil {
		return grantsContent{}, bareError(err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return grantsContent{}, bareError(err)
	}
	if err := onlyOurs(filepath.Dir(f.path), info); err != nil {
		return grantsContent{}, err
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return grantsContent{}, bareError(err)
	}
	var content grantsContent
	if err := json.Unmarshal(text, &content); err != nil {
		return grantsContent{}, fmt.Errorf("not a file of grants: %w", jsonkind.Readable(err))
	}
	if content.Version != grantsVersion {
		return grantsContent{}, fmt.Errorf("its format is version %d; this pintle knows version %d", content.Version, grantsVersion)
	}
	return content, nil
}

// bareError takes the path out of an error that will get it in front.
func bareError(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return e.Err
	}
	return err
}

// Get implements [runtime.Grants].
func (f *grantsFile) Get(source, id string) (runtime.Grant, bool, error) {
	records, err := f.all()
	if err != nil {
		return runtime.Grant{}, false, err
	}
	i := slices.IndexFunc(records, func(r grantRecord) bool { return r.Source == source && r.ID == id })
	if i < 0 {
		return runtime.Grant{}, false, nil
	}
	g, err := records[i].grant()
	return g, err == nil, err
}

// Put implements [runtime.Grants].
func (f *grantsFile) Put(g runtime.Grant) error {
	record, err := recordOf(g)
	if err != nil {
		return err
	}
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock()
	records, err := f.all()
	if err != nil {
		return err
	}
	records = slices.DeleteFunc(records, func(old grantRecord) bool { return old.Source == g.Source && old.ID == g.ID })
	return f.write(append(records, record))
}

// remove takes the grants of some sources out and returns them.
func (f *grantsFile) remove(sources []string) (removed []grantRecord, err error) {
	unlock, err := f.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	records, err := f.all()
	if err != nil {
		return nil, err
	}
	var kept []grantRecord
	for _, r := range records {
		if slices.Contains(sources, r.Source) {
			removed = append(removed, r)
		} else {
			kept = append(kept, r)
		}
	}
	if len(removed) == 0 {
		return nil, nil
	}
	return removed, f.write(kept)
}

// lock keeps other commands from changing the grants until unlock is called, so that none writes what it
// read before another one wrote.
func (f *grantsFile) lock() (unlock func(), err error) {
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, ".grants.lock"), os.O_RDWR|os.O_CREATE|openNow, 0o600)
	if err != nil {
		return nil, err
	}
	const pause = 10 * time.Millisecond
	for waited := time.Duration(0); ; waited += pause {
		locked, err := tryLock(file)
		if err == nil && !locked && waited >= f.patience {
			err = fmt.Errorf("%s: another pintle is changing the grants; try again when it has ended", f.path)
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		if locked {
			return func() { file.Close() }, nil // which unlocks it
		}
		time.Sleep(pause)
	}
}

// write puts a new file in the place of the old one in one step. The caller has the lock.
func (f *grantsFile) write(records []grantRecord) error {
	slices.SortFunc(records, func(a, b grantRecord) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	})
	content := grantsContent{Version: grantsVersion, Grants: append([]grantRecord{}, records...)}
	dir := filepath.Dir(f.path)
	temp, err := os.CreateTemp(dir, ".grants-*") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	if err := errors.Join(encodeJSON(temp, content, "  "), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), f.path)
}
