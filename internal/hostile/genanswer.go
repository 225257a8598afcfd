package hostile

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func answerGenerators() map[string]generator {
	return map[string]generator{
		"invalid-cbor":       answers(invalidCBOR()),
		"wrong-answers":      answers(wrongAnswers()),
		"deep-answers":       answers(deepAnswers()),
		"invalid-utf8":       answers(invalidUTF8()),
		"huge-announcements": answers(hugeAnnouncements()),
	}
}

// answers makes guests that answer these bytes when they are attacked.
func answers(list map[string][]byte) generator {
	return func(m *abi.Manifest) ([]variant, error) {
		var out []variant
		for _, name := range sortedKeys(list) {
			out = append(out, variant{name, answering(m, list[name])})
		}
		return out, nil
	}
}

// answering is a guest that answers some bytes when it is attacked.
func answering(m *abi.Manifest, answer []byte) []byte {
	const peaceAt, attackAt = 16, 4096
	peace := wasmtest.Text("ok")
	module := wasmtest.Module{
		Pages: uint32(attackAt+len(answer))>>16 + 1,
		Data:  []wasmtest.Data{{Offset: peaceAt, Bytes: peace}, {Offset: attackAt, Bytes: answer}},
	}
	return wasmtest.Guest(module, m, wasmtest.Code(
		wasmtest.LocalGet(1), wasmtest.I32Const(511), i32GreaterU,
		wasmtest.If(wasmtest.Answer(attackAt, uint32(len(answer))), wasmtest.Return),
		wasmtest.Answer(peaceAt, uint32(len(peace)))))
}

// value is the answer [1, item]; the item is written in hexadecimal digits.
func value(item string) []byte {
	b, err := hex.DecodeString("8201" + strings.ReplaceAll(item, " ", ""))
	if err != nil {
		panic(err) // a mistake in a table
	}
	return b
}

// invalidCBOR has every way in which an item can break the rules for messages, as a value of an answer.
func invalidCBOR() map[string][]byte {
	list := map[string][]byte{
		"nothing at all": {}, "only a head": {0x82}, "cut off behind the form": {0x82, 0x01},
		"bytes behind it": append(wasmtest.Text("x"), 0), "a second answer": append(wasmtest.Text("x"), wasmtest.Text("y")...),
		"a break alone": {0xff}, "indefinite list": {0x9f, 0x01, 0x61, 'x', 0xff}, "never ending list": {0x9f, 0x01},
		"duplicate key as text": value("a2 61 61 01 61 61 02"), "duplicate key as number": value("a2 01 01 1801 02"),
		"key that is a list": value("a1 80 01"), "key that is a float": value("a1 f93c00 01"), "key that is negative": value("a1 20 01"),
		"map without the last value": value("a1 61 61"), "key that is null": value("a1 f6 01"), "key that is bytes": value("a1 41 61 01"),
		"indefinite text": value("7f 61 61 ff"), "indefinite bytes": value("5f 41 61 ff"), "indefinite map": value("bf ff"),
		"tag 0": value("c0 61 61"), "big number": value("c2 41 01"), "self-described": value("d9d9f7 61 61"), "tag without end": value(strings.Repeat("c1", 4000)),
		"undefined": value("f7"), "simple value 0": value("e0"), "simple value 255": value("f8ff"), "simple value of two bytes below 32": value("f814"),
	}
	// Of the additional information 24 to 27 announce bytes that are missing; 28 to 30 have no meaning; 31
	// is a break or an indefinite length.
	for major := range 8 {
		for info := 24; info < 32; info++ {
			list[fmt.Sprintf("major type %d with information %d and no more", major, info)] = []byte{0x82, 0x01, byte(major<<5 | info)}
		}
	}
	return list
}

// wrongAnswers are good CBOR and no answers, or no texts.
func wrongAnswers() map[string][]byte {
	return map[string][]byte{
		"a text": {0x61, 'x'}, "a map": {0xa0}, "a number": {0x01}, "null": {0xf6}, "an empty list": {0x80},
		"form 3": {0x82, 0x03, 0x61, 'x'}, "a form of 64 bits": append([]byte{0x82, 0x1b}, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x61, 'x'),
		"a negative form": {0x82, 0x20, 0x61, 'x'}, "a form that is a text": {0x82, 0x61, '1', 0x61, 'x'}, "form 0 with a value": {0x82, 0x00, 0x61, 'x'},
		"form 1 without": {0x81, 0x01}, "form 1 with two": {0x83, 0x01, 0x61, 'x', 0x61, 'y'}, "form 2 without": {0x81, 0x02}, "form 2 with a text": {0x82, 0x02, 0x61, 'x'},
		"a failure with numbers": {0x82, 0x02, 0xa1, 0x64, 'c', 'o', 'd', 'e', 0x01},
		"null for a text":        value("f6"), "a number for a text": value("01"), "bytes for a text": value("41 61"), "a list for a text": value("81 61 61"),
		"a float for a text": value("fb 7ff8000000000001"), "a map for a text": value("a0"), "true for a text": value("f5"),
	}
}

// deepAnswers are nested beyond what a reader follows.
func deepAnswers() map[string][]byte {
	list := map[string][]byte{}
	for _, depth := range []int{33, 1_000, 300_000} {
		list[fmt.Sprintf("%d lists", depth)] = append(bytes.Repeat([]byte{0x81}, depth), 0x01)
		list[fmt.Sprintf("%d maps", depth)] = value(strings.Repeat("a161 61", depth) + "01")
		list[fmt.Sprintf("%d lists in a value", depth)] = value(strings.Repeat("81", depth) + "01")
	}
	return list
}

// invalidUTF8 has what a text must not be made of.
func invalidUTF8() map[string][]byte {
	list := map[string][]byte{}
	for name, text := range map[string]string{
		"no beginning": "\x80", "no end": "a\xc3", "overlong slash": "\xc0\xaf", "overlong zero": "\xe0\x80\x80", "lone surrogate": "\xed\xa0\x80",
		"surrogate pair": "\xed\xa0\xbd\xed\xb8\x80", "beyond the last": "\xf4\x90\x80\x80", "five bytes": "\xf8\x88\x80\x80\x80", "Latin-1": "Gr\xfc\xdfe", "binary": "\xff\xfe\x00",
	} {
		head := append([]byte{0x82, 0x01}, 0x60|byte(len(text)))
		list[name] = append(head, text...)
		// The same as a key, where a reader would skip it.
		list[name+" as a key"] = append(append([]byte{0x82, 0x01, 0xa1, 0x60 | byte(len(text))}, text...), 0x01)
		// And in a guest's own error.
		list[name+" in a failure"] = append([]byte{0x82, 0x02, 0xa1, 0x64, 'c', 'o', 'd', 'e', 0x60 | byte(len(text))}, text...)
	}
	return list
}

// hugeAnnouncements say that much follows, which a reader must not believe.
func hugeAnnouncements() map[string][]byte {
	list := map[string][]byte{}
	for name, major := range map[string]byte{"bytes": 2, "text": 3, "list": 4, "map": 5} {
		for _, n := range []uint64{1 << 17, 131_073, 1 << 31, 1<<32 - 1, 1 << 40, 1<<63 - 1, 1<<64 - 1} {
			item := binary.BigEndian.AppendUint64([]byte{0x82, 0x01, major<<5 | 27}, n)
			list[fmt.Sprintf("%s of %d", name, n)] = append(item, 0x01, 0x01)
			list[fmt.Sprintf("%s of %d at the top", name, n)] = item[2:]
		}
	}
	return list
}
