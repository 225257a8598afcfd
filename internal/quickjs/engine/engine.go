// Package engine is the JavaScript engine that guests in JavaScript and TypeScript are built with:
// QuickJS-NG as a WebAssembly module, as the npm package quickjs-wasi has it. ORIGIN.md says where the
// bytes come from and under which licences.
//
// Builders and tests import it. A host does not need it: every guest carries its engine, and the host
// knows it by its digest.
package engine

import _ "embed"

// The npm package that the module was taken from.
const (
	NPMName      = "quickjs-wasi"
	NPMVersion   = "3.7.0"
	NPMIntegrity = "sha512-6nOShBtCglrQL6yH+hptIfEdA1WlSmvY/Mm5Ypn9IvtsaDsrYIg8x+xoIXQt02w66a0f1eLTAj1lhfgAbJ4WVw=="
)

// SHA256 is the digest of the module's file, in hexadecimal.
const SHA256 = "c0bd8f296e18cf074969f6401b9ecb72609a1323818ec2b9bf7a8f8d740d1363"

//go:embed quickjs.wasm
var module string

var (
	//go:embed LICENSE
	ofPackage string
	//go:embed LICENSE.quickjs-ng
	ofEngine string
	//go:embed LICENSE.libc
	ofLibrary string
)

// Licenses returns the licences of the module and of what is linked into it. Their notices have to go with every
// copy of the module, so builders put the text into each guest.
func Licenses() string {
	return "The JavaScript engine of this file is the module of " + NPMName + " " + NPMVersion + ":\n\n" + ofPackage +
		"\nIt contains QuickJS-NG:\n\n" + ofEngine + "\n" + ofLibrary
}

// Module returns a copy of the module's file.
func Module() []byte { return []byte(module) }
