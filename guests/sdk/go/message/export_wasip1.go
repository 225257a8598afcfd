package message

import "github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"

//go:wasmexport developer_messages_v1_render
func exportRender(_, n uint32) uint64 { return call.Serve(n, render) }
