package guestbuild

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

const registeredByCode = `{
	"contributions": [
		{"id": "acme/style", "priority": 4.5, "providers": [], "activeTools": ["read"]},
		{"id": "acme/mode"}
	],
	"adapters": [
		{"interface": "provider-payload-adapters/v1", "id": "acme", "providers": ["acme"],
		 "operations": ["provider_payload_adapters_v1_replace_developer_messages"]},
		{"interface": "provider-payload-adapters/v2", "id": "chat", "apis": ["acme-chat"],
		 "view": [{"path": ["turns", true], "where": [{"of": 0, "member": "m", "equals": null}, {"member": "n", "prefix": ""}],
		           "members": ["text"], "clip": 0}],
		 "write": [["turns", true]]}
	]}`

const smallestTOML = "id = \"acme/all\"\nversion = \"1\"\n"

func mergedWith(t *testing.T, text, said string) (*abi.Manifest, error) {
	t.Helper()
	f, err := parseFile([]byte(text))
	require.NoError(t, err)
	code, err := decodeRegistrations([]byte(said))
	if err != nil {
		return nil, err
	}
	return f.merged(code)
}

func TestRegistrationsThatAreHardlyMeant(t *testing.T) {
	code, err := decodeRegistrations([]byte(`{"contributions": [{"id": "a", "readsContext": true}, {"id": "b"}, {"id": "c", "readsContext": true}], "replaced": ["b"]}`))
	require.NoError(t, err)
	f, err := parseFile([]byte(smallestTOML + "[[contributions]]\nid = \"a\"\nneeds = [\"prompt\"]"))
	require.NoError(t, err)
	m, err := f.merged(code)
	require.NoError(t, err)
	assert.Equal(t, []string{`"b" is registered more than once; the last registration counts`, `contribution "c" takes the context, but pintle.toml lists no needs for it: it gets an empty one`}, code.warnings(m))
}

func TestCodeAloneMakesTheManifest(t *testing.T) {
	m, err := mergedWith(t, smallestTOML, registeredByCode)
	require.NoError(t, err)
	clip, top, empty := uint64(0), uint64(0), ""
	null, err := abi.ScalarOf(nil)
	require.NoError(t, err)
	turns := abi.Path{{Member: "turns"}, {Each: true}}
	assert.Equal(t, &abi.Manifest{
		Transport: 1, ID: "acme/all", Version: "1",
		Contributions: []abi.Contribution{
			{Interface: abi.DeveloperMessagesV1, ID: "acme/style", Priority: 4.5, Providers: &[]string{}, ActiveTools: []string{"read"}},
			{Interface: abi.DeveloperMessagesV1, ID: "acme/mode"},
		},
		Adapters: []abi.Adapter{
			{Interface: abi.ProviderPayloadAdaptersV1, ID: "acme", Providers: []string{"acme"}, Operations: []string{abi.ReplaceDeveloperMessagesV1}},
			{Interface: abi.ProviderPayloadAdaptersV2, ID: "chat", APIs: []string{"acme-chat"}, Write: []abi.Path{turns},
				View: []abi.Selector{{Path: turns, Members: []string{"text"}, Clip: &clip,
					Where: []abi.Filter{{Of: &top, Member: "m", Equals: null}, {Member: "n", Prefix: &empty}}}}},
		},
	}, m)
}

func TestTOMLAddsToTheCode(t *testing.T) {
	m, err := mergedWith(t, smallestTOML+`
description = "d"
state = "session"
[[contributions]]
id = "acme/mode"
priority = 0.5
providers = ["x"]
activeTools = ["y"]
needs = ["prompt"]
volatility = "session"
[[contributions]]
id = "acme/style"
interface = "developer-messages/v1"
priority = 4.5
providers = []
activeTools = ["read"]
needs = ["provider"]
[[adapters]]
id = "acme"
interface = "provider-payload-adapters/v1"
models = ["a-1"]
operations = ["replace_developer_messages"]
[[adapters]]
id = "chat"
providers = ["acme"]
[[capabilities]]
name = "kv"
reason = "r"
[limits]
fuel = 5
`, registeredByCode)
	require.NoError(t, err)
	assert.Equal(t, "d", m.Description)
	assert.Equal(t, abi.StateSession, m.State)
	assert.Equal(t, uint64(5), m.Limits.Fuel)
	assert.True(t, m.Asks("kv"))
	require.Len(t, m.Contributions, 2, "in the order of the code")
	assert.Equal(t, abi.Contribution{Interface: abi.DeveloperMessagesV1, ID: "acme/mode", Priority: 0.5, Providers: &[]string{"x"},
		ActiveTools: []string{"y"}, Needs: []abi.ContextField{"prompt"}, Volatility: "session"}, m.Contributions[1])
	assert.Equal(t, []abi.ContextField{"provider"}, m.Contributions[0].Needs)
	assert.Equal(t, []string{"a-1"}, m.Adapters[0].Models)
	assert.Equal(t, []string{"acme"}, m.Adapters[1].Providers)
	assert.Equal(t, []string{"acme-chat"}, m.Adapters[1].APIs)
}

func TestTOMLAndCodeMayNotDiffer(t *testing.T) {
	contribution, adapter := "[[contributions]]\nid = \"acme/style\"\n", "[[adapters]]\nid = \"chat\"\n"
	for text, want := range map[string]string{
		contribution + "priority = 4":                             `contributions.priority: the code says 4.5, pintle.toml says 4; leave it to the code`,
		contribution + "priority = 0":                             `priority: the code says 4.5, pintle.toml says 0`,
		contribution + "providers = [\"a\"]":                      `providers: the code says [], pintle.toml says ["a"]`,
		contribution + "activeTools = []":                         `activeTools: the code says ["read"], pintle.toml says []`,
		adapter + "apis = [\"acme-chat\", \"b\"]":                 `adapters.apis: the code says ["acme-chat"], pintle.toml says ["acme-chat","b"]`,
		adapter + "write = [[\"turns\"]]":                         `write: the code says [["turns",true]], pintle.toml says [["turns"]]`,
		adapter + "view = [{ path = [\"a\"] }]":                   `view: the code says [{"path":["turns",true],`,
		adapter + "interface = \"provider-payload-adapters/v1\"":  `interface: the code says "provider-payload-adapters/v2"`,
		adapter + "operations = [\"replace_developer_messages\"]": `operations: the code says [], pintle.toml says ["provider_payload_adapters_v1_replace_developer_messages"]`,
		"[[adapters]]\nid = \"acme\"\noperations = []":            `operations: the code says ["provider_payload_adapters_v1_replace_developer_messages"], pintle.toml says []`,
		"[[contributions]]\nid = \"acme/stile\"":                  `contributions: the code registers no contribution "acme/stile"; did you mean "acme/style"?`,
		"[[contributions]]\nid = \"other\"":                       `the code registers no contribution "other"; it registers acme/style, acme/mode`,
		"[[adapters]]\nid = \"chad\"":                             `adapters: the code registers no adapter "chad"; did you mean "chat"?`,
		"[[contributions]]\nneeds = [\"prompt\"]":                 `contributions.id: is missing; the code registers acme/style, acme/mode`,
		contribution + contribution:                               ``,
		contribution + "needs = [\"shoes\"]":                      `"shoes" is unknown`,
	} {
		_, err := mergedWith(t, smallestTOML+text, registeredByCode)
		if want == "" {
			want = "is used twice"
		}
		require.Error(t, err, text)
		assert.Contains(t, err.Error(), want, text)
	}
}

func TestWhatCodeMayNotRegister(t *testing.T) {
	for said, want := range map[string]string{
		`{"contributions": [], "adapters": []}`:         "it offers neither contributions nor adapters",
		`{"contributions": [{"id": "a"}, {"id": "a"}]}`: `"a" is used twice`,
		`{"contributions": [{"id": " "}]}`:              "is empty",
		`{"contributions": [{"id": 5}]}`:                "what the code registers: ",
		`{"adapters": [{"interface": "provider-payload-adapters/v2", "id": "a", "apis": ["b"], "view": [], "write": [["c"]]}]}`:                            "view: has 0 entries",
		`{"adapters": [{"interface": "provider-payload-adapters/v2", "id": "a", "apis": ["b"], "view": [{"path": ["c", 1]}], "write": [["c"]]}]}`:          "a step of a path is a text or true",
		`{"adapters": [{"interface": "provider-payload-adapters/v2", "id": "a", "apis": ["b"], "view": [{"path": ["c"], "clipp": 1}], "write": [["c"]]}]}`: `unknown field "clipp"`,
		`{"adapters": [{"interface": "provider-payload-adapters/v1", "id": "a"}]}`:                                                                         "names neither providers nor apis",
		`{"adapters": [{"id": "v2", "apis": ["b"], "view": [{"path": "prompt"}], "write": [["c"]]}]}`:                                                      `what the code registers: adapter "v2": view.path is a text, and has to be a list`,
		`{"adapters": [{"id": "v2", "apis": ["b"], "view": [{"path": ["c"], "clip": -1}], "write": [["c"]]}]}`:                                             `adapter "v2": view.clip is the number -1, and has to be a whole number from 0`,
		`{"adapters": [{"id": "v2", "apis": ["b"], "view": ["c"], "write": [["c"]]}]}`:                                                                     `adapter "v2": view is a text, and has to be an object`,
		`{"adapters": [{"id": "v2", "apis": ["b"], "view": [{"path": ["c"], "where": [{"member": 5}]}], "write": []}]}`:                                    `adapter "v2": view.where.member is the number, and has to be a text`,
		`not JSON`: "what the code registers: ",
		`[]`:       "what the code registers: it is a list, and has to be an object",
	} {
		_, err := mergedWith(t, smallestTOML, said)
		require.Error(t, err, said)
		assert.Contains(t, err.Error(), want, said)
	}
}

// Whatever code and file say, there is an error or a manifest that can be written.
func FuzzMerge(f *testing.F) {
	f.Add([]byte(smallestTOML+"[[contributions]]\nid = \"acme/mode\"\npriority = 1\nneeds = [\"prompt\"]"), []byte(registeredByCode))
	f.Add([]byte(smallestTOML+"[[adapters]]\nid = \"chat\"\nwrite = [[\"turns\", true]]"), []byte(registeredByCode))
	f.Add([]byte(smallestTOML), []byte(`{"contributions":[{"id":"a","priority":1e400}],"adapters":null}`))
	f.Fuzz(func(t *testing.T, text, said []byte) {
		file, err := parseFile(text)
		if err != nil {
			return
		}
		code, err := decodeRegistrations(said)
		if err != nil {
			return
		}
		m, err := file.merged(code)
		if err != nil {
			return
		}
		code.warnings(m)
		section, err := abi.EncodeManifest(m)
		if err != nil {
			return // larger than a section may be
		}
		again, err := abi.DecodeManifest(section)
		require.NoError(t, err)
		assert.Len(t, again.Contributions, len(m.Contributions))
		assert.Len(t, again.Adapters, len(m.Adapters))
	})
}

// What an author may write is what the types have.
func TestKeysAreThoseOfTheTypes(t *testing.T) {
	text, err := os.ReadFile("../../guests/sdk/typescript/pintle.d.ts")
	require.NoError(t, err)
	for name, want := range map[string][]string{
		"DeveloperMessageContribution": contributionKeys, "SystemPromptPayloadAdapter": adapterV1Keys, "PayloadAdapter": adapterV2Keys,
	} {
		body := regexp.MustCompile(`(?s)  export interface ` + name + ` \{\n(.*?)\n  \}\n`).FindSubmatch(text)
		require.NotNil(t, body, name)
		var declared []string
		for _, m := range regexp.MustCompile(`(?m)^    (?:readonly )?(\w+)\??[:(]`).FindAllSubmatch(body[1], -1) {
			declared = append(declared, string(m[1]))
		}
		assert.ElementsMatch(t, want, declared, name)
	}
}
