package developer

import "github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"

//go:wasmexport provider_payload_adapters_v1_replace_developer_messages
func exportReplace(_, n uint32) uint64 { return call.Serve(n, replace) }
