package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/pintle-wasm/pintle/abi"
)

// Without --provider the payload is for a provider that the guest's adapter stands for.
func TestProviderOf(t *testing.T) {
	m := &abi.Manifest{Adapters: []abi.Adapter{
		{ID: "all", APIs: []string{"open"}},
		{ID: "acme", APIs: []string{"acme-chat"}, Providers: []string{"acme", "acme-eu"}},
	}}
	assert.Equal(t, "acme", providerOf(m, "acme-chat"))
	assert.Equal(t, "open", providerOf(m, "open"), "its adapter stands for every provider")
	m.Adapters = append(m.Adapters, abi.Adapter{ID: "any", Providers: []string{"other"}})
	assert.Equal(t, "other", providerOf(m, "open"), "an adapter for every api of a provider")
}
