package abi

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// Major types of CBOR items (RFC 8949 section 3.1).
const (
	majorUnsigned = 0
	majorNegative = 1
	majorBytes    = 2
	majorText     = 3
	majorList     = 4
	majorMap      = 5
	majorTag      = 6
)

// major returns the major type of an item that was checked.
func major(item []byte) byte { return item[0] >> 5 }

var errCutOff = errors.New("it is cut off")

// A checker walks over one CBOR item and applies the rules of every message, also inside the parts that
// a reader skips: else two readers of the same bytes could disagree about what they mean.
type checker struct {
	data   []byte
	pos    int
	repair bool // replace lone surrogates in place
	fixed  bool // it did
	limit  int  // items that may be read, keys included; 0: any number
	items  int  // that were
}

// wellFormed checks that data is exactly one item.
func wellFormed(data []byte) error { return (&checker{data: data}).whole() }

func (c *checker) whole() error {
	if err := c.item(0); err != nil {
		return fmt.Errorf("cbor at byte %d: %w", c.pos, err)
	}
	if left := len(c.data) - c.pos; left > 0 {
		return fmt.Errorf("cbor at byte %d: %d bytes follow the item", c.pos, left)
	}
	return nil
}

// head reads the first bytes of an item: its major type, the five bits beside it, and its argument.
func (c *checker) head() (major, info byte, arg uint64, err error) {
	if c.pos >= len(c.data) {
		return 0, 0, 0, errCutOff
	}
	major, info = c.data[c.pos]>>5, c.data[c.pos]&31
	if c.items++; c.limit > 0 && c.items > c.limit {
		return 0, 0, 0, fmt.Errorf("more than %d items", c.limit)
	}
	if major == majorTag {
		return 0, 0, 0, errors.New("tags are not allowed")
	}
	if info < 24 {
		c.pos++
		return major, info, uint64(info), nil
	}
	if info == 31 {
		return 0, 0, 0, errors.New("indefinite lengths are not allowed")
	}
	if info > 27 {
		return 0, 0, 0, fmt.Errorf("0x%02x starts no item", c.data[c.pos])
	}
	n := 1 << (info - 24)
	if len(c.data)-c.pos-1 < n {
		return 0, 0, 0, errCutOff
	}
	var wide [8]byte
	copy(wide[8-n:], c.data[c.pos+1:])
	c.pos += 1 + n
	return major, info, binary.BigEndian.Uint64(wide[:]), nil
}

func (c *checker) item(depth int) error {
	at := c.pos
	major, info, arg, err := c.head()
	if err != nil {
		return err
	}
	switch major {
	case majorUnsigned, majorNegative:
		return nil
	case majorBytes, majorText:
		_, err := c.content(major, arg)
		return err
	case majorList, majorMap:
		if depth == maxNesting {
			return fmt.Errorf("more than %d lists and maps are nested", maxNesting)
		}
		if major == majorMap {
			return c.pairs(arg, depth+1)
		}
		if arg > maxElements {
			return fmt.Errorf("a list has %d elements, at most %d are allowed", arg, maxElements)
		}
		for ; arg > 0; arg-- {
			if err := c.item(depth + 1); err != nil {
				return err
			}
		}
		return nil
	}
	// false, true, null and the three sizes of floats.
	if info < 20 || info > 27 || info == 23 || info == 24 {
		c.pos = at
		return fmt.Errorf("0x%02x is no value of JSON", c.data[at])
	}
	return nil
}

// content passes over the contents of a byte string or text and returns them.
func (c *checker) content(major byte, n uint64) ([]byte, error) {
	if n > uint64(len(c.data)-c.pos) {
		return nil, errCutOff
	}
	b := c.data[c.pos : c.pos+int(n)]
	if major == majorText && !utf8.Valid(b) {
		if !c.repair {
			return nil, errors.New("a text is not UTF-8")
		}
		if replaceSurrogates(b); !utf8.Valid(b) {
			return nil, errors.New("a text is neither UTF-8 nor WTF-8")
		}
		c.fixed = true
	}
	c.pos += int(n)
	return b, nil
}

func (c *checker) pairs(n uint64, depth int) error {
	if n > maxPairs {
		return fmt.Errorf("a map has %d keys, at most %d are allowed", n, maxPairs)
	}
	texts, numbers := map[string]struct{}{}, map[uint64]struct{}{}
	for ; n > 0; n-- {
		at := c.pos
		major, _, arg, err := c.head()
		if err != nil {
			return err
		}
		var twice bool
		switch major {
		case majorText:
			key, err := c.content(major, arg)
			if err != nil {
				return err
			}
			_, twice = texts[string(key)]
			texts[string(key)] = struct{}{}
		case majorUnsigned:
			_, twice = numbers[arg]
			numbers[arg] = struct{}{}
		default:
			c.pos = at
			return errors.New("a key is neither a text nor an unsigned number")
		}
		if twice {
			c.pos = at
			return errors.New("a key is used twice")
		}
		if err := c.item(depth); err != nil {
			return err
		}
	}
	return nil
}

// replaceSurrogates puts U+FFFD in the place of every lone surrogate, which is three bytes long in
// WTF-8 as well.
func replaceSurrogates(b []byte) {
	for i := 0; i+2 < len(b); i++ {
		if b[i] == 0xed && b[i+1]&0xe0 == 0xa0 && b[i+2]&0xc0 == 0x80 {
			copy(b[i:], "\uFFFD")
		}
	}
}
