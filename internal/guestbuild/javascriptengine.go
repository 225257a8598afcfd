package guestbuild

import (
	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/quickjs/engine"
	"github.com/pintle-wasm/pintle/internal/wasmbin"
)

// licensedEngine is the engine's module with its licences in the place of its own custom sections, which no guest
// needs.
func licensedEngine() (*wasmbin.Module, error) {
	file := engine.Module()
	parsed, err := wasmbin.Parse(file, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	out := file[:parsed.Sections[0].Start:parsed.Sections[0].Start]
	for _, s := range parsed.Sections {
		if !s.Custom() {
			out = append(out, file[s.Start:s.End]...)
		}
	}
	bare, err := wasmbin.Parse(out, wasmbin.DefaultLimits())
	if err != nil {
		return nil, err
	}
	return wasmbin.Parse(bare.WithCustomFirst(abi.LicensesSection, []byte(engine.Licenses())), wasmbin.DefaultLimits())
}

// engineBytes is what the engine's memory starts with.
func engineBytes() uint64 {
	parsed, err := wasmbin.Parse(engine.Module(), wasmbin.DefaultLimits())
	if err != nil || len(parsed.Memories) == 0 {
		return 0
	}
	return uint64(parsed.Memories[0].Min) << 16
}
