package abi_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
)

func fullManifest() *abi.Manifest {
	return &abi.Manifest{
		Transport: 1, ID: "acme/style", Version: "1.2.3", Description: "House style.", Uses: 6, State: abi.StateSession,
		Contributions: []abi.Contribution{
			{Interface: abi.DeveloperMessagesV1, ID: "style", Priority: -0.5, Providers: &[]string{"acme"}, ActiveTools: []string{"read"},
				Needs: abi.ContextFields(), Volatility: abi.VolatilitySession},
			{Interface: abi.DeveloperMessagesV1, ID: "never", Providers: &[]string{}},
		},
		Adapters: []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV1, ID: "acme", Providers: []string{"acme"}, APIs: []string{"acme-chat"},
			Models: []string{"a-1"}, Operations: []string{abi.ReplaceDeveloperMessagesV1}}},
		Capabilities: []abi.Capability{{Name: abi.CapabilityConfig, Reason: "the rules", Keys: []string{"rules"}}, {Name: "telepathy", Reason: "unknown names are no error"}},
		Limits:       abi.Limits{MemoryBytes: 1 << 20, Milliseconds: 200, AnswerBytes: 4096, LogBytes: 2048, Fuel: 1 << 40},
	}
}

func TestManifestRoundTrip(t *testing.T) {
	section, err := abi.EncodeManifest(fullManifest())
	require.NoError(t, err)
	assert.Equal(t, byte(0), section[1], "the transport comes first")
	again, err := abi.DecodeManifest(section)
	require.NoError(t, err)
	assert.Equal(t, fullManifest(), again)
	assert.Equal(t, []string{"rules"}, again.ConfigKeys())
	assert.True(t, again.Asks(abi.CapabilityConfig))
	assert.True(t, again.Asks("telepathy"))
	assert.False(t, again.Asks(abi.CapabilityKV))
	assert.True(t, again.Adapters[0].Has(abi.ReplaceDeveloperMessagesV1))
	assert.False(t, again.Adapters[0].Has(abi.ReadSystemPromptV1))
}

// Each of these changes breaks one rule, and the error says which and where.
func TestValidate(t *testing.T) {
	long := strings.Repeat("x", 257)
	many := strings.Split(strings.Repeat("x ", 1001), " ")[:1001]
	tests := map[string]struct {
		breakIt       func(m *abi.Manifest)
		field, reason string
	}{
		"transport":             {func(m *abi.Manifest) { m.Transport = 2 }, "transport", "is 2; this host knows transport 1"},
		"no id":                 {func(m *abi.Manifest) { m.ID = " \u00a0\t" }, "id", "is empty"},
		"long id":               {func(m *abi.Manifest) { m.ID = long }, "id", "has 257 bytes, at most 256"},
		"control character":     {func(m *abi.Manifest) { m.ID = "a\x1b[31m" }, "id", "control character"},
		"no version":            {func(m *abi.Manifest) { m.Version = "" }, "version", "is empty"},
		"long description":      {func(m *abi.Manifest) { m.Description = strings.Repeat("x", 4097) }, "description", "at most 4096"},
		"required features":     {func(m *abi.Manifest) { m.Requires = 1 << 63 }, "requires", "0x8000000000000000 are not known"},
		"nothing offered":       {func(m *abi.Manifest) { m.Contributions, m.Adapters = nil, nil }, "", "neither contributions nor adapters"},
		"many contributions":    {func(m *abi.Manifest) { m.Contributions = make([]abi.Contribution, 1001) }, "contributions", "1001 entries, at most 1000"},
		"many adapters":         {func(m *abi.Manifest) { m.Adapters = make([]abi.Adapter, 1001) }, "adapters", "at most 1000"},
		"many capabilities":     {func(m *abi.Manifest) { m.Capabilities = make([]abi.Capability, 1001) }, "capabilities", "at most 1000"},
		"unknown interface":     {func(m *abi.Manifest) { m.Contributions[0].Interface = "developer-messages/v9" }, "contributions[0].interface", "this host knows developer-messages/v1, provider-payload-adapters/v1"},
		"no interface":          {func(m *abi.Manifest) { m.Contributions[0].Interface = "" }, "contributions[0].interface", `"" is unknown`},
		"interface of adapters": {func(m *abi.Manifest) { m.Contributions[1].Interface = abi.ProviderPayloadAdaptersV1 }, "contributions[1].interface", "does not belong here"},
		"interface of messages": {func(m *abi.Manifest) { m.Adapters[0].Interface = abi.DeveloperMessagesV1 }, "adapters[0].interface", "does not belong here"},
		"an interface to come":  {func(m *abi.Manifest) { m.Adapters[0].Interface = "provider-payload-adapters/v3" }, "adapters[0].interface", "is unknown"},
		"contribution id":       {func(m *abi.Manifest) { m.Contributions[1].ID = "" }, "contributions[1].id", "is empty"},
		"contribution twice":    {func(m *abi.Manifest) { m.Contributions[1].ID = "style" }, "contributions[1].id", `"style" is used twice`},
		"priority":              {func(m *abi.Manifest) { m.Contributions[0].Priority = math.NaN() }, "contributions[0].priority", "not a finite number"},
		"infinite priority":     {func(m *abi.Manifest) { m.Contributions[0].Priority = math.Inf(-1) }, "contributions[0].priority", "not a finite number"},
		"empty provider":        {func(m *abi.Manifest) { m.Contributions[0].Providers = &[]string{"a", ""} }, "contributions[0].providers[1]", "is empty"},
		"many providers":        {func(m *abi.Manifest) { m.Contributions[0].Providers = &many }, "contributions[0].providers", "at most 1000"},
		"active tool":           {func(m *abi.Manifest) { m.Contributions[0].ActiveTools = []string{"\n"} }, "contributions[0].activeTools[0]", "is empty"},
		"need":                  {func(m *abi.Manifest) { m.Contributions[0].Needs = []abi.ContextField{"prompt", "mood"} }, "contributions[0].needs[1]", `"mood" is unknown; known: provider, activeTools, sessionId, prompt, systemPromptOptions`},
		"misspelt need":         {func(m *abi.Manifest) { m.Contributions[0].Needs = []abi.ContextField{"promt"} }, "contributions[0].needs[0]", `"promt" is unknown; did you mean prompt?`},
		"empty need":            {func(m *abi.Manifest) { m.Contributions[0].Needs[2] = "" }, "contributions[0].needs[2]", "is empty"},
		"many needs":            {func(m *abi.Manifest) { m.Contributions[0].Needs = make([]abi.ContextField, 1001) }, "contributions[0].needs", "at most 1000"},
		"volatility":            {func(m *abi.Manifest) { m.Contributions[0].Volatility = "often" }, "contributions[0].volatility", "known: never, session, turn"},
		"adapter twice":         {func(m *abi.Manifest) { m.Adapters = append(m.Adapters, m.Adapters[0]) }, "adapters[1].id", "used twice"},
		"adapter for nothing":   {func(m *abi.Manifest) { m.Adapters[0].Providers, m.Adapters[0].APIs = nil, nil }, "adapters[0]", "neither providers nor apis"},
		"adapter provider":      {func(m *abi.Manifest) { m.Adapters[0].Providers[0] = long }, "adapters[0].providers[0]", "at most 256"},
		"adapter api":           {func(m *abi.Manifest) { m.Adapters[0].APIs = append(many, many...) }, "adapters[0].apis", "has 2002 entries"},
		"adapter model":         {func(m *abi.Manifest) { m.Adapters[0].Models[0] = "" }, "adapters[0].models[0]", "is empty"},
		"required operation":    {func(m *abi.Manifest) { m.Adapters[0].Operations[0] = abi.ReadSystemPromptV1 }, "adapters[0].operations[0]", "is no optional operation of provider-payload-adapters/v1"},
		"many operations":       {func(m *abi.Manifest) { m.Adapters[0].Operations = many }, "adapters[0].operations", "at most 1000"},
		"capability name":       {func(m *abi.Manifest) { m.Capabilities[0].Name = "" }, "capabilities[0].name", "is empty"},
		"capability reason":     {func(m *abi.Manifest) { m.Capabilities[0].Reason = "\t" }, "capabilities[0].reason", "say what the guest wants it for"},
		"long reason":           {func(m *abi.Manifest) { m.Capabilities[0].Reason = strings.Repeat("x", 4097) }, "capabilities[0].reason", "at most 4096"},
		"capability key":        {func(m *abi.Manifest) { m.Capabilities[0].Keys[0] = long }, "capabilities[0].keys[0]", "at most 256"},
		"state":                 {func(m *abi.Manifest) { m.State = "forever" }, "state", "known: none, session"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := fullManifest()
			require.NoError(t, m.Validate())
			test.breakIt(m)
			err := m.Validate()
			var e *abi.ManifestError
			require.ErrorAs(t, err, &e)
			assert.Equal(t, test.field, e.Field)
			assert.Contains(t, e.Reason, test.reason)
			assert.ErrorContains(t, err, "manifest: ")
			_, err = abi.EncodeManifest(m)
			assert.ErrorAs(t, err, &e, "what is invalid is not written")
			// Nor is it read. What Go cannot even encode is not tried.
			if section, err := abi.Encode(m); err == nil {
				_, err = abi.DecodeManifest(section)
				assert.ErrorAs(t, err, &e)
			}
		})
	}
}

func TestDecodeManifestRefuses(t *testing.T) {
	// {0: 1, "id": "a", "limits": {}, "version": "1", "contributions": [{"id": "c", "interface":
	// "developer-messages/v1"}]}
	const rest = "62 6964 61 61 66 6c696d697473 a0 67 76657273696f6e 61 31"
	const offer = "6d 636f6e747269627574696f6e73 81 a2 62 6964 61 63 69 696e74657266616365 75 646576656c6f7065722d6d657373616765732f7631"
	good := "a5 00 01 " + rest + offer
	_, err := abi.DecodeManifest(unhex(t, good))
	require.NoError(t, err)
	for name, test := range map[string]struct{ section, want string }{
		"empty":              {"", "cut off"},
		"text":               {"61 61", "there is a text where another type is due"},
		"null":               {"f6", "transport: is missing"},
		"no transport":       {"a4" + rest + offer, "transport: is missing (key 0)"},
		"transport 2":        {"a5 00 02 " + rest + offer, "transport: is 2; this host knows transport 1"},
		"transport 2 alone":  {"a1 00 02", "transport: is 2"},
		"transport 2, a tag": {"a2 00 02 61 61 c0 00", "transport: is 2"},
		"transport as text":  {"a5 00 61 31 " + rest + offer, `at or in "0" there is a text where another type is due`},
		"longer number":      {"a5 00 18 01 " + rest + offer, "not the deterministic encoding"},
		"other order":        {"a5 00 01 " + offer + rest, "not the deterministic encoding"},
		"trailing byte":      {good + "00", "1 bytes follow"},
		"cut off":            {good[:len(good)-2], "cut off"},
		"twice the same key": {"a6 00 01 62 6964 61 61 " + rest + offer, "used twice"},
		"id is a number":     {strings.Replace(good, "62 6964 61 61", "62 6964 18 61", 1), `at or in "id" there is a number from 0 where`},
		"id is bytes":        {strings.Replace(good, "62 6964 61 61", "62 6964 41 61", 1), `at or in "id" there is a byte string where`},
		"id is null":         {strings.Replace(good, "62 6964 61 61", "62 6964 f6", 1), "id: is empty"},
		"limit as a float":   {strings.Replace(good, "c696d697473 a0", "c696d697473 a1 64 6675656c f9 4900", 1), `at or in "limits" there is a float`},
		"tag":                {"d9 d9f7 " + good, "tags"},
		"indefinite":         {"bf 00 01 ff", "indefinite"},
		"nesting bomb":       {"a6 00 01 " + rest + offer + "78 18 " + strings.Repeat("7a", 24) + strings.Repeat("81", 1000) + "00", "nested"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := abi.DecodeManifest(unhex(t, test.section))
			var e *abi.ManifestError
			require.ErrorAs(t, err, &e)
			assert.ErrorContains(t, err, test.want)
		})
	}
	// Keys that this host does not know are for hosts that do.
	_, err = abi.DecodeManifest(unhex(t, "a6 00 01 "+rest+offer+"78 18 "+strings.Repeat("7a", 24)+"81 f6"))
	assert.NoError(t, err)
}

func TestManifestSize(t *testing.T) {
	m := fullManifest()
	for i := range 900 {
		m.Contributions = append(m.Contributions, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: fmt.Sprintf("%0120d", i)})
	}
	require.NoError(t, m.Validate())
	_, err := abi.EncodeManifest(m)
	require.ErrorContains(t, err, "larger than 64 KiB")
	_, err = abi.DecodeManifest(make([]byte, abi.MaxManifestBytes+1))
	require.ErrorContains(t, err, "larger than 64 KiB")
}

func TestInterfaces(t *testing.T) {
	all := abi.Interfaces()
	all[0].ID = "changed"
	assert.Equal(t, abi.DeveloperMessagesV1, abi.Interfaces()[0].ID, "callers get their own copy")
	it, ok := abi.LookupInterface(abi.ProviderPayloadAdaptersV1)
	require.True(t, ok)
	assert.Len(t, it.Operations, 3)
	_, ok = abi.LookupInterface("provider-payload-adapters/v3")
	assert.False(t, ok)
}

// Every valid manifest survives its encoding, and the encoding is the only one.
func TestManifestProperty(t *testing.T) {
	id := rapid.StringMatching(`[a-z][a-zA-Z0-9/._ é世-]{0,20}`)
	ids := rapid.SliceOfN(id, 1, 4)
	rapid.Check(t, func(t *rapid.T) {
		m := &abi.Manifest{Transport: 1, ID: id.Draw(t, "id"), Version: id.Draw(t, "version"), Uses: rapid.Uint64().Draw(t, "uses"),
			State: rapid.SampledFrom([]abi.State{"", abi.StateNone, abi.StateSession}).Draw(t, "state")}
		for i := range rapid.IntRange(1, 3).Draw(t, "contributions") {
			c := abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: fmt.Sprint(i, id.Draw(t, "contribution")),
				Priority: rapid.Float64Range(-1e300, 1e300).Draw(t, "priority")}
			if rapid.Bool().Draw(t, "filtered") {
				providers := rapid.SliceOfN(id, 0, 3).Draw(t, "providers")
				c.Providers = &providers
			}
			if rapid.Bool().Draw(t, "needy") {
				c.Needs = rapid.SliceOfN(rapid.SampledFrom(abi.ContextFields()), 1, 5).Draw(t, "needs")
			}
			m.Contributions = append(m.Contributions, c)
		}
		if rapid.Bool().Draw(t, "adapter") {
			m.Adapters = []abi.Adapter{{Interface: abi.ProviderPayloadAdaptersV1, ID: id.Draw(t, "adapter id"), APIs: ids.Draw(t, "apis")}}
		}
		m.Limits.MemoryBytes = rapid.Uint64().Draw(t, "memory")
		section, err := abi.EncodeManifest(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := abi.DecodeManifest(section)
		if err != nil {
			t.Fatal(err)
		}
		assert.Equal(t, m, again)
	})
}
