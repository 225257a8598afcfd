// Package pintle is what Go guests share: logging, configuration, a small store and the values of a
// request. A guest offers something by registering handlers with package message (developer messages),
// payload/edit or payload (provider payload adapters of version 2 and of version 1) in its init function:
//
//	package main
//
//	import "github.com/pintle-wasm/pintle/guests/sdk/go/message"
//
//	func init() {
//		message.Handle("hello", func(c *message.Context) (string, error) {
//			return "Answer in the language of the question.", nil
//		})
//	}
//
//	func main() {}
//
// Build it with `pintle build`, which also writes the manifest from pintle.toml. The package keeps
// clear of fmt, reflect and encoding/json; a guest that needs them can import them and grows by about
// a megabyte.
//
// The packages also compile for the developer's machine, so that handlers can be tested with go test.
// There Log writes to standard error, no configuration is set and kv is denied.
package pintle
