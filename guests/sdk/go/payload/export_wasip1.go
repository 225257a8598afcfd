package payload

import "github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"

//go:wasmexport provider_payload_adapters_v1_read_system_prompt
func exportRead(_, n uint32) uint64 { return call.Serve(n, read) }

//go:wasmexport provider_payload_adapters_v1_replace_system_prompt
func exportReplaceSystem(_, n uint32) uint64 { return call.Serve(n, replaceSystem) }
