package profile

import (
	"encoding/json"
	"math"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
)

// callShell gives the timeout in seconds, which providers give in milliseconds.
func callShell(v *conversion) {
	v.scaleTimeout(v.key("timeout"), func(f float64) float64 { return f / 1000 })
}

// restateShell gives the timeout in milliseconds, and the folder by the provider's key, whatever is there.
func restateShell(v *conversion) {
	command, at, timeout := v.key("command"), v.key("workdir"), v.key("timeout")
	if cwd := v.args.Get(at); isText(cwd) && at != "workdir" {
		v.set("workdir", cwd)
		v.remove(at)
	}
	v.rename(command, "command")
	v.rename(timeout, "timeout")
	v.useProviderKeys(command, at, timeout)
	v.scaleTimeout("timeout", func(f float64) float64 { return f * 1000 })
}

// scaleTimeout leaves a timeout as it is that is no number, or none that JSON can hold.
func (v *conversion) scaleTimeout(key string, scale func(float64) float64) {
	f, ok := jsonvalue.NumberOf(v.args.Get(key))
	if f = scale(f); ok && !math.IsInf(f, 0) { // it stays infinite if it was
		v.set(key, ecma.AppendNumber(nil, f))
	}
}

func isNumber(value json.RawMessage) bool {
	_, ok := jsonvalue.NumberOf(value)
	return ok
}
