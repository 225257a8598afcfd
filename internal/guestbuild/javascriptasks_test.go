package guestbuild

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
	"github.com/pintle-wasm/pintle/runtime"
)

// What the SDK is told is all that pintle.toml says, and only that.
func TestAsksOfTheFile(t *testing.T) {
	for text, want := range map[string]jsbundle.Asks{
		"": {Needs: map[string][]string{}},
		"[[contributions]]\nid = \"a\"\nneeds = [\"prompt\", \"provider\"]\n[[contributions]]\nid = \"b\"": {
			Needs: map[string][]string{"a": {"prompt", "provider"}, "b": {}}},
		"[[capabilities]]\nname = \"kv\"":    {Needs: map[string][]string{}, KV: true},
		"[[capabilities]]\nname = \"clock\"": {Needs: map[string][]string{}},
		"[[capabilities]]\nname = \"config\"\nkeys = [\"x\"]\n[[capabilities]]\nname = \"config\"\nkeys = [\"y\", \"z\"]": {
			Needs: map[string][]string{}, Config: []string{"x", "y", "z"}},
	} {
		f, err := parseFile([]byte(smallestTOML + text))
		require.NoError(t, err)
		assert.Equal(t, want, f.asks(), text)
	}
}

func TestTOMLAndCodeMayNotDifferAboutAdapters(t *testing.T) {
	const said = `{"adapters": [{"interface": "provider-payload-adapters/v1", "id": "a", "providers": ["p"], "apis": ["x"], "models": ["m"],
		"operations": ["provider_payload_adapters_v1_replace_developer_messages"]}]}`
	for key, code := range map[string]string{"providers": `["p"]`, "apis": `["x"]`, "models": `["m"]`} {
		_, err := mergedWith(t, smallestTOML+"[[adapters]]\nid = \"a\"\n"+key+" = [\"other\"]", said)
		assert.ErrorContains(t, err, `adapters.`+key+`: the code says `+code+`, pintle.toml says ["other"]; leave it to the code`)
		_, err = mergedWith(t, smallestTOML+"[[adapters]]\nid = \"a\"\n"+key+" = "+code, said)
		assert.NoError(t, err, "they say the same")
	}
	_, err := mergedWith(t, smallestTOML+"[[contributions]]\nid = \"c\"", said)
	assert.ErrorContains(t, err, `contributions: the code registers no contribution "c", nor any other`)
}

func TestMemoryOfTheEngine(t *testing.T) {
	for asked, enough := range map[uint64]bool{0: true, 1: false, 2<<20 - 1: false, 2 << 20: true} {
		err := (&file{}).enoughMemory(&abi.Manifest{Limits: abi.Limits{MemoryBytes: asked}})
		assert.Equal(t, enough, err == nil, asked)
	}
}

// Whatever ends the code while it is loaded is told as the author's, without the SDK's frames.
func TestCodeThatFailsWhileItIsLoaded(t *testing.T) {
	trace := []string{"sink (src/index.ts:3:5)", "map (native)", "start (pintle:start:2:1)", "call (guest.js:1:1)"}
	for _, kind := range []runtime.Kind{runtime.KindTrap, runtime.KindFuel, runtime.KindTimeout, runtime.KindMemory} {
		err := loading(&runtime.Error{Kind: kind, Guest: "g", Func: "start", Reason: "no tide", Trace: trace})
		assert.EqualError(t, err, "the code fails while it is loaded: no tide\n    at sink (src/index.ts:3:5)")
	}
	for _, kind := range []runtime.Kind{runtime.KindContract, runtime.KindCanceled, runtime.KindRefused} {
		failed := &runtime.Error{Kind: kind, Reason: "no tide"}
		assert.Equal(t, error(failed), loading(failed))
	}
	assert.Equal(t, assert.AnError, loading(assert.AnError))
}

// What is wrong with an offer is told at its table, wherever the code has it among its offers.
func TestOffersOfTheCodeAreToldAtTheirTables(t *testing.T) {
	const mode, style, chat = "[[contributions]]\nid = \"acme/mode\"\n", "[[contributions]]\nid = \"acme/style\"\n", "[[adapters]]\nid = \"chat\"\n"
	for text, want := range map[string]string{
		mode + "needs = [\"shoes\"]":                                  `line 5, column 10: contributions.needs: "shoes" is unknown`,
		mode + style + "needs = [\"shoes\"]":                          `line 7, column 10: contributions.needs: "shoes" is unknown`,
		mode + "needs = [\"shoes\"]\n" + style:                        `line 5, column 10: contributions.needs: "shoes" is unknown`,
		chat + "providers = [\"\"]":                                   `line 5, column 14: adapters.providers: is empty`,
		"[[adapters]]\nid = \"acme\"\n" + chat + "providers = [\"\"]": `line 7, column 14: adapters.providers: is empty`,
	} {
		_, err := mergedWith(t, smallestTOML+text, registeredByCode)
		assert.ErrorContains(t, err, want, text)
	}
	_, err := mergedWith(t, smallestTOML, `{"adapters": [{"interface": "provider-payload-adapters/v1", "id": "a"}]}`)
	assert.EqualError(t, err, `the code's adapter "a": names neither providers nor apis`)
}
