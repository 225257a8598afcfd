// Package rustsdk holds the sources of the crate pintle, with which guests are written in Rust. The command
// brings them along, so an author needs a compiler and nothing else.
package rustsdk

import "embed"

// Files are Cargo.toml, README.md and the folder src.
//
//go:embed Cargo.toml README.md src
var Files embed.FS
