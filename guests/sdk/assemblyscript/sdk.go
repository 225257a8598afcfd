// Package assemblyscriptsdk carries the SDK for guests in AssemblyScript, for the command that builds them.
package assemblyscriptsdk

import "embed"

// Files are the sources of the SDK: the package pintle of a guest's imports, with its package.json at the
// top.
//
//go:embed package.json *.ts exports internal
var Files embed.FS
