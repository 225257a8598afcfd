package message

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// object scans one JSON object.
func object(data []byte, levels int) (jsonspan.Node, error) {
	doc, err := jsonspan.Scan(data, levels)
	if err != nil {
		return jsonspan.Node{}, err
	}
	if doc.Root().Kind() != jsonspan.Object {
		return jsonspan.Node{}, errors.New("not a JSON object")
	}
	return doc.Root(), nil
}

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

// need returns a string member of a chunk or block; one of another type is an error, and so is none.
func need(n jsonspan.Node, key string) (string, error) {
	s, ok := text(member(n, key))
	if !ok {
		return "", fmt.Errorf("%s is not a string", key)
	}
	return s, nil
}

// number returns a JSON number as the IEEE double it denotes, infinite if it denotes none.
func number(n jsonspan.Node) (float64, bool) {
	if n.Kind() != jsonspan.Number {
		return 0, false
	}
	f, _ := strconv.ParseFloat(string(n.Raw()), 64) // ±Inf beyond the range
	return f, true
}

// whole returns an integer that a double holds exactly.
func whole(n jsonspan.Node) (int64, bool) {
	f, ok := number(n)
	if !ok || f < -maxSafe || f > maxSafe || f != math.Trunc(f) {
		return 0, false
	}
	return int64(f), true
}

const maxSafe = 1<<53 - 1

// A builder writes one JSON object.
type builder struct{ out []byte }

func (b *builder) key(key string) {
	if last := b.out[len(b.out)-1]; last != '{' {
		b.out = append(b.out, ',')
	}
	b.out = append(wtf8.AppendQuote(b.out, key), ':')
}

func (b *builder) text(key, value string) {
	b.key(key)
	b.out = wtf8.AppendQuote(b.out, value)
}

func (b *builder) whole(key string, value int64) {
	b.key(key)
	b.out = strconv.AppendInt(b.out, value, 10)
}

func (b *builder) raw(key string, value []byte) {
	b.key(key)
	b.out = append(b.out, value...)
}

// appendNumber writes a finite number as JavaScript does, so that an integer has no fraction or
// exponent up to 10^21.
func appendNumber(dst []byte, f float64) []byte {
	if f == 0 {
		return append(dst, '0') // JavaScript writes the negative zero so too
	}
	if abs := math.Abs(f); abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	// e-09 to e-9
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
