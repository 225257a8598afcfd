package wiretest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a wire takes for wrong, and what for right.
func TestWire(t *testing.T) {
	const open = `{"jsonrpc":"2.0","id":1,"method":"stream/open","params":{"host":"pi","model":{}}}`
	for name, in := range map[string]struct {
		frames []string // those of the client begin with ">"
		fault  string
	}{
		"right":               {[]string{">" + open, `{"jsonrpc":"2.0","id":1,"result":{"stream":"s1","window":9}}`}, ""},
		"a member too much":   {[]string{">" + open, `{"jsonrpc":"2.0","id":1,"result":{"stream":"s1","window":9,"x":0}}`}, "'x' not allowed"},
		"one too few":         {[]string{">" + open, `{"jsonrpc":"2.0","id":1,"result":{"stream":"s1"}}`}, "missing property 'window'"},
		"another id":          {[]string{">" + open, `{"jsonrpc":"2.0","id":2,"result":{"stream":"s1"}}`}, ""},
		"wrong params":        {[]string{`>{"jsonrpc":"2.0","id":1,"method":"stream/close"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`}, "missing property 'stream'"},
		"wrong and refused":   {[]string{`>{"jsonrpc":"2.0","id":1,"method":"stream/close"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"x"}}`}, ""},
		"right and refused":   {[]string{">" + open, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"x","data":{"limit":64}}}`}, ""},
		"an error's data":     {[]string{">" + open, `{"jsonrpc":"2.0","id":1,"error":{"code":-32004,"message":"x"}}`}, "missing property 'data'"},
		"an unknown code":     {[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"x"}}`}, "/error/code"},
		"an unknown method":   {[]string{`{"jsonrpc":"2.0","method":"tell","params":{}}`}, "method"},
		"a wrong answer":      {[]string{`{"jsonrpc":"2.0","id":1,"method":"render","params":{"call":1,"handles":[1],"stopOnError":true}}`, `>{"jsonrpc":"2.0","id":1,"result":{"results":[7]}}`}, "render.result"},
		"no JSON":             {[]string{`{`}, "unexpected end"},
		"no JSON of a client": {[]string{`>{`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w, err := NewWire()
			require.NoError(t, err)
			for _, frame := range in.frames {
				if frame[0] == '>' {
					w.Frame(ToServer, []byte(frame[1:]))
				} else {
					w.Frame(ToClient, []byte(frame))
				}
			}
			if in.fault == "" {
				assert.Empty(t, w.Faults())
				return
			}
			require.NotEmpty(t, w.Faults())
			assert.Contains(t, w.Faults()[0], in.fault)
		})
	}
}
