// Package csdk carries the SDK for guests in C, for the command that builds them and copies it into new
// projects.
package csdk

import (
	"embed"
	"io/fs"
)

//go:embed pintle
var embedded embed.FS

// Files are the header and the sources of the SDK, in one folder.
var Files = folder("pintle")

func folder(name string) fs.FS {
	sub, err := fs.Sub(embedded, name)
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}
