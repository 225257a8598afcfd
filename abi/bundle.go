package abi

import "fmt"

// Names of transport pintle-js/1, in which the host drives a JavaScript engine that it knows. The number in
// the manifest is that of pintle/1: a file with the section pintle.bundle has this transport.
const (
	// BundleSection is the custom section that holds the guest's program.
	BundleSection = "pintle.bundle"
	// LicensesSection is the custom section with the licences of the engine, which hosts do not read.
	LicensesSection = "pintle.licenses"
	// BundleFile is what stacks of the engine call a program whose bundle does not say.
	BundleFile = "guest.js"
)

// MaxBundleBytes bounds the bundle section.
const MaxBundleBytes = 8 << 20

// A Bundle is the program of a JavaScript guest, stored as deterministic CBOR in the custom section
// pintle.bundle.
type Bundle struct {
	Code string `cbor:"code"`           // a script, not a module
	Map  string `cbor:"map,omitempty"`  // its source map, version 3, as JSON; empty: none
	File string `cbor:"file,omitempty"` // what stacks of the engine call the script; empty: BundleFile
}

// DecodeBundle reads a bundle section.
func DecodeBundle(section []byte) (*Bundle, error) {
	if len(section) > MaxBundleBytes {
		return nil, bundleTooLarge(len(section))
	}
	var b Bundle
	if err := Decode(section, &b); err != nil {
		return nil, fmt.Errorf("the section %s: %w", BundleSection, err)
	}
	if !deterministic(section) {
		return nil, fmt.Errorf("the section %s is not the deterministic encoding of CBOR (RFC 8949, 4.2.1)", BundleSection)
	}
	if err := b.validate(); err != nil {
		return nil, err
	}
	return &b, nil
}

// EncodeBundle writes a bundle as a section's contents. Halves of surrogate pairs become U+FFFD.
func EncodeBundle(b *Bundle) ([]byte, error) {
	if err := b.validate(); err != nil {
		return nil, err
	}
	section, err := Encode(b)
	if err != nil {
		return nil, fmt.Errorf("the section %s: %w", BundleSection, err)
	}
	if len(section) > MaxBundleBytes {
		return nil, bundleTooLarge(len(section))
	}
	return section, nil
}

func (b *Bundle) validate() error {
	switch {
	case b.Code == "":
		return fmt.Errorf("the section %s has no code", BundleSection)
	case len(b.File) > maxIDBytes:
		return fmt.Errorf("the section %s: the name of the file has %d bytes, at most %d are allowed", BundleSection, len(b.File), maxIDBytes)
	}
	for i := range len(b.File) {
		if b.File[i] < ' ' {
			return fmt.Errorf("the section %s: the name of the file has a control character", BundleSection)
		}
	}
	return nil
}

func bundleTooLarge(n int) error {
	return fmt.Errorf("the section %s has %d bytes, at most %d are allowed", BundleSection, n, MaxBundleBytes)
}
