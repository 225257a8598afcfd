package edit

import "github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"

//go:wasmexport provider_payload_adapters_v2_edit
func exportEdit(_, n uint32) uint64 { return call.Serve(n, serve) }
