//go:build !purego

package jsonspan

// masks marks where in a block the quotation marks, the backslashes and the control characters are, and
// the letters n and t, the usual escapes; bit n stands for byte n. It is written in assembly with SSE2,
// which every amd64 has.
//
//go:noescape
func masks(block *[64]byte) (quote, slash, control, usual uint64)
