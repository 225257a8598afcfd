// Package cbor is the little of CBOR that a guest needs: reading a request lazily and writing an
// answer. It stands alone, because a full codec with reflection would double the size of a guest.
package cbor

import (
	"errors"
	"math"
)

// Major types.
const (
	unsigned = 0
	negative = 1
	bytesT   = 2
	textT    = 3
	listT    = 4
	mapT     = 5
	simpleT  = 7
)

// A Value is one item inside a request, read when it is asked for. The zero Value is an absent item:
// everything asked of it is absent as well. Any other is a part of what Parse has checked.
type Value struct{ raw []byte }

// errShort ends the reading of a malformed item. The host writes requests, so it is never seen unless
// host and guest disagree about the ABI.
var errShort = errors.New("malformed message")

// Parse returns the item that data is.
func Parse(data []byte) (Value, error) {
	rest, ok := check(data, 0)
	if !ok || len(rest) != 0 {
		return Value{}, errShort
	}
	return Value{data}, nil
}

// head reads the first bytes of an item.
func head(b []byte) (major byte, arg uint64, rest []byte, ok bool) {
	if len(b) == 0 {
		return 0, 0, nil, false
	}
	major, info := b[0]>>5, b[0]&31
	b = b[1:]
	if info < 24 {
		return major, uint64(info), b, true
	}
	if info > 27 {
		return 0, 0, nil, false // indefinite lengths are not part of the ABI
	}
	n := 1 << (info - 24)
	if len(b) < n {
		return 0, 0, nil, false
	}
	for _, c := range b[:n] {
		arg = arg<<8 | uint64(c)
	}
	return major, arg, b[n:], true
}

// Present reports whether there is an item.
func (v Value) Present() bool { return len(v.raw) > 0 }

// Text returns a text, or "" and false if the item is something else.
func (v Value) Text() (string, bool) {
	b, ok := v.content(textT)
	return string(b), ok
}

// Bytes returns a byte string, or nil and false. It is a view into the request.
func (v Value) Bytes() ([]byte, bool) { return v.content(bytesT) }

func (v Value) content(want byte) ([]byte, bool) {
	major, arg, rest, ok := head(v.raw)
	if !ok || major != want || arg > uint64(len(rest)) {
		return nil, false
	}
	return rest[:arg], true
}

// Number returns a number, or 0 and false.
func (v Value) Number() (float64, bool) {
	major, arg, _, ok := head(v.raw)
	switch {
	case ok && major == unsigned:
		return float64(arg), true
	case ok && major == negative:
		return -1 - float64(arg), true
	case ok && major == simpleT && v.raw[0] == 0xf9:
		return half(uint16(arg)), true
	case ok && major == simpleT && v.raw[0] == 0xfa:
		return float64(math.Float32frombits(uint32(arg))), true
	case ok && major == simpleT && v.raw[0] == 0xfb:
		return math.Float64frombits(arg), true
	}
	return 0, false
}

// half widens a number of 16 bits, in which the deterministic encoding writes every float that fits.
func half(h uint16) float64 {
	sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&1023)
	if h>>15 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// Bool returns a truth value, or false and false.
func (v Value) Bool() (value, ok bool) {
	if len(v.raw) != 1 || v.raw[0]&^1 != 0xf4 {
		return false, false
	}
	return v.raw[0] == 0xf5, true
}

// Null reports whether the item is null.
func (v Value) Null() bool { return len(v.raw) == 1 && v.raw[0] == 0xf6 }

// List returns the elements of a list, or nil.
func (v Value) List() []Value {
	major, n, rest, ok := head(v.raw)
	if !ok || major != listT {
		return nil
	}
	items := make([]Value, n)
	for i := range items {
		after := skip(rest)
		items[i] = Value{rest[:len(rest)-len(after)]}
		rest = after
	}
	return items
}

// Get returns the value under a key of a map, absent if there is none.
func (v Value) Get(key string) (value Value) {
	v.entries(func(name []byte, item Value) bool {
		if string(name) != key {
			return true
		}
		value = item
		return false
	})
	return value
}

// Entries calls each with the text keys of a map and the values under them.
func (v Value) Entries(each func(key string, value Value)) {
	v.entries(func(name []byte, item Value) bool {
		each(string(name), item)
		return true
	})
}

// entries goes on as long as each says so.
func (v Value) entries(each func(key []byte, value Value) bool) {
	major, n, rest, ok := head(v.raw)
	if !ok || major != mapT {
		return
	}
	for ; n > 0; n-- {
		key, _, _ := keyOf(rest)
		item := skip(rest)
		rest = skip(item)
		if key != nil && !each(key, Value{item[:len(item)-len(rest)]}) {
			return
		}
	}
}

// Texts returns the texts of a list; other elements are left out.
func (v Value) Texts() []string {
	var texts []string
	for _, item := range v.List() {
		if s, ok := item.Text(); ok {
			texts = append(texts, s)
		}
	}
	return texts
}
