package replay

import (
	"strconv"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

func member(n jsonspan.Node, key string) jsonspan.Node {
	m, _ := n.Member(key)
	return m
}

// text returns a string, and whether the value is one.
func text(n jsonspan.Node) (string, bool) {
	if n.Kind() != jsonspan.String {
		return "", false
	}
	s, err := wtf8.Unquote(n.Raw())
	return s, err == nil
}

// lenient returns a string, "" for any other value.
func lenient(n jsonspan.Node) string {
	s, _ := text(n)
	return s
}

// number returns the double that a number denotes, infinite if it denotes none.
func number(n jsonspan.Node) (float64, bool) {
	if n.Kind() != jsonspan.Number {
		return 0, false
	}
	f, _ := strconv.ParseFloat(string(n.Raw()), 64)
	return f, true
}

// An object is one JSON object under construction.
type object struct{ out []byte }

func (o *object) key(key string) {
	if o.out[len(o.out)-1] != '{' {
		o.out = append(o.out, ',')
	}
	o.out = append(wtf8.AppendQuote(o.out, key), ':')
}

func (o *object) text(key, value string) {
	o.key(key)
	o.out = wtf8.AppendQuote(o.out, value)
}

func (o *object) optional(key string, value *string) {
	if value != nil {
		o.text(key, *value)
	}
}

func (o *object) whole(key string, value int64) {
	o.key(key)
	o.out = strconv.AppendInt(o.out, value, 10)
}

func (o *object) bool(key string, value bool) {
	o.key(key)
	o.out = strconv.AppendBool(o.out, value)
}

func (o *object) raw(key string, value []byte) {
	o.key(key)
	o.out = append(o.out, value...)
}

func (o *object) route(key string, r message.Route) {
	o.key(key)
	inner := object{append(o.out, '{')}
	inner.text("provider", r.Provider)
	inner.text("model", r.Model)
	o.out = append(inner.out, '}')
}
