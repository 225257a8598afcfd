// Package clients has the schema of the protocol between the sidecar and its clients. What its messages
// mean stands in PROTOCOL.md beside it; the clients themselves are in folders of their own.
package clients

import (
	"bytes"
	_ "embed"
)

//go:embed protocol.schema.json
var schema []byte

// ProtocolSchema is the JSON Schema (draft 2020-12) of one message of the protocol. For a method M its $defs
// have "M.params" and, if M is a request, "M.result".
func ProtocolSchema() []byte { return bytes.Clone(schema) }
