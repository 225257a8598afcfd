package guestbuild

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
)

func schemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(abi.ManifestSchema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("pintle.schema.json", doc))
	schema, err := c.Compile("pintle.schema.json")
	require.NoError(t, err, "it is a schema of its own draft")
	return schema
}

// asJSON is a document of TOML as editors hand it to a schema.
func asJSON(t require.TestingT, text []byte) any {
	var v map[string]any
	require.NoError(t, toml.Unmarshal(text, &v))
	b, err := json.Marshal(v)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	require.NoError(t, err)
	return doc
}

// Every key that the decoder knows is in the schema at the same place, with a description, and no other.
func TestSchemaHasTheDecodersKeys(t *testing.T) {
	var root map[string]any
	require.NoError(t, json.Unmarshal(abi.ManifestSchema(), &root))
	var check func(of reflect.Type, schema map[string]any, at string)
	check = func(of reflect.Type, schema map[string]any, at string) {
		resolve := func(s map[string]any) map[string]any {
			if ref, ok := s["$ref"].(string); ok {
				s = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
			}
			return s
		}
		schema = resolve(schema)
		assert.Equal(t, "object", schema["type"], at)
		assert.Equal(t, false, schema["additionalProperties"], at)
		properties := schema["properties"].(map[string]any)
		var keys []string
		for i := range of.NumField() {
			f := of.Field(i)
			key := f.Tag.Get("toml")
			if key == "" {
				continue
			}
			keys = append(keys, key)
			property, ok := properties[key].(map[string]any)
			if !assert.True(t, ok, "%s.%s is not in the schema", at, key) {
				continue
			}
			assert.NotEmpty(t, property["description"], "%s.%s", at, key)
			inner := f.Type
			if inner.Kind() == reflect.Slice {
				inner = inner.Elem()
				if inner.Kind() == reflect.Struct {
					assert.Equal(t, "array", property["type"], "%s.%s", at, key)
					property = property["items"].(map[string]any)
				}
			}
			if inner.Kind() == reflect.Struct && inner.Field(0).Tag.Get("toml") != "" {
				check(inner, property, at+"."+key)
			}
		}
		assert.ElementsMatch(t, keys, slices.Collect(maps.Keys(properties)), at)
	}
	check(reflect.TypeFor[file](), root, "")
}

// The schema says the words that the manifest knows.
func TestSchemaKnowsTheManifestsWords(t *testing.T) {
	schema := schemaOf(t)
	accepts := func(text string) bool {
		return schema.Validate(asJSON(t, []byte("id = \"a\"\nversion = \"1\"\n"+text))) == nil
	}
	for _, field := range abi.ContextFields() {
		assert.True(t, accepts(fmt.Sprintf("[[contributions]]\nid = \"c\"\nneeds = [%q]", field)))
	}
	for _, it := range abi.Interfaces() {
		table := "[[adapters]]\napis = [\"x\"]\n"
		if it.ID == abi.DeveloperMessagesV1 {
			table = "[[contributions]]\n"
		}
		assert.True(t, accepts(fmt.Sprintf("%sid = \"c\"\ninterface = %q", table, it.ID)))
		for _, op := range it.Operations {
			short := op.Export[strings.Index(op.Export, "_v")+len("_v1_"):]
			for _, name := range []string{op.Export, short} {
				text := fmt.Sprintf("%sid = \"c\"\ninterface = %q\noperations = [%q]", table, it.ID, name)
				assert.Equal(t, op.Optional, accepts(text), name)
			}
		}
	}
	assert.False(t, accepts("[[adapters]]\nid = \"c\"\napis = [\"p\"]\ninterface = \"provider-payload-adapters/v1\"\nwrite = [[\"a\"]]"))
	assert.Equal(t, abi.KnownFeatures == 0, !accepts("requires = 1"))
}

// What the decoder accepts the schema does; what it refuses the schema refuses, unless no schema could.
func TestSchemaAgreesWithTheDecoder(t *testing.T) {
	schema := schemaOf(t)
	const head, view = "id = \"a\"\nversion = \"1\"\n", "[[contributions]]\nid = \"c\"\n[[adapters]]\ninterface = \"provider-payload-adapters/v2\"\nid = \"c\"\napis = [\"x\"]\nwrite = [[\"a\"]]\n"
	const one = "[[contributions]]\nid = \"c\"\n"
	for _, text := range []string{
		"", head, "version = \"1\"\n" + one, "id = \"\"\nversion = \"1\"\n" + one, "id = \" \"\nversion = \"1\"\n" + one,
		"id = \"a\\tb\"\nversion = \"1\"\n" + one, "id = \"a\\u0085b\"\nversion = \"1\"\n" + one, "id = 1\nversion = \"1\"\n" + one,
		"id = \"" + strings.Repeat("x", 257) + "\"\nversion = \"1\"\n" + one, "id = \"" + strings.Repeat("x", 256) + "\"\nversion = \"1\"\n" + one,
		"id = \"élan vital \\u2028\"\nversion = \"1\"\n" + one,
		head + one, head + one + "prio = 1", head + "x = 1\n" + one, head + "ID = \"b\"\n" + one, head + "[contributions]\nid = \"c\"",
		head + "contributions = {id = \"c\"}", head + "contributions.id = \"c\"", head + "contributions = [{id = \"c\"}]", head + "[[adapters.view]]\npath = [\"a\"]\n" + one,
		head + one + "[[limits]]\nfuel = 1", head + one + "limits.fuel = 1", head + one + "[[adapters]]\nid = \"c\"\napis = [\"a\"]\n[adapters.view]\npath = [\"a\"]",
		head + one + "interface = \"\"", head + one + "interface = \"developer-messages/v1\"", head + one + "interface = \"developer-messages/v2\"",
		head + one + "interface = \"provider-payload-adapters/v1\"", head + "[[contributions]]\npriority = 1", head + one + "priority = -1.5",
		head + one + "priority = \"high\"", head + one + "providers = []", head + one + "providers = [\"\"]", head + one + "providers = \"p\"",
		head + one + "activeTools = [\"a\", \"a\"]", head + one + "activetools = [\"a\"]", head + one + "needs = [\"prompt\", \"shoe size\"]",
		head + one + "needs = [\"\"]", head + one + "volatility = \"\"", head + one + "volatility = \"often\"", head + one + "volatility = \"never\"",
		head + "state = \"session\"\n" + one, head + "state = \"\"\n" + one, head + "state = \"open\"\n" + one,
		head + "requires = 1\n" + one, head + "requires = 0\nuses = 9_000_000_000\n" + one, head + "uses = -1\n" + one, head + "uses = 1.5\n" + one,
		head + "description = \"" + strings.Repeat("d", 4097) + "\"\n" + one, head + "description = \"\"\n" + one,
		// Adapters.
		head + "[[adapters]]\nid = \"c\"\nproviders = [\"p\"]", head + "[[adapters]]\nid = \"c\"\napis = [\"p\"]\nmodels = [\"m\"]",
		head + "[[adapters]]\nid = \"c\"\napis = [\"p\"]\noperations = [\"replace_developer_messages\"]",
		head + "[[adapters]]\nid = \"c\"\napis = [\"p\"]\noperations = [\"read_system_prompt\"]",
		head + "[[adapters]]\nid = \"c\"\napis = [\"p\"]\noperations = [\"messages\"]",
		head + "[[adapters]]\nid = \"c\"\napis = [\"p\"]\ninterface = \"developer-messages/v1\"",
		head + "[[adapters]]\nid = \"c\"\napis = [\"p\"]\ninterface = \"provider-payload-adapters/v1\"\nwrite = [[\"a\"]]",
		head + "[[adapters]]\nid = \"c\"\napis = [\"p\"]\ninterface = \"provider-payload-adapters/v2\"\nview = []\nwrite = [[\"a\"]]",
		head + view + "view = [{path = [\"a\"]}]", head + view + "view = [{path = []}]", head + view + "view = [{members = [\"a\"]}]",
		head + view + "view = [{path = [\"a\", true, 1]}]", head + view + "view = [{path = [\"a\", false]}]", head + view + "view = [{path = \"a\"}]",
		head + view + "view = [{path = [\"a\"], clip = 0}]", head + view + "view = [{path = [\"a\"], clip = 1_025}]", head + view + "view = [{path = [\"a\"], clip = -1}]",
		head + view + "view = [{path = [\"a\"], members = [\"x\", \"x\"]}]", head + view + "view = [{path = [\"a\"], members = [\"x\", \"\"]}]",
		head + view + "view = [{path = [\"a\"], where = [{member = \"m\", equals = 1}]}]", head + view + "view = [{path = [\"a\"], where = [{member = \"m\"}]}]",
		head + view + "view = [{path = [\"a\"], where = [{equals = true}]}]", head + view + "view = [{path = [\"a\"], where = [{member = \"m\", equals = 1.5, prefix = \"x\"}]}]",
		head + view + "view = [{path = [\"a\"], where = [{member = \"m\", prefix = \"\", suffix = \"b\", contains = \"c\", of = 0}]}]",
		head + view + "view = [{path = [\"a\"], where = [{member = \"m\", equals = [1]}]}]", head + view + "view = [{path = [\"a\"], where = {member = \"m\", equals = 1}}]",
		head + view + "view = [{path = [\"a\"], where = [{member = \"m\", like = 1}]}]", head + view + "view = [{path = [\"a\"], where = [{member = \"m\", prefix = 1}]}]",
		head + view + "view = [" + strings.Repeat("{path = [\"a\"]},", 17) + "]", head + view + "view = [{path = [" + strings.Repeat("\"a\",", 9) + "]}]",
		head + view + "view = [{path = [\"a\"], where = [" + strings.Repeat("{member = \"m\", equals = 1},", 9) + "]}]",
		// Capabilities and limits.
		head + one + "[[capabilities]]\nname = \"kv\"\nreason = \"why\"", head + one + "[[capabilities]]\nname = \"telepathy\"\nreason = \"why\"\nkeys = [\"k\"]",
		head + one + "[[capabilities]]\nname = \"kv\"", head + one + "[[capabilities]]\nname = \"kv\"\nreason = \" \"", head + one + "[[capabilities]]\nreason = \"why\"",
		head + one + "[[capabilities]]\nname = \"config\"\nreason = \"r\"\nkeys = [\"\"]", head + one + "capabilities = [\"kv\"]", head + one + "[capabilities.kv]\nreason = \"r\"",
		head + one + "[limits]\nmemory = \"16MiB\"\nanswer = 4096\nlog = \" 2 KiB \"\ntime = \"1m30s\"\nfuel = 1", head + one + "limits = 3",
		head + one + "[limits]\nmemory = 16_777_216", head + one + "[limits]\nmemory = 0x1000", head + one + "[limits]\nmemory = +5", head + one + "[limits]\nmemory = \"0x10\"", head + one + "[limits]\nmemory = \"1_000KiB\"", head + one + "[limits]\nmemory = \"16 MB\"", head + one + "[limits]\nmemory = -1", head + one + "[limits]\nmemory = \"-1\"",
		head + one + "[limits]\nmemory = true", head + one + "[limits]\nmemory = 1_099_511_627_777", head + one + "[limits]\nanswer = \"\"", head + one + "[limits]\nlog = []",
		head + one + "[limits]\ntime = 200", head + one + "[limits]\ntime = \"200\"", head + one + "[limits]\ntime = \"0\"", head + one + "[limits]\ntime = \"-1s\"", head + one + "[limits]\ntime = \"soon\"",
		head + one + "[limits]\ntime = \".5s\"", head + one + "[limits]\nfuel = -1", head + one + "[limits]\nfuel = \"5\"", head + one + "[limits]\nfuels = 5",
	} {
		agrees(t, schema, []byte(text))
	}
}

// beyondSchemas are the reasons of the decoder that a JSON Schema has no words for. Which version an adapter
// without interface has may stand in the code of a guest.
var beyondSchemas = regexp.MustCompile(`offers neither|is used twice|names neither providers nor apis|the path has \d+ steps|` +
	`in whole milliseconds|bytes, at most|has a view or write paths|has 0 entries, between 1 and 16`)

func agrees(t assert.TestingT, schema *jsonschema.Schema, text []byte) {
	_, decoder := ParseManifest(text)
	valid := schema.Validate(asJSON(t.(require.TestingT), text))
	switch {
	case decoder == nil:
		assert.NoError(t, valid, "the decoder accepts\n%s", text)
	case !beyondSchemas.MatchString(decoder.Error()):
		assert.Error(t, valid, "the decoder refuses: %v\n%s", decoder, text)
	}
}

// Documents that are put together by chance: mostly what belongs at a place, and now and then something else.
func TestSchemaAgreesOnAnyDocument(t *testing.T) {
	schema := schemaOf(t)
	// What is usual at a key, the first of them most of the time. Other keys have a text.
	words := map[string][]any{
		"interface":   {"", "developer-messages/v1", abi.ProviderPayloadAdaptersV1, abi.ProviderPayloadAdaptersV2, "z/v1"},
		"id":          {"a", "b", ""},
		"state":       {"none", "session", "open"},
		"volatility":  {"never", "session", "turn", "often"},
		"needs":       {[]any{"prompt"}, []any{"provider", "activeTools"}, []any{"shoes"}},
		"memory":      {"16MiB", 65536, "1 GB"},
		"answer":      {"64KiB", 0, -1},
		"log":         {"4KiB", "4"},
		"time":        {"200ms", "1h", "1", "soon"},
		"fuel":        {1, 20_000_000, 1.5},
		"requires":    {0, 1},
		"uses":        {0, 1},
		"operations":  {[]any{}, []any{"replace_developer_messages"}, []any{"fly"}},
		"path":        {[]any{"a", true}, []any{true}, []any{false}, []any{"a", "b"}},
		"write":       {[]any{[]any{"a"}}, []any{[]any{}}, []any{"a"}},
		"equals":      {"a", 1, 1.5, true},
		"clip":        {0, 1024, 1025},
		"of":          {0, 1, 9},
		"priority":    {10, -0.5},
		"reason":      {"because", " "},
		"providers":   {[]any{"p"}, []any{}, []any{""}},
		"apis":        {[]any{"x"}, []any{}},
		"activeTools": {[]any{"x", "y"}, []any{}},
		"models":      {[]any{"x"}, []any{}},
		"keys":        {[]any{"x"}, []any{}},
		"members":     {[]any{"x"}, []any{"x", "x"}},
	}
	odd := []any{"", "x/y", 0, 1, -1, 1.5, true, []any{}, []any{"a"}, []any{"a", "b"}, map[string]any{}}
	required := []string{"id", "version", "name", "reason", "path", "apis", "member"}
	var document func(t *rapid.T, at *table, careful bool) map[string]any
	document = func(t *rapid.T, at *table, careful bool) map[string]any {
		doc := map[string]any{}
		v2 := rapid.Bool().Draw(t, "v2")
		for _, key := range at.keys {
			inner := tableAt(strings.Split(strings.TrimPrefix(at.path+"."+key, "."), "."))
			chance := rapid.IntRange(0, 99).Draw(t, "chance")
			needed := slices.Contains(required, key)
			if careful && at.path == "adapters" {
				switch key {
				case "view", "write":
					if !v2 {
						continue
					}
					needed = true
				case "operations":
					if v2 {
						continue
					}
				case "interface":
					if doc[key] = abi.ProviderPayloadAdaptersV1; v2 {
						doc[key] = abi.ProviderPayloadAdaptersV2
					}
					continue
				}
			}
			switch {
			case careful && (key == "contributions" || at.path == "adapters.view.where" && key == "equals"):
				needed = true
			case careful && at.path == "adapters.view.where" && key != "member":
				continue
			}
			switch {
			case chance == 99 && !careful:
				doc[key] = rapid.SampledFrom(odd).Draw(t, key)
			case chance > 40 && !needed:
			case inner != nil && inner.list:
				n := 1
				if !careful {
					n = rapid.IntRange(0, 2).Draw(t, "n")
				}
				list := []any{}
				for range n {
					list = append(list, document(t, inner, careful))
				}
				doc[key] = list
			case inner != nil:
				doc[key] = document(t, inner, careful)
			case words[key] == nil:
				doc[key] = "a"
			case careful || chance%10 > 1 && key != "interface" && key != "id":
				doc[key] = words[key][0]
			default:
				doc[key] = rapid.SampledFrom(words[key]).Draw(t, key)
			}
		}
		if !careful && rapid.IntRange(0, 49).Draw(t, "misspelt") == 49 {
			doc["Id"] = "a"
		}
		return doc
	}
	rapid.Check(t, func(t *rapid.T) {
		careful := rapid.Bool().Draw(t, "careful")
		text, err := toml.Marshal(document(t, &tables[0], careful))
		require.NoError(t, err)
		agrees(t, schema, text)
		_, err = ParseManifest(text)
		if careful {
			require.NoError(t, err, string(text))
		}
	})
}
