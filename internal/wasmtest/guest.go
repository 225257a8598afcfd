package wasmtest

import "github.com/pintle-wasm/pintle/abi"

// RequestAt is where the guests of this package have their request buffer.
const RequestAt = 1 << 10

// Manifest returns a manifest with one contribution, "a".
func Manifest() *abi.Manifest {
	return &abi.Manifest{Transport: abi.Transport, ID: "test", Version: "1.0.0",
		Contributions: []abi.Contribution{{Interface: abi.DeveloperMessagesV1, ID: "a"}}}
}

// Guest completes a module with what transport pintle/1 wants: the marker, an allocator that always
// answers RequestAt, a render operation with the given code, and the manifest. It returns the file.
// Function indices: the module's imports, its functions, then marker, allocator and operation.
func Guest(m Module, manifest *abi.Manifest, render []byte) []byte {
	section, err := abi.EncodeManifest(manifest)
	if err != nil {
		panic(err) // a mistake in a test
	}
	if m.Pages == 0 {
		m.Pages = 1
	}
	m.Custom = append([]Custom{{abi.ManifestSection, section}}, m.Custom...)
	m.Functions = append(append([]Function(nil), m.Functions...),
		Function{Export: abi.TransportExport, Type: SigNone},
		Function{Export: abi.AllocExport, Type: SigAlloc, Code: I32Const(RequestAt)},
		Function{Export: abi.RenderV1, Type: SigOp, Code: render},
	)
	return m.Encode()
}

// Text returns the CBOR of an answer with a text.
func Text(s string) []byte {
	b, err := abi.EncodeAnswer(s, nil)
	if err != nil {
		panic(err)
	}
	return b
}

// Says returns a guest that always answers the same text.
func Says(text string) []byte {
	answer := Text(text)
	return Guest(Module{Data: []Data{{Offset: 16, Bytes: answer}}}, Manifest(), Answer(16, uint32(len(answer))))
}
