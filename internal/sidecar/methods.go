package sidecar

import "maps"

// methods are all that a client may call. "exit", a notification, and "$/cancelRequest" are dealt with
// elsewhere.
var methods = collect(
	connectionMethods, sessionMethods, turnMethods, envelopeMethods, contextMethods, payloadMethods, auditMethods,
	streamMethods, responseMethods, historyMethods,
)

var connectionMethods = map[string]method{
	"initialize": handle(initialize),
	"shutdown":   handle(shutdown),
}

func collect(tables ...map[string]method) map[string]method {
	all := map[string]method{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}
