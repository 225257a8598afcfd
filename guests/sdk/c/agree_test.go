package csdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/envelope"
	hostpayload "github.com/pintle-wasm/pintle/host/payload"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// spelled are spellings of strings that matter to the adapter, and of some that nearly do.
func spelled(variants ...string) *rapid.Generator[string] { return rapid.SampledFrom(variants) }

var (
	space   = spelled("", "", "", " ", "\n\t")
	opening = `<pi_developer_prompt_message id=\"a\">\n`
	closing = `<\/pi_developer_prompt_message>`
	older   = `pi_system_prompt_developer_message`
	content = spelled(`"hi"`, `"`+opening+`x`+closing+`"`, `"`+opening+`\ud83d é`+closing+`"`, `"`+opening+`x`+closing+` "`,
		`"\u003c`+older+` id=\u0022b\u0022>x</`+older+`\u003E"`, `"`+opening+`x</`+older+`>"`,
		`7`, `null`, `["`+opening+`x`+closing+`"]`, `"\ud83d\ude00\ud83d"`)
	role   = spelled(`"developer"`, `"dev\u0065loper"`, `"user"`, `"developer "`, `1`, `["developer"]`)
	number = spelled("1", "1.0", "-0", "1e400", "12345678901234567890", "0.10")
)

// object writes members in an order of its own, sometimes one of them twice.
func object(t *rapid.T, members ...string) string {
	var out bytes.Buffer
	out.WriteString("{" + space.Draw(t, "s"))
	for i, m := range rapid.Permutation(members).Draw(t, "order") {
		if i > 0 {
			out.WriteString("," + space.Draw(t, "s"))
		}
		out.WriteString(m + space.Draw(t, "s"))
	}
	out.WriteString("}")
	return out.String()
}

var history = rapid.Custom(func(t *rapid.T) string {
	var out bytes.Buffer
	out.WriteString("[" + space.Draw(t, "s"))
	for i := range rapid.IntRange(0, 5).Draw(t, "items") {
		if i > 0 {
			out.WriteString("," + space.Draw(t, "s"))
		}
		members := []string{
			spelled(`"role"`, `"r\u006fle"`, `"role "`).Draw(t, "key") + ":" + role.Draw(t, "role"),
			spelled(`"content"`, `"\u0063ontent"`).Draw(t, "key") + space.Draw(t, "s") + ": " + content.Draw(t, "content"),
			`"n":` + number.Draw(t, "n"),
		}
		if rapid.IntRange(0, 4).Draw(t, "twice") == 0 {
			members = append(members, `"role":`+role.Draw(t, "role"))
		}
		if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
			out.WriteString(spelled("null", "[ ]", `"x"`, "{}", "-0.0").Draw(t, "item"))
		} else {
			out.WriteString(object(t, members[:rapid.IntRange(0, len(members)).Draw(t, "members")]...))
		}
		out.WriteString(space.Draw(t, "s"))
	}
	out.WriteString("]")
	return out.String()
})

var payloads = rapid.Custom(func(t *rapid.T) string {
	key := func(k string) string { return k + space.Draw(t, "s") + ":" + space.Draw(t, "s") }
	members := []string{
		key(spelled(`"instructions"`, `"instruct\u0069ons"`).Draw(t, "key")) +
			spelled(`"Base."`, `"B\u0061se."`, `""`, `["x"]`, `"\udc00"`).Draw(t, "prompt"),
		key(spelled(`"input"`, `"inpu\u0074"`).Draw(t, "key")) + history.Draw(t, "history"),
		`"model":` + number.Draw(t, "n"),
		`"deep":{"input":[1.0],"instructions":"x"}`,
	}
	if rapid.IntRange(0, 5).Draw(t, "twice") == 0 {
		members = append(members, `"input":`+history.Draw(t, "history"))
	}
	from := rapid.IntRange(0, 1).Draw(t, "from")
	return space.Draw(t, "s") + object(t, members[from:]...) + space.Draw(t, "s")
})

// The adapter gives the answers of the one in Go, whatever the payload: the same value, and what neither
// touches in the same spelling. Both versions of its interface agree too.
func TestAdapterAgreesWithGo(t *testing.T) {
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	adapter := func(language, id string) registry.Adapter {
		file, err := languages.Read("../../../testdata/guests", languages.Example, language)
		require.NoError(t, err)
		g, err := r.Load(t.Context(), language, file, runtime.GuestOptions{})
		require.NoError(t, err)
		a, ok := registry.AdapterOf(g, id)
		require.True(t, ok)
		return a
	}
	inC, inGo, edits := adapter("c", "codex-v1"), adapter("go", "codex-v1"), adapter("c", "codex")
	rapid.Check(t, func(t *rapid.T) {
		payload := payloads.Draw(t, "payload")
		require.True(t, json.Valid([]byte(payload)), payload)
		messages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) registry.Message {
			return registry.Message{ID: rapid.String().Draw(t, "id"), Content: rapid.String().Draw(t, "content")}
		}), 0, 2).Draw(t, "messages")
		prompt := rapid.String().Draw(t, "prompt")

		request := &registry.PayloadRequest{Provider: "openai-codex", API: "openai-codex-responses", Payload: []byte(payload)}
		ctx := context.Background()
		textC, okC, err := inC.ReadSystemPrompt(ctx, request)
		require.NoError(t, err)
		textGo, okGo, err := inGo.ReadSystemPrompt(ctx, request)
		require.NoError(t, err)
		assert.Equal(t, textGo, textC)
		assert.Equal(t, okGo, okC)

		same := func(ofC, ofGo []byte, errC, errGo error) {
			require.NoError(t, errors.Join(errC, errGo))
			if ofGo == nil {
				ofGo = []byte(payload)
			}
			if ofC == nil {
				assert.True(t, jsonspan.Equal([]byte(payload), ofGo), "%s\n%s", payload, ofGo)
				return
			}
			assert.Equal(t, compact(t, ofGo), compact(t, ofC))
			assert.False(t, jsonspan.Equal([]byte(payload), ofC), "it is no change")
		}
		ofC, errC := inC.ReplaceSystemPrompt(ctx, request, prompt)
		ofGo, errGo := inGo.ReplaceSystemPrompt(ctx, request, prompt)
		same(ofC, ofGo, errC, errGo)
		ofC, errC = inC.ReplaceDeveloperMessages(ctx, request, messages)
		ofGo, errGo = inGo.ReplaceDeveloperMessages(ctx, request, messages)
		same(ofC, ofGo, errC, errGo)

		// The host makes the same bytes of the edits of version 2, where it does not refuse the payload.
		byHost := &registry.Registry{}
		_, err = byHost.RegisterDefaultAdapter(request.API, edits)
		require.NoError(t, err)
		base := "a prompt that no payload has"
		state := envelope.State{Base: &base, Prompt: &prompt, Provider: request.Provider, Messages: messages}
		result, err := hostpayload.ApplyState(ctx, byHost, state, *request, hostpayload.Options{})
		if err != nil {
			assert.ErrorContains(t, err, "twice")
			return
		}
		if ofC == nil {
			ofC = []byte(payload)
		}
		assert.Equal(t, string(ofC), string(result.Body.Bytes()))
	})
}

func compact(t *rapid.T, text []byte) string {
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, text))
	return b.String()
}
