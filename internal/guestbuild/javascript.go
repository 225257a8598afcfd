package guestbuild

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/runtime"
	"github.com/pintle-wasm/pintle/runtime/wazero"
)

// TypeScript and JavaScript are one language to build, with two names for people. Nothing but this command
// is needed for either.
var (
	typescript = &language{
		name: "typescript",
		finds: func(dir string) string {
			if entry, _ := jsbundle.Entry(dir); jsbundle.TypeScript(entry) {
				return entry
			}
			return ""
		},
		owns:  scriptProject,
		build: javascriptModule,
	}
	javascript = &language{
		name: "javascript",
		// A folder with a package.json that leads nowhere is one too: the error says what is missing.
		finds: func(dir string) string {
			if entry, err := jsbundle.Entry(dir); err == nil && entry != "" {
				return entry
			}
			return first(dir, packageJSON)
		},
		owns:  scriptProject,
		build: javascriptModule,
	}
)

const packageJSON = "package.json"

var scriptProject = []string{packageJSON, "tsconfig.json"}

// javascriptModule bundles the sources, evaluates the bundle once to learn what it registers, and puts both
// the manifest and the bundle into the engine's module.
func javascriptModule(ctx context.Context, j *job) ([]byte, error) {
	entry, err := jsbundle.Entry(j.dir)
	if err == nil && entry == "" {
		err = fmt.Errorf("%s has a package.json, but nothing to begin with: write index.ts or src/index.ts", j.dir)
	}
	if err != nil {
		return nil, &InputError{err}
	}
	file, err := j.bundled(ctx, entry)
	if err != nil {
		return nil, err
	}
	code, err := j.registers(ctx, file)
	if err != nil {
		return nil, err
	}
	if len(code.Contributions)+len(code.Adapters) == 0 {
		return nil, fmt.Errorf("%s registers nothing when it is loaded; call registerDeveloperMessageContribution, "+
			"registerPayloadAdapter or registerSystemPromptPayloadAdapter there", entry)
	}
	manifest, err := j.toml.merged(code)
	if err == nil {
		err = j.toml.enoughMemory(manifest)
	}
	if err != nil {
		return nil, &InputError{err}
	}
	for _, w := range code.warnings(manifest) {
		j.warn(w)
	}
	return Attach(file, manifest)
}

// bundled is the engine's module with the bundle.
func (j *job) bundled(ctx context.Context, entry string) ([]byte, error) {
	script, err := jsbundle.Bundle(ctx, j.dir, entry, j.toml.asks())
	if err != nil {
		return nil, err
	}
	for _, w := range script.Warnings {
		j.warn(w)
	}
	section, err := abi.EncodeBundle(&abi.Bundle{Code: script.Code, Map: script.Map})
	if err != nil {
		return nil, err
	}
	licensed, err := licensedEngine()
	if err != nil {
		return nil, err
	}
	return licensed.WithCustomFirst(abi.BundleSection, section), nil
}

// leastBytes is what a guest needs for the engine and a small program.
const leastBytes = 2 << 20

// enoughMemory checks that the engine itself fits into what the guest asks for.
func (f *file) enoughMemory(m *abi.Manifest) error {
	if asked := m.Limits.MemoryBytes; asked != 0 && asked < leastBytes {
		return f.located(&abi.ManifestError{Field: "limits.memory", Reason: fmt.Sprintf(
			"%s are asked for, and the JavaScript engine alone starts with %s; ask for at least %s",
			sizeText(asked), sizeText(engineBytes()), sizeText(leastBytes))})
	}
	return nil
}

// loading says where in the author's code the evaluation failed.
func loading(err error) error {
	var failed *runtime.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Kind {
	case runtime.KindTrap, runtime.KindFuel, runtime.KindTimeout, runtime.KindMemory:
	default:
		return err
	}
	text := "the code fails while it is loaded: " + failed.Reason
	for _, frame := range failed.Trace {
		if !ofSDK(frame) {
			text += "\n    at " + frame
		}
	}
	return errors.New(text)
}

// ofSDK tells frames of the SDK's part of the bundle, which mean nothing to an author.
func ofSDK(frame string) bool {
	return strings.Contains(frame, "("+abi.BundleFile+":") || strings.Contains(frame, "pintle:start:") || strings.HasSuffix(frame, "(native)")
}

// withSmallestTOML adds to the error of a folder without pintle.toml how little that needs in these languages: a
// guest that moves over has none.
func withSmallestTOML(dir string, err error) error {
	entry, _ := jsbundle.Entry(dir)
	if entry == "" || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return fmt.Errorf("%w; the smallest one is\n\tid = \"you/%s\"\n\tversion = \"0.1.0\"\n"+
		"and for each contribution that reads its context\n\t[[contributions]]\n\tid = \"its id in the code\"\n\tneeds = [\"prompt\"]",
		err, filepath.Base(absolute(dir)))
}

func absolute(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// registers runs a bundle once to learn what it registers.
func (j *job) registers(ctx context.Context, file []byte) (*registrations, error) {
	said, err := j.evaluate(ctx, file)
	if err != nil {
		return nil, loading(err)
	}
	code, err := decodeRegistrations(said)
	if err != nil {
		return nil, &InputError{err}
	}
	return code, nil
}

func (j *job) evaluate(ctx context.Context, file []byte) (said []byte, err error) {
	r := runtime.New(wazero.New(wazero.Config{CacheDir: j.cacheDir}), runtime.Options{})
	defer func() { err = errors.Join(err, r.Close(context.WithoutCancel(ctx))) }()
	return r.Registered(ctx, j.dir, file)
}
