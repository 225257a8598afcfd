package jsbundle_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
)

func TestAuthor(t *testing.T) {
	s, err := bundle(t, map[string]string{
		"src/index.ts": "import { registerDeveloperMessageContribution as r, kv, config } from \"pintle\";\nimport { a } from \"./one\";\n" +
			"// two\nr({\n  /** three\n   * four */\n  id: \"c\", // five\n  /* six ` */ content: () => kv.get(a) + `\n// ${seven}\n/* ${eight} */`,\n});",
		"src/one.ts": "export const a = 'nine';",
	})
	require.NoError(t, err)
	author, ok := jsbundle.Author(s.Code)
	require.True(t, ok)
	for _, word := range []string{"one", "two", "three", "four", "five"} {
		assert.NotContains(t, author, word)
	}
	for _, word := range []string{"seven", "eight", "nine"} { // what may be of a text stays
		assert.Contains(t, author, word)
	}
	assert.NotContains(t, author, "systemPromptOptions", "a word of the prelude")
	assert.True(t, jsbundle.Imports(author, "kv"))
	assert.True(t, jsbundle.Imports(author, "registerDeveloperMessageContribution"))
	assert.False(t, jsbundle.Imports(author, "config"), "it is imported and not used")
	assert.False(t, jsbundle.Imports(author, "c"))
}

// Names of the SDK's own may be the author's.
func TestImportsOfARenamedCall(t *testing.T) {
	s, err := bundle(t, map[string]string{
		"index.js": `import { config } from "pintle"; const pintle_api = (name) => name; globalThis.a = pintle_api("log") + config("kv");`,
	})
	require.NoError(t, err)
	author, ok := jsbundle.Author(s.Code)
	require.True(t, ok)
	assert.True(t, jsbundle.Imports(author, "config"))
	assert.False(t, jsbundle.Imports(author, "kv"))
}

func TestAuthorOfNoBundle(t *testing.T) {
	for _, code := range []string{"", "a\nb", "\"use strict\";\nb", "\"use strict\";__pintle.asks(\"\");", "__pintle.asks(\"\");\nb"} {
		_, ok := jsbundle.Author(code)
		assert.False(t, ok, code)
	}
}
