// Package abi is the contract between host and guest: transports, interfaces, the manifest, and the
// messages that cross. It knows no engine. The normative text is ABI.md in this folder; this package is
// the host's reading of it.
package abi

import "slices"

// Names of transport pintle/1, the way bytes cross between host and guest.
const (
	// Transport is the number of the transport, the first value of a manifest.
	Transport = 1
	// HostModule is the import module of the host's functions.
	HostModule = "pintle/1"
	// ManifestSection is the custom section that holds the manifest.
	ManifestSection = "pintle.manifest"
	// TransportExport is an export, of any kind, that marks a guest of this transport even after its
	// custom sections were stripped.
	TransportExport = "pintle_abi_1"
	// MemoryExport is the guest's linear memory.
	MemoryExport = "memory"
	// AllocExport hands out the request buffer: (size i32) -> i32.
	AllocExport = "pintle_alloc"
	// InitExport is called once per instance before anything else, if it is there: () -> ().
	InitExport = "_initialize"
)

// MaxManifestBytes bounds the manifest section.
const MaxManifestBytes = 64 << 10

// KnownFeatures is the set of feature bits that this host implements. No bit is assigned yet: a
// manifest that requires one asks for a newer host.
const KnownFeatures uint64 = 0

// An Operation is one function of an interface, exported by a guest as (ptr i32, len i32) -> i64.
type Operation struct {
	Export   string
	Optional bool // exists only if it is exported and some offer in the manifest lists it
}

// An Interface is a named, versioned contract.
type Interface struct {
	ID         string // for example "developer-messages/v1"
	Operations []Operation
}

// The interfaces that this host knows.
const (
	DeveloperMessagesV1       = "developer-messages/v1"
	ProviderPayloadAdaptersV1 = "provider-payload-adapters/v1"
	ProviderPayloadAdaptersV2 = "provider-payload-adapters/v2"
)

// Exported function names of the operations.
const (
	RenderV1                   = "developer_messages_v1_render"
	ReadSystemPromptV1         = "provider_payload_adapters_v1_read_system_prompt"
	ReplaceSystemPromptV1      = "provider_payload_adapters_v1_replace_system_prompt"
	ReplaceDeveloperMessagesV1 = "provider_payload_adapters_v1_replace_developer_messages"
	EditV2                     = "provider_payload_adapters_v2_edit"
)

// Interfaces returns every interface that this host knows, in alphabetical order.
func Interfaces() []Interface {
	return []Interface{
		{ID: DeveloperMessagesV1, Operations: []Operation{{Export: RenderV1}}},
		{ID: ProviderPayloadAdaptersV1, Operations: []Operation{
			{Export: ReadSystemPromptV1},
			{Export: ReplaceSystemPromptV1},
			{Export: ReplaceDeveloperMessagesV1, Optional: true},
		}},
		{ID: ProviderPayloadAdaptersV2, Operations: []Operation{{Export: EditV2}}},
	}
}

// LookupInterface returns the interface with the given id.
func LookupInterface(id string) (Interface, bool) {
	all := Interfaces()
	if i := slices.IndexFunc(all, func(it Interface) bool { return it.ID == id }); i >= 0 {
		return all[i], true
	}
	return Interface{}, false
}
