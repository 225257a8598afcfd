package runtime

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/digest"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// An Artifact is a guest's file as it was read, before anything of it was compiled.
type Artifact struct {
	Name     string // the name given to Examine
	SHA256   [32]byte
	Size     int
	Manifest *abi.Manifest
	Problems []Problem // where imports, exports and manifest do not fit the ABI; empty if all is well

	module *wasmbin.Module
	script *script // of a guest in JavaScript; nil: a module of transport pintle/1
}

// Digest returns the sha256 of the file in hexadecimal.
func (a *Artifact) Digest() string { return hex.EncodeToString(a.SHA256[:]) }

// Module returns the sections, imports and exports of the file.
func (a *Artifact) Module() *wasmbin.Module { return a.module }

// Transport returns how bytes cross between host and guest: "pintle/1", or "pintle-js/1" for a guest in
// JavaScript.
func (a *Artifact) Transport() string {
	if a.script != nil {
		return transportScript
	}
	return abi.HostModule
}

// Transports lists the transports that this runtime speaks, as Artifact.Transport names them.
func Transports() []string { return []string{abi.HostModule, transportScript} }

// Title returns id@version.
func (a *Artifact) Title() string {
	if a.Manifest.Version == "" { // it is not built yet
		return a.Manifest.ID
	}
	return a.Manifest.ID + "@" + a.Manifest.Version
}

// ReadFile reads a guest's file from disk, but not one that never ends, like a pipe, and not more of it
// than a guest may have: one byte too many makes the refusal.
func ReadFile(path string) ([]byte, error) {
	// The file that is asked what it is is the one that is read, and opening it does not wait either.
	f, err := os.OpenFile(path, os.O_RDONLY|openNow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	return io.ReadAll(io.LimitReader(f, int64(wasmbin.DefaultLimits().ModuleBytes)+1))
}

// Examine reads a guest's file without running or compiling it. The name appears in errors.
//
// It returns an [*Error] of kind KindRefused if the file is not a module, breaks a limit, or has no
// usable manifest. Where the module does not keep the contract, the artifact lists the problems and the
// error is nil, so that a report can show both.
func Examine(name string, file []byte) (*Artifact, error) {
	refuse := func(err error) (*Artifact, error) {
		return nil, &Error{Kind: KindRefused, Guest: name, Reason: err.Error(), Err: err}
	}
	module, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		return refuse(err)
	}
	script, err := scriptOf(module)
	if err != nil {
		return refuse(err)
	}
	section, err := manifestSection(module)
	if err != nil && script != nil {
		err = errNoManifest
	}
	if err != nil {
		return refuse(err)
	}
	manifest, err := abi.DecodeManifest(section)
	if err != nil {
		return refuse(err)
	}
	a := &Artifact{
		Name: name, SHA256: digest.Sum(file), Size: len(file), Manifest: manifest, module: module, script: script,
	}
	if script == nil { // what an engine imports and exports is known
		a.Problems = checkContract(module, manifest)
	}
	return a, nil
}

// Reasons why a file has no manifest that could be read.
var (
	errForeign = errors.New("not a Pintle guest: it has no section pintle.manifest; " +
		"build it with `pintle build`")
	errStripped = errors.New("the manifest is missing: the file exports " + abi.TransportExport +
		" but has no section pintle.manifest; either a tool stripped its custom sections, " +
		"or it was compiled and not yet given one by `pintle build DIR --module FILE`")
)

func manifestSection(m *wasmbin.Module) ([]byte, error) {
	sections, beforeCode := m.CustomSection(abi.ManifestSection)
	switch len(sections) {
	case 0:
		return nil, missingManifest(m)
	case 1:
		if !beforeCode[0] {
			return nil, errors.New("the section pintle.manifest stands behind the code; it has to come first")
		}
		return sections[0], nil
	}
	return nil, fmt.Errorf("there are %d sections pintle.manifest; there may be one", len(sections))
}

func missingManifest(m *wasmbin.Module) error {
	for _, e := range m.Exports {
		if e.Name == abi.TransportExport {
			return errStripped
		}
		if n, ok := strings.CutPrefix(e.Name, "pintle_abi_"); ok {
			return fmt.Errorf("the file is made for transport pintle/%s; this host knows pintle/%d", n, abi.Transport)
		}
	}
	return errForeign
}

// initialBytes is the size of the memory that the module starts with.
func (a *Artifact) initialBytes() uint64 {
	var n uint64
	for _, m := range a.module.Memories {
		n += uint64(m.Min) << 16
	}
	return n
}

// mostBytes is the size beyond which the module's memory cannot grow. The host has to know it: what it takes
// from its budget for a growth that the engine then refuses would be missing until the call ends.
func (a *Artifact) mostBytes() uint64 {
	n := uint64(maxMemory)
	for _, m := range a.module.Memories {
		if m.HasMax {
			n = min(n, uint64(m.Max)<<16)
		}
	}
	return n
}

// firstOperation returns the first operation that the guest has in the order of the interfaces.
func (a *Artifact) firstOperation() string {
	offers := offers(a.Manifest)
	for _, it := range abi.Interfaces() {
		if _, offered := offers[it.ID]; offered && a.script != nil {
			return it.Operations[0].Export
		}
		for _, op := range it.Operations {
			if _, ok := a.module.Export(op.Export); ok {
				return op.Export
			}
		}
	}
	return ""
}

// writesThroughHost reports whether the module imports a host function that may write to its memory.
func (a *Artifact) writesThroughHost() bool {
	return slices.ContainsFunc(a.module.Imports, func(im wasmbin.Import) bool {
		return im.Module != abi.HostModule || im.Name != importLog && im.Name != importPanic
	})
}
