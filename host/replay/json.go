package replay

import (
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

func appendOptional(o *jsonvalue.Object, key string, value *string) {
	if value != nil {
		o.Text(key, *value)
	}
}

func appendRoute(o *jsonvalue.Object, key string, r message.Route) {
	o.Key(key)
	inner := jsonvalue.Begin(o.Out)
	inner.Text("provider", r.Provider)
	inner.Text("model", r.Model)
	o.Out = inner.End()
}
