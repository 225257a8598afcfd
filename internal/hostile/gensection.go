package hostile

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
)

func sectionGenerators() map[string]generator {
	return map[string]generator{
		"forged-manifests":   forgedManifests,
		"two-manifests":      twoManifests,
		"duplicate-sections": duplicateSections,
		"oversized-sections": oversizedSections,
	}
}

const headerSize = 8

// sections cuts a file into its header and its sections.
func sections(file []byte) [][]byte {
	out := [][]byte{file[:headerSize]}
	for at := headerSize; at < len(file); {
		n, width := binary.Uvarint(file[at+1:])
		end := at + 1 + width + int(n)
		out = append(out, file[at:end])
		at = end
	}
	return out
}

// replaceSection puts a section in the place of the one with its id, or where its id belongs.
func replaceSection(file, section []byte) []byte {
	list := sections(file)
	at := slices.IndexFunc(list[1:], func(s []byte) bool { return s[0] == section[0] && s[0] != 0 }) + 1
	if at > 0 {
		list[at] = section
	} else {
		at = slices.IndexFunc(list[1:], func(s []byte) bool { return place(s[0]) > place(section[0]) }) + 1
		if at == 0 {
			at = len(list)
		}
		list = slices.Insert(list, at, section)
	}
	return slices.Concat(list...)
}

// place says where a section belongs. Those that were added later have a higher id than their place tells.
func place(id byte) float64 {
	switch id {
	case 12: // the count of data segments
		return 9.5
	case 13: // tags
		return 5.5
	}
	return float64(id)
}

func custom(name string, contents []byte) []byte {
	body := append(binary.AppendUvarint(nil, uint64(len(name))), name...)
	body = append(body, contents...)
	return append(binary.AppendUvarint([]byte{0}, uint64(len(body))), body...)
}

func variants(list map[string][]byte) ([]variant, error) {
	var out []variant
	for _, name := range sortedKeys(list) {
		out = append(out, variant{name, list[name]})
	}
	return out, nil
}

// forgedManifests have bytes in the section that no honest encoder writes.
func forgedManifests(m *abi.Manifest) ([]variant, error) {
	good, err := abi.EncodeManifest(m)
	if err != nil {
		return nil, err
	}
	rest := slices.Concat(sections(attacking(wasmtest.Module{}, m))[2:]...)
	file := func(section []byte) []byte {
		return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), custom(abi.ManifestSection, section), rest)
	}
	list := map[string][]byte{
		"empty":              file(nil),
		"no map":             file([]byte{0x01}),
		"transport alone":    file([]byte{0xa1, 0x00, 0x01}),
		"transport 2":        file(bytes.Replace(good, []byte{0x00, 0x01}, []byte{0x00, 0x02}, 1)),
		"transport as text":  file(bytes.Replace(good, []byte{0x00, 0x01}, []byte{0x00, 0x61, '1'}, 1)),
		"long head":          file(slices.Concat([]byte{0xb8, good[0] & 0x1f}, good[1:])),
		"indefinite map":     file(slices.Concat([]byte{0xbf}, good[1:], []byte{0xff})),
		"tagged":             file(slices.Concat([]byte{0xd9, 0xd9, 0xf7}, good)),
		"cut off":            file(good[:len(good)-1]),
		"bytes behind it":    file(append(slices.Clone(good), 0x00)),
		"twice in a row":     file(slices.Concat(good, good)),
		"random bytes":       file([]byte{0xa5, 0x00, 0x01, 0xde, 0xad, 0xbe, 0xef}),
		"larger than 64 KiB": file(append(slices.Clone(good), make([]byte, 64<<10)...)),
		"nested deeply":      file(slices.Concat([]byte{0xa1, 0x00}, bytes.Repeat([]byte{0x81}, 60_000), []byte{0x01})),
		"a list of billions": file(slices.Concat([]byte{0xa2, 0x00, 0x01, 0x62, 'i', 'd'}, []byte{0x9b, 0, 0, 0, 255, 255, 255, 255, 255})),
		"another name":       slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), custom("pintle.manifest\x00", good), rest),
		"name not UTF-8":     slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), custom("pintle.manifest\xff", good), rest),
		"no section":         slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), rest),
		"at the end":         slices.Concat([]byte("\x00asm\x01\x00\x00\x00"), rest, custom(abi.ManifestSection, good)),
	}
	for name, change := range map[string]func(*abi.Manifest){
		"no offers":             func(m *abi.Manifest) { m.Contributions = nil },
		"no id":                 func(m *abi.Manifest) { m.ID = "" },
		"control in the id":     func(m *abi.Manifest) { m.ID = "a\x1b[2Jb" },
		"line in the id":        func(m *abi.Manifest) { m.ID = "a\nb" },
		"long id":               func(m *abi.Manifest) { m.ID = strings.Repeat("x", 257) },
		"control in an offer":   func(m *abi.Manifest) { m.Contributions[0].ID = "a\u009bb" },
		"unknown interface":     func(m *abi.Manifest) { m.Contributions[0].Interface = "developer-messages/v9" },
		"unknown field":         func(m *abi.Manifest) { m.Contributions[0].Needs = []abi.ContextField{"password"} },
		"the same offer twice":  func(m *abi.Manifest) { m.Contributions = append(m.Contributions, m.Contributions[0]) },
		"unknown state":         func(m *abi.Manifest) { m.State = "for ever" },
		"unknown feature":       func(m *abi.Manifest) { m.Requires = 1 << 63 },
		"operation not offered": func(m *abi.Manifest) { m.Contributions[0].Interface = abi.ProviderPayloadAdaptersV1 },
	} {
		changed := *m
		changed.Contributions = slices.Clone(m.Contributions)
		change(&changed)
		section, err := abi.Encode(&changed)
		if err != nil {
			return nil, err
		}
		list[name] = file(section)
	}
	return variants(list)
}

// twoManifests want to be judged by one manifest and treated by the other.
func twoManifests(m *abi.Manifest) ([]variant, error) {
	good, err := abi.EncodeManifest(m)
	if err != nil {
		return nil, err
	}
	second := custom(abi.ManifestSection, good)
	s := sections(attacking(wasmtest.Module{}, m))
	return variants(map[string][]byte{
		"one after the other": slices.Concat(s[0], s[1], second, slices.Concat(s[2:]...)),
		"one at the end":      slices.Concat(append(slices.Clone(s), second)...),
		"an empty one first":  slices.Concat(s[0], custom(abi.ManifestSection, nil), slices.Concat(s[1:]...)),
	})
}

// duplicateSections has every section twice, and every two neighbours in the wrong order.
func duplicateSections(m *abi.Manifest) ([]variant, error) {
	list := map[string][]byte{}
	s := sections(attacking(wasmtest.Module{Globals: 1}, m))
	for i := 2; i < len(s); i++ { // behind header and manifest
		id := string(rune('A' + s[i][0]))
		list["twice in a row "+id] = slices.Concat(slices.Insert(slices.Clone(s), i, s[i])...)
		list["again at the end "+id] = slices.Concat(append(slices.Clone(s), s[i])...)
		if i+1 < len(s) {
			swapped := slices.Clone(s)
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			list["out of order "+id] = slices.Concat(swapped...)
		}
		list["missing "+id] = slices.Concat(slices.Delete(slices.Clone(s), i, i+1)...)
	}
	delete(list, "missing G") // the global that nobody uses
	delete(list, "missing L") // the data
	delete(list, "missing H") // the exports, which makes it a module that is no guest
	return variants(list)
}

// oversizedSections say that they are larger than they are, or are larger than they may be.
func oversizedSections(m *abi.Manifest) ([]variant, error) {
	s := sections(attacking(wasmtest.Module{}, m))
	base := slices.Concat(s...)
	list := map[string][]byte{
		"custom section of 9 MiB": append(slices.Clone(base), custom("x", make([]byte, 9<<20))...),
		"file of 17 MiB":          append(slices.Clone(base), slices.Repeat(custom("x", make([]byte, 1<<20)), 17)...),
		"300 custom sections":     append(slices.Clone(base), slices.Repeat(custom("x", nil), 300)...),
		"name of 2 KiB":           append(slices.Clone(base), custom(strings.Repeat("n", 2048), nil)...),
		"name longer than itself": append(slices.Clone(base), 0, 2, 5, 'x'),
		"size beyond the file":    append(slices.Clone(base), 0, 100, 1, 'x'),
		"size of 4 GiB":           append(slices.Clone(base), 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 1, 'x'),
		"size of 2^64":            append(slices.Clone(base), 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, 1, 'x'),
		"size of eleven bytes":    append(slices.Clone(base), 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00),
	}
	for name, section := range map[string][]byte{
		"4 billion types":     {1, 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"4 billion functions": {3, 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"4 billion globals":   {6, 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"4 billion exports":   {7, 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"4 billion elements":  {9, 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"4 billion bodies":    {10, 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"4 billion segments":  {11, 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"more data counted":   {12, 1, 9},
		"table of 65,537":     {4, 6, 1, 0x70, 0, 0x81, 0x80, 0x04},
		"17 tables":           append([]byte{4, 52, 17}, bytes.Repeat([]byte{0x70, 0, 1}, 17)...),
		"element of 2^31":     {9, 11, 1, 0, 0x41, 0, 0x0b, 0xff, 0xff, 0xff, 0xff, 0x07, 0},
		"params without end":  {1, 7, 1, 0x60, 0xff, 0xff, 0xff, 0xff, 0x0f},
	} {
		list[name] = replaceSection(base, section)
	}
	return variants(list)
}
