package assemblyscriptsdk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	renderv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
)

var operations = []string{abi.RenderV1, abi.ReadSystemPromptV1, abi.ReplaceSystemPromptV1, abi.ReplaceDeveloperMessagesV1, abi.EditV2}

// refusesWhatTheHostDoes asks each operation with a request and compares the guest's reader with the host's.
func refusesWhatTheHostDoes(t require.TestingT, g guest, request []byte) {
	valid := abi.Check(request) == nil
	for _, op := range operations {
		_, err := g.answer(op, request, 0)
		var failure *abi.Failure
		if err != nil {
			require.ErrorAs(t, err, &failure, "%s of %x", op, request)
		}
		malformed := failure != nil && failure.Code == "bad-request"
		require.Equal(t, valid, !malformed, "%s of %x: %v; the host says: %v", op, request, err, abi.Check(request))
	}
}

func TestMalformedRequests(t *testing.T) {
	g := load(t, example, options{})
	nested := func(n int, open, inside string) string { return strings.Repeat(open, n) + inside }
	for _, request := range []string{
		"", "\xa0", "\xa1", "\xa1\x61a", "\xa1\x62id\x61", "\x00", "\xa0\xa0", "\xa1\x00\x00", "\xff", "\x1c", "\x1f",
		"\xa1\x61a\x18\x00", "\xa1\x61a\x1b\x00", "\xa1\x61a\x5b\xff\xff\xff\xff\xff\xff\xff\xff", "\xa1\x61a\x9b\xff\xff\xff\xff\xff\xff\xff\xff",
		"\xa1\x61a\xbb\x80\x00\x00\x00\x00\x00\x00\x01", "\xa1\x61a\x9f\xff", "\xbf\xff", "\x7f\xff", "\xa1\x61a\xc0\x00", "\xa1\x61a\xd8\x20\x00",
		"\xa1\x61a\xf7", "\xa1\x61a\xe0", "\xa1\x61a\xf8\xff", "\xa1\x61a\xf8\x18", "\xa1\x61a\xf9\x00", "\xa1\x61a\xfa\x00\x00", "\xa1\x20\x00", "\xa1\x41a\x00",
		"\xa1\xf4\x00", "\xa2\x61a\x00\x61a\x00", "\xa2\x61a\x00\x78\x01a\x00", "\xa2\x01\x00\x18\x01\x00", "\xa3\x61b\x00\x61a\x00\x61b\x00", "\xa2\x61b\x00\x61a\x00",
		"\xa2\x61a\x00\x01\x00", "\xa4\x1b\x00\x00\x00\x01\x00\x00\x00\x00\x00\x61a\x00\x1b\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00",
		"\xa1\x61a\x61\x80", "\xa1\x61a\x62\xc0\x80", "\xa1\x61a\x63\xed\xa0\x80", "\xa1\x61a\x63\xed\x9f\xbf", "\xa1\x61a\x63\xe0\x9f\xbf", "\xa1\x61a\x64\xf0\x8f\xbf\xbf",
		"\xa1\x61a\x64\xf4\x90\x80\x80", "\xa1\x61a\x64\xf4\x8f\xbf\xbf", "\xa1\x61a\x62\xc3\x28", "\xa1\x61a\x62\xe2\x82", "\xa1\x61a\x61\xff", "\xa1\x61a\x64\xf5\x80\x80\x80",
		"\xa1\x62id\x69\x61\x62\x63\x64\x65\x66\x67\x68\xc3", "\xa1\x62id\x6a\x61\x62\x63\x64\x65\x66\x67\x68\xc3\xa9",
		nested(31, "\x81", "\x80"), nested(31, "\xa1\x61a", "\xa0"), nested(32, "\x81", "\x80"), nested(32, "\xa1\x61a", "\xa0"), nested(32, "\x81", "\x00"), nested(5000, "\x81", "\x00"),
		"\x9a\x00\x02\x00\x00" + strings.Repeat("\x00", 131_072), "\x9a\x00\x02\x00\x01" + strings.Repeat("\x00", 131_073),
	} {
		refusesWhatTheHostDoes(t, g, []byte(request))
	}
}

// Requests of other shapes than any host sends are answered, not trapped over.
func TestOddRequests(t *testing.T) {
	g := load(t, example, options{config: map[string]string{"template": "{tools}{skills}{cwd}{prompt}"}})
	odd := []any{nil, 7, -1.5, "text", []byte("bytes"), []any{}, []any{1, nil, "a", map[string]any{"name": 7}}, map[string]any{},
		map[string]any{"id": []any{}, "name": "x", "list": 1e300, "object": 7, "head": 1, "at": 7}, true, 1e300, -1e300}
	keys := []string{"provider", "api", "activeTools", "sessionId", "prompt", "systemPromptOptions", "payload", "systemPrompt", "messages", "view"}
	rapid.Check(t, func(t *rapid.T) {
		q := map[string]any{"id": rapid.SampledFrom([]string{"template", "greeting", "codex", "codex-v1"}).Draw(t, "id"), "features": 0}
		for _, key := range keys {
			if rapid.Bool().Draw(t, "has") {
				q[key] = rapid.SampledFrom(odd).Draw(t, key)
			}
		}
		if rapid.Bool().Draw(t, "entries") {
			q["view"] = []any{map[string]any{"at": rapid.SampledFrom(odd).Draw(t, "at"), "value": rapid.SampledFrom(odd).Draw(t, "value")}, rapid.SampledFrom(odd).Draw(t, "entry")}
		}
		request, err := abi.Encode(q)
		require.NoError(t, err)
		refusesWhatTheHostDoes(t, g, request)
	})
}

func TestDamagedRequests(t *testing.T) {
	g := load(t, example, options{})
	view, err := abi.Encode([]adaptersv2.Entry{{At: adaptersv2.Address{adaptersv2.Member("input"), adaptersv2.Index(0)},
		Value: adaptersv2.Object{Members: map[string]any{"role": "developer", "text": adaptersv2.Clipped{Head: "é", Tail: "", Bytes: 9}}}, Clipped: true}})
	require.NoError(t, err)
	edit, err := abi.Encode(adaptersv2.EditRequest{ID: "codex", SystemPrompt: "é", Messages: []adaptersv2.Message{{ID: "a", Content: "b"}}, View: view})
	require.NoError(t, err)
	render, err := abi.Encode(renderv1.RenderRequest{ID: "greeting", Prompt: ptr("tide 🚢"), ActiveTools: &[]string{"a", "b"},
		SystemPromptOptions: map[string]any{"a": []any{1.5, -7, nil, true}, "b": map[string]any{"c": "d"}}})
	require.NoError(t, err)
	rapid.Check(t, func(t *rapid.T) {
		request := append([]byte(nil), rapid.SampledFrom([][]byte{edit, render}).Draw(t, "request")...)
		for range rapid.IntRange(1, 3).Draw(t, "damages") {
			at := rapid.IntRange(0, len(request)-1).Draw(t, "at")
			request[at] = rapid.Byte().Draw(t, "byte")
			if rapid.IntRange(0, 9).Draw(t, "cut") == 0 && at > 0 {
				request = request[:at]
			}
		}
		refusesWhatTheHostDoes(t, g, request)
	})
}

func TestLargeTexts(t *testing.T) {
	g := load(t, probe, options{})
	long := strings.Repeat("é🚢 tide ", 20_000)
	text, err := g.renderFor(renderv1.RenderRequest{ID: "context", Prompt: &long})
	require.NoError(t, err)
	assert.Contains(t, text, "prompt <"+long+">")
}
