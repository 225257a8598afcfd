package auth

import "github.com/pintle-wasm/pintle/internal/ecma/jsonspan"

// everyLevel is more levels than a document can have.
const everyLevel = 1 << 30

// visit calls do with a value and every value inside, in the order in which they are written.
func visit(n jsonspan.Node, do func(jsonspan.Node)) {
	var around []jsonspan.Node // the containers around n
	for {
		do(n)
		next := n.First()
		if next.Kind() != jsonspan.Absent {
			around = append(around, n)
			n = next
			continue
		}
		for {
			if len(around) == 0 {
				return
			}
			if next = n.Next(); next.Kind() != jsonspan.Absent {
				break
			}
			n, around = around[len(around)-1], around[:len(around)-1]
		}
		n = next
	}
}
