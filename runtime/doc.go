// Package runtime is the sandbox: it loads guests, checks them, runs their operations within limits,
// and reports what went wrong. It knows bytes and operations, nothing about prompts.
//
// A [Runtime] owns the guests that it loads. [Runtime.Load] reads the manifest, checks the contract,
// rewrites the module so that it pays fuel for what it does, compiles it, starts it once and takes an
// image of that; [Guest.Call] runs one operation. Without session state every call begins with the image,
// so nothing passes from one call to the next.
//
// A guest is a module of its own, or a program in JavaScript beside an engine that the host knows (package
// internal/quickjs). Nobody who calls guests can tell which.
//
// All types are safe for concurrent use unless they say otherwise.
package runtime
