// Package runtime is the sandbox: it loads guests, checks them, runs their operations within limits,
// and reports what went wrong. It knows bytes and operations, nothing about prompts.
//
// A [Runtime] owns the guests that it loads. [Runtime.Load] reads the manifest and checks the contract
// before anything is compiled; [Guest.Call] runs one operation. Without session state every call gets
// an instance of its own, so nothing passes from one call to the next.
//
// All types are safe for concurrent use unless they say otherwise.
package runtime
