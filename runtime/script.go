package runtime

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs"
	"github.com/pintle-wasm/pintle/internal/sourcemap"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// transportScript names the transport of guests in JavaScript.
const transportScript = "pintle-js/1"

// A script is the program of a guest in JavaScript.
type script struct {
	bundle    *abi.Bundle
	sourceMap *sourcemap.Map // nil: none
}

var errNoManifest = errors.New("the file is a guest in JavaScript without a section pintle.manifest; " +
	"build it with `pintle build`")

// scriptOf returns the program of a module, nil if it has none. A program runs only on an engine that the
// host knows: the host drives it by its exports, and no guest can bring one that does as it likes.
func scriptOf(m *wasmbin.Module) (*script, error) {
	sections, _ := m.CustomSection(abi.BundleSection)
	if len(sections) == 0 {
		return nil, bareEngine(m)
	}
	if len(sections) > 1 {
		return nil, fmt.Errorf("there are %d sections %s; there may be one", len(sections), abi.BundleSection)
	}
	sum := m.Sum()
	if quickjs.Engine(sum) == "" {
		return nil, fmt.Errorf("the file has a section %s, but its module is no JavaScript engine that this host knows: "+
			"without custom sections it has the sha256 %s; known: %s", abi.BundleSection, hex.EncodeToString(sum[:]), quickjs.Engines())
	}
	bundle, err := abi.DecodeBundle(sections[0])
	if err != nil {
		return nil, err
	}
	s := &script{bundle: bundle}
	if bundle.Map != "" {
		if s.sourceMap, err = sourcemap.Parse(bundle.Map); err != nil {
			return nil, fmt.Errorf("the section %s: %w", abi.BundleSection, err)
		}
		bundle.Map = "" // which may be most of the file, and was read
	}
	return s, nil
}

// bareEngine refuses an engine that has lost its program. Other modules are not hashed for it.
func bareEngine(m *wasmbin.Module) error {
	for _, im := range m.Imports {
		if im.Module == engineModule {
			if name := quickjs.Engine(m.Sum()); name != "" {
				return fmt.Errorf("the file is the JavaScript engine %s without a program: it has no section %s; "+
					"either a tool stripped its custom sections, or it is not built yet", name, abi.BundleSection)
			}
			return nil
		}
	}
	return nil
}

// trace makes lines of a stack, innermost first. Where there is a map, they show places of the author's
// files, and frames of code that is in no file are left out. whole tells whether they lead to the call that the
// host made.
func (s *script) trace(stack []quickjs.Frame) (lines []string, whole bool) {
	return quickjs.Trace(stack, s.locate)
}

// jsonInput is the file that the engine names when JSON.parse fails. The place is in the message too.
const jsonInput = "<input>"

func (s *script) locate(f quickjs.Frame) (shown quickjs.Frame, ok bool) {
	if f.File == jsonInput {
		return f, false
	}
	if s.sourceMap == nil || !s.sourceMap.Useful() || f.File != s.file() || f.Line == 0 {
		return f, true
	}
	place := s.sourceMap.Locate(sourcemap.Position{Line: f.Line, Column: f.Column})
	f.File, f.Line, f.Column = place.Source, place.Line, place.Column
	return f, place.Source != ""
}

func (s *script) file() string {
	if s.bundle.File == "" {
		return abi.BundleFile
	}
	return s.bundle.File
}
