package guestbuild

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/newfile"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
	"github.com/pintle-wasm/pintle/runtime"
)

// Options say what to build.
type Options struct {
	Dir    string    // folder with pintle.toml
	Module string    // a module that is already compiled; empty: compile what is in Dir
	Out    string    // file to write, in a folder that is there; empty: Dir's name with .wasm, in Dir
	Stderr io.Writer // the compiler's messages; nil: discarded
	// CacheDir keeps the compiled JavaScript engine, which a build of TypeScript or JavaScript runs once; empty: it
	// is compiled each time, which takes some tenths of a second.
	CacheDir string
	// Warn is told what is not as the author may have meant it, one message at a time; nil: nobody is.
	Warn func(message string)
}

// Build compiles a guest, writes its manifest into it and checks the result against the contract. The
// file appears only if all went well. It returns what was built. The error is an [*InputError] if there
// was nothing to build from, a [*ContractError] if what was built does not fit its manifest.
func Build(ctx context.Context, opts Options) (out string, a *runtime.Artifact, err error) {
	if out = opts.Out; out == "" {
		if out, err = OutputPath(opts.Dir); err != nil {
			return "", nil, err
		}
	} else if err := writable(out, opts.Dir); err != nil {
		return "", nil, &InputError{err}
	}
	toml, err := readFile(opts.Dir)
	if err != nil {
		return "", nil, &InputError{withSmallestTOML(opts.Dir, err)}
	}
	file, err := assemble(ctx, opts, toml)
	if err != nil {
		return "", nil, err
	}
	a, err = runtime.Examine(filepath.Base(out), file)
	if err != nil {
		return "", nil, err
	}
	if len(a.Problems) > 0 {
		broken := &ContractError{Name: filepath.Base(out), Problems: a.Problems}
		if opts.Module == "" {
			broken.Language, _ = LanguageOf(opts.Dir)
		}
		return "", nil, broken
	}
	if err := toml.holds(a); err != nil {
		return "", nil, &InputError{err}
	}
	if opts.Warn != nil {
		for _, doubt := range toml.doubts() {
			opts.Warn(doubt)
		}
	}
	if err := newfile.Replace(out, file); err != nil {
		return "", nil, notWritten(out, err)
	}
	return out, a, nil
}

// writable says why a guest cannot be written to a path.
func writable(out, dir string) error {
	if info, err := os.Stat(out); err == nil && info.IsDir() {
		name, err := OutputPath(dir)
		if err != nil {
			return err
		}
		return fmt.Errorf("%s is a folder; name the file to write, for example %s", out, filepath.Join(out, filepath.Base(name)))
	}
	if out == "-" {
		return errors.New("-o -: a guest is written to a file; name one")
	}
	if other, err := foreign(out); err != nil {
		return err
	} else if other {
		return fmt.Errorf("%s is there, is no WebAssembly module, and is not overwritten; name another file", out)
	}
	folder := filepath.Dir(out)
	if info, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return fmt.Errorf("%s: there is no folder %s; make it first", out, folder)
	}
	return nil
}

// foreign tells a file that cannot be an earlier build, by its name and by what is in it. It may be the author's
// source, by a slip.
func foreign(path string) (bool, error) {
	info, err := os.Stat(path)
	if err != nil || filepath.Ext(path) == ".wasm" || !info.Mode().IsRegular() || info.Size() == 0 {
		return false, nil // there is nothing to lose, or the writing says what is wrong
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	magic := make([]byte, len(wasmMagic))
	n, err := io.ReadFull(f, magic)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return string(magic[:n]) != wasmMagic, errors.Join(err, f.Close())
}

// wasmMagic is how every module begins.
const wasmMagic = "\x00asm"

// assemble returns the guest's file.
func assemble(ctx context.Context, opts Options, toml *file) ([]byte, error) {
	if opts.Module != "" {
		return around(opts.Module, toml)
	}
	lang, err := languageOf(opts.Dir)
	if err != nil {
		return nil, &InputError{err}
	}
	warn := opts.Warn
	if warn == nil {
		warn = func(string) {}
	}
	for _, file := range lang.leftOut(opts.Dir) {
		warn(fmt.Sprintf("it is built as a guest in %s; %s is left out", lang.name, file))
	}
	return lang.build(ctx, &job{dir: opts.Dir, toml: toml, said: opts.Stderr, warn: warn, cacheDir: opts.CacheDir})
}

// around writes the manifest into a module that is already compiled.
func around(path string, toml *file) ([]byte, error) {
	manifest, err := toml.valid()
	if err != nil {
		return nil, &InputError{err}
	}
	module, err := os.ReadFile(path)
	if err != nil {
		return nil, &InputError{err}
	}
	out, err := Attach(module, manifest)
	if err != nil {
		return nil, &InputError{fmt.Errorf("%s: %w", path, err)}
	}
	return out, nil
}

// An InputError says that the folder, its pintle.toml or the module cannot be used, before anything
// was built.
type InputError struct{ Err error }

func (e *InputError) Error() string { return e.Err.Error() }
func (e *InputError) Unwrap() error { return e.Err }

// A ContractError says that what was compiled does not fit its manifest.
type ContractError struct {
	Name     string
	Language string // as of LanguageOf; empty: not known
	Problems []runtime.Problem
}

func (e *ContractError) Error() string {
	return fmt.Sprintf("%s does not fit its manifest:\n%s", e.Name, runtime.Report(e.Problems))
}

// Attach puts a manifest into a module, in place of one that it had.
func Attach(module []byte, m *abi.Manifest) ([]byte, error) {
	section, err := abi.EncodeManifest(m)
	if err != nil {
		return nil, err
	}
	parsed, err := wasmbin.Parse(module, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return parsed.WithCustomFirst(abi.ManifestSection, section), nil
}

// OutputPath is where a build writes the guest of a folder if Options do not say: the folder's name with
// .wasm, in it.
func OutputPath(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, filepath.Base(abs)+".wasm"), nil
}

func notWritten(path string, err error) error {
	if at := (*fs.PathError)(nil); errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("%s cannot be written: %w; -o FILE writes another one", path, err)
}
