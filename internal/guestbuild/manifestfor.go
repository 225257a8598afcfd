package guestbuild

import (
	"context"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// ManifestFor returns the manifest that a build in a folder would write for the code of a guest that was built
// there before. Of a guest in JavaScript the code says a part of it, for which it is run once; cacheDir is that of
// [Options]. The error is an [*InputError] if pintle.toml cannot be used, or does not fit the code.
func ManifestFor(ctx context.Context, dir, cacheDir string, a *runtime.Artifact, file []byte) (*abi.Manifest, error) {
	toml, err := readFile(dir)
	if err != nil {
		return nil, &InputError{err}
	}
	if sections, _ := a.Module().CustomSection(abi.BundleSection); len(sections) == 0 {
		m, err := toml.valid()
		if err != nil {
			return nil, &InputError{err}
		}
		return m, nil
	}
	code, err := (&job{dir: dir, toml: toml, cacheDir: cacheDir}).registers(ctx, file)
	if err != nil {
		return nil, err
	}
	m, err := toml.merged(code)
	if err != nil {
		return nil, &InputError{err}
	}
	return m, nil
}
