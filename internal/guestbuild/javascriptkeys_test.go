package guestbuild_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestKeysThatMeanNothing(t *testing.T) {
	_, warnings, err := newJSHost(t).build(t, jsFolder(t, map[string]string{"pintle.toml": "id = \"a\"\nversion = \"1\"\n", "index.js": `
import { registerDeveloperMessageContribution, registerPayloadAdapter, registerSystemPromptPayloadAdapter } from "pintle";
registerDeveloperMessageContribution({ id: "style", prioriy: 4, provider: ["a"], needs: ["prompt"], shoes: 1, content: "x" });
registerSystemPromptPayloadAdapter({ provider: "acme", apis: ["chat"], readSystemPrompt() {}, replaceSystemPrompt() {},
  replaceDevelopermessages() {} });
registerPayloadAdapter({ id: "chat", apis: ["chat"], api: "chat", model: "m", view: [{ path: ["a"] }], write: [["a"]], edit() {} });`}))
	require.NoError(t, err)
	assert.Equal(t, []string{
		`contribution "style": the key prioriy means nothing: did you mean priority?`,
		`contribution "style": the key provider means nothing: did you mean providers?`,
		`contribution "style": the key needs means nothing in the code: it belongs into pintle.toml`,
		`adapter "acme": the key apis means nothing: did you mean api?`,
		`adapter "acme": the key replaceDevelopermessages means nothing: did you mean replaceDeveloperMessages?`,
		`adapter "chat": the key model means nothing: did you mean models?`,
	}, warnings)
}
