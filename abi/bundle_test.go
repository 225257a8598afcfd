package abi_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

func TestBundle(t *testing.T) {
	for _, b := range []abi.Bundle{
		{Code: "1"}, {Code: "\x00é🧾", Map: "{}", File: "a b.js"}, {Code: strings.Repeat("x", 1<<20), File: strings.Repeat("f", 256)},
	} {
		section, err := abi.EncodeBundle(&b)
		require.NoError(t, err)
		got, err := abi.DecodeBundle(section)
		require.NoError(t, err)
		assert.Equal(t, b, *got)
	}
	section, err := abi.EncodeBundle(&abi.Bundle{Code: "a\xed\xa0\x80"})
	require.NoError(t, err)
	got, err := abi.DecodeBundle(section)
	require.NoError(t, err)
	assert.Equal(t, "a\uFFFD", got.Code)
}

func TestBundleRefuses(t *testing.T) {
	for _, test := range []struct {
		bundle abi.Bundle
		want   string
	}{
		{abi.Bundle{}, "has no code"},
		{abi.Bundle{Code: "1", File: strings.Repeat("f", 257)}, "has 257 bytes, at most 256 are allowed"},
		{abi.Bundle{Code: "1", File: "a\nb"}, "has a control character"},
		{abi.Bundle{Code: "1\xff"}, "neither UTF-8 nor WTF-8"},
		{abi.Bundle{Code: strings.Repeat("x", abi.MaxBundleBytes)}, "at most 8388608 are allowed"},
	} {
		_, err := abi.EncodeBundle(&test.bundle)
		assert.ErrorContains(t, err, test.want)
		assert.ErrorContains(t, err, "the section pintle.bundle")
	}
	for section, want := range map[string]string{
		"": "cut off", "\xa0": "has no code", "\x80": "where another type is due", "\xa1\x64code\x01": "where another type is due",
		"\xa1\x64code\x61\xff": "not UTF-8", "\xa1\x64code\x78\x011": "not the deterministic encoding",
		"\xa1\x64code\x611\x00": "bytes follow the item", strings.Repeat("x", abi.MaxBundleBytes+1): "has 8388609 bytes",
	} {
		_, err := abi.DecodeBundle([]byte(section))
		assert.ErrorContains(t, err, want)
	}
	b, err := abi.DecodeBundle([]byte("\xa2\x64code\x611\x64more\x01"))
	require.NoError(t, err)
	assert.Equal(t, "1", b.Code, "unknown keys are ignored")
}

func ExampleEncodeBundle() {
	section, err := abi.EncodeBundle(&abi.Bundle{Code: "globalThis.__pintle = {}", File: "guest.js"})
	if err != nil {
		panic(err)
	}
	b, err := abi.DecodeBundle(section)
	fmt.Println(b.Code, b.File, err)
	// Output: globalThis.__pintle = {} guest.js <nil>
}
