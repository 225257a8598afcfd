//go:build !wasip1

package ecma

import _ "embed"

// QuoteSource is the file quote.go, which needs no other one, for the SDK for guests in Go that the command
// copies into projects. Guests themselves have no use for it.
//
//go:embed quote.go
var QuoteSource string
