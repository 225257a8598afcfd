package pintle

import "github.com/pintle-wasm/pintle/guests/sdk/go/internal/cbor"

// A Value is part of a request whose shape the interface leaves open. The zero Value is absent, and
// so is everything that is asked of it: v.Get("a").Get("b").Text() never fails halfway.
type Value = cbor.Value
