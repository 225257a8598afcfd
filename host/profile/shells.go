package profile

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// callShell gives the timeout in seconds, which providers give in milliseconds.
func callShell(v *conversion) { v.scaleTimeout(func(f float64) float64 { return f / 1000 }) }

// restateShell gives the timeout in milliseconds, and the folder by the provider's key, whatever is there.
func restateShell(v *conversion) {
	if cwd := v.args.Get("cwd"); isText(cwd) {
		v.set("workdir", cwd)
		v.remove("cwd")
	}
	v.scaleTimeout(func(f float64) float64 { return f * 1000 })
}

// scaleTimeout leaves a timeout as it is that is no number, or none that JSON can hold.
func (v *conversion) scaleTimeout(scale func(float64) float64) {
	f, ok := jsonvalue.NumberOf(v.args.Get("timeout"))
	if !ok || math.IsInf(f, 0) {
		return
	}
	if f = scale(f); !math.IsInf(f, 0) {
		v.set("timeout", ecma.AppendNumber(nil, f))
	}
}

func isNumber(value json.RawMessage) bool {
	_, ok := jsonvalue.NumberOf(value)
	return ok
}
