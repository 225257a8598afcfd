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
func text(n jsonspan.Node) (string, bool) { return textOf(n.Raw()) }

// textOf is text for the bytes of a value, none of an absent one.
func textOf(raw []byte) (string, bool) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", false
	}
	s, err := wtf8.Unquote(raw)
	return s, err == nil
}

// lenient returns a string, "" for any other value.
func lenient(n jsonspan.Node) string {
	s, _ := text(n)
	return s
}

// need returns a string member of a chunk; one of another type is an error, and so is none.
func need(raw []byte, key string) (string, error) {
	s, ok := textOf(raw)
	if !ok {
		return "", fmt.Errorf("%s is not a string", key)
	}
	return s, nil
}

// number returns a JSON number as the IEEE double it denotes, infinite if it denotes none.
func number(n jsonspan.Node) (float64, bool) { return numberOf(n.Raw()) }

// numberOf is number for the bytes of a value, none of an absent one.
func numberOf(raw []byte) (float64, bool) {
	if len(raw) == 0 || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, false
	}
	if len(raw) == 1 { // most indexes
		return float64(raw[0] - '0'), true
	}
	f, _ := strconv.ParseFloat(string(raw), 64) // ±Inf beyond the range
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
