// Package typescriptsdk is the SDK for guests in TypeScript and JavaScript. It has nothing but types, for editors; what runs
// is in the command that builds guests.
package typescriptsdk

import "embed"

// Files are what a project has in its folder pintle.
//
//go:embed pintle.d.ts
var Files embed.FS
