package guestbuild_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/testpayload"
	"github.com/pintle-wasm/pintle/runtime"
)

const rustGuests = "../../testdata/guests"

// loadRust loads a guest in Rust as it is in the tree.
func loadRust(t *testing.T, name string) *runtime.Guest {
	t.Helper()
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	file, err := os.ReadFile(filepath.Join(rustGuests, name, "rust", name+".wasm"))
	require.NoError(t, err)
	g, err := r.Load(t.Context(), name+".wasm", file, runtime.GuestOptions{Config: map[string]string{"template": "{prompt} {skills}"}})
	require.NoError(t, err)
	return g
}

// A panic tells its message and its place, which leads into the source.
func TestRustPanicTellsItsPlace(t *testing.T) {
	g := loadRust(t, "faults")
	request, err := abi.Encode(map[string]any{"id": "sink", "features": 0})
	require.NoError(t, err)
	_, err = g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: request})
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	place := regexp.MustCompile(`^panic: no tide today \(src/lib\.rs:(\d+)\)$`).FindStringSubmatch(e.Reason)
	require.NotNil(t, place, e.Reason)
	source, err := os.ReadFile(filepath.Join(rustGuests, "faults/rust/src/lib.rs"))
	require.NoError(t, err)
	line, err := strconv.Atoi(place[1])
	require.NoError(t, err)
	assert.Contains(t, strings.Split(string(source), "\n")[line-1], `panic!("no tide today")`)
	assert.Contains(t, strings.Join(e.Trace, "\n"), "faults::sink")
}

// rustRequests are good ones for each operation.
func rustRequests(t require.TestingT, payload []byte) map[string][]byte {
	v1 := func(id string, more map[string]any) map[string]any {
		all := map[string]any{"id": id, "features": 0, "provider": "openai-codex", "api": "openai-codex-responses", "payload": payload}
		for key, value := range more {
			all[key] = value
		}
		return all
	}
	messages := []any{map[string]any{"id": `a"<`, "content": "Be brief."}}
	requests := map[string][]byte{}
	for op, request := range map[string]map[string]any{
		abi.RenderV1: {"id": "template", "features": 0, "prompt": "hi", "activeTools": []any{"read"},
			"systemPromptOptions": map[string]any{"cwd": "/", "skills": []any{map[string]any{"name": "x", "n": -1.5}}}},
		abi.ReadSystemPromptV1:         v1("codex-v1", nil),
		abi.ReplaceSystemPromptV1:      v1("codex-v1", map[string]any{"systemPrompt": "New."}),
		abi.ReplaceDeveloperMessagesV1: v1("codex-v1", map[string]any{"messages": messages}),
		abi.EditV2: {"id": "codex", "features": 0, "provider": "p", "api": "a", "systemPrompt": "New.", "messages": messages, "view": []any{
			map[string]any{"at": []any{"instructions"}, "value": map[string]any{"head": "", "tail": "", "bytes": 20}, "clipped": true},
			map[string]any{"at": []any{"input"}, "value": map[string]any{"list": 3}},
			map[string]any{"at": []any{"input", 1}, "value": map[string]any{"object": map[string]any{}}},
		}},
	} {
		encoded, err := abi.Encode(request)
		require.NoError(t, err)
		requests[op] = encoded
	}
	return requests
}

// answersRust checks that a call ends with an answer, be it an error of the guest's own.
func answersRust(t require.TestingT, g *runtime.Guest, op string, request []byte) (value []byte, failed bool) {
	value, err := g.Call(context.Background(), runtime.Call{Op: op, Request: request, PayloadBytes: len(request)})
	var e *runtime.Error
	if errors.As(err, &e) {
		require.Equal(t, runtime.KindFailed, e.Kind, "%s %q: %v", op, request, err)
	}
	return value, err != nil
}

// A host that writes something else than requests gets errors, and the guest survives it.
func TestRustHostileRequests(t *testing.T) {
	g := loadRust(t, "example")
	good := rustRequests(t, []byte(`{"input":[{"role":"developer","content":"x"}],"instructions":"I"}`))
	for op, request := range good {
		_, failed := answersRust(t, g, op, request)
		require.False(t, failed, op)
		for _, bad := range [][]byte{
			{}, {0xff}, request[:len(request)-1], request[:1], append(bytes.Clone(request), 0),
			bytes.Repeat([]byte{0x81}, 100_000), bytes.Repeat([]byte{0xa1, 0x00}, 50_000),
			{0x9b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0xbb, 0x80, 0, 0, 0, 0, 0, 0, 0},
			{0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0x62, 0xc3, 0x28}, {0x9f, 0xff}, {0xc0, 0x00},
		} {
			_, failed := answersRust(t, g, op, bad)
			assert.True(t, failed, "%s %x", op, bad[:min(len(bad), 20)])
		}
		for _, odd := range []map[string]any{
			{}, {"id": 7}, {"id": "template", "systemPromptOptions": []any{1}, "activeTools": "read"},
			{"id": "codex-v1", "payload": "text", "messages": map[string]any{"id": "x"}}, {"id": "codex-v1", "messages": []any{1, nil}},
			{"id": "codex", "view": []any{1, map[string]any{"at": []any{}, "value": map[string]any{"list": -1}}, map[string]any{"at": []any{nil, 1e300}, "value": "x"}}},
		} {
			encoded, err := abi.Encode(odd)
			require.NoError(t, err)
			answersRust(t, g, op, encoded)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		for op, request := range good {
			request = bytes.Clone(request)
			for range rapid.IntRange(1, 4).Draw(t, "bytes") {
				request[rapid.IntRange(0, len(request)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
			}
			answersRust(t, g, op, request)
		}
	})
}

// Payloads that are no JSON, or of another shape, are left alone.
func TestRustHostilePayloads(t *testing.T) {
	g := loadRust(t, "example")
	for _, payload := range []string{
		"", " ", "nul", "[1,2]", `"raw"`, "{", `{"input":[`, `{"input":[1,]}`, `{"input":{"a":[]}}`, `{"instructions":"\`, "{\"instructions\":\"\xff\"}",
		`{"instructions":"\ud8"}`, strings.Repeat("[", 200_000), strings.Repeat(`{"a":`, 100_000), strings.Repeat(`{"input":[`, 50_000),
	} {
		for op, request := range rustRequests(t, []byte(payload)) {
			if op == abi.RenderV1 || op == abi.EditV2 {
				continue
			}
			value, failed := answersRust(t, g, op, request)
			known := op == abi.ReplaceSystemPromptV1 && payload == `{"input":{"a":[]}}`
			assert.True(t, known || value == nil && !failed, "%s %.20s", op, payload)
		}
	}
	many := `{"input":[` + strings.Repeat(`{"role":"developer","role":"developer","content":"x"},`, 5000) + `0]` + strings.Repeat(`,"input":[0]`, 5000) + "}"
	value, failed := answersRust(t, g, abi.ReplaceDeveloperMessagesV1, rustRequests(t, []byte(many))[abi.ReplaceDeveloperMessagesV1])
	require.False(t, failed)
	changed, err := abi.Bytes(value)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(changed), `,"input":[{"role":"developer","content":"<pi_developer_prompt_message id=\"a&quot;&lt;\">\nBe brief.\n</pi_developer_prompt_message>"},0]}`))
}

// The guest takes for JSON what the host takes for JSON.
func TestRustKnowsJSON(t *testing.T) {
	g := loadRust(t, "example")
	const sound = `{"a":[1.5e-3,-0,true,false,null,"\\\"\u00e9é\ud83d"],"instructions":"x","o":{"k":{}}} `
	valid, others := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		payload := []byte(sound)
		for range rapid.IntRange(0, 3).Draw(t, "edits") {
			at := rapid.IntRange(1, len(payload)-1).Draw(t, "at")
			with := rapid.SampledFrom([]string{"", "0", "-", ".", "e", "E", "+", `"`, "\\", "u", ",", ":", "[", "]", "}", "{", " ", "\x00", "\xff", "\xed\xa0", "t", "1"}).Draw(t, "with")
			payload = append(payload[:at:at], append([]byte(with), payload[at+rapid.IntRange(0, 1).Draw(t, "instead"):]...)...)
		}
		value, failed := answersRust(t, g, abi.ReplaceSystemPromptV1, rustRequests(t, payload)[abi.ReplaceSystemPromptV1])
		require.False(t, failed)
		want := jsonspan.Valid(payload) && utf8.Valid(payload) // it begins with {
		require.Equal(t, want, value != nil, "%q", payload)
		if want {
			valid++
			changed, err := abi.Bytes(value)
			require.NoError(t, err)
			require.True(t, jsonspan.Valid(changed), "%q", changed)
		} else {
			others++
		}
	})
	assert.Greater(t, valid, 5)
	assert.Greater(t, others, 5)
}

// What is not to be changed stays byte for byte, in a payload of the size that conversations reach.
func TestRustLargePayload(t *testing.T) {
	g := loadRust(t, "example")
	payload := bytes.Replace(testpayload.Large("openai-codex-responses", "1MB"), []byte(`"input":[`), []byte(`"n":1.50e+3,"\u0061":"\ud83d", "input" : [ {"role":"developer","content":"\ud83d, a foreign one"} ,`), 1)
	var used runtime.Usage
	ask := func(op string, payload []byte) []byte {
		value, err := g.Call(runtime.WithUsage(t.Context(), &used), runtime.Call{Op: op, Request: rustRequests(t, payload)[op], PayloadBytes: len(payload)})
		require.NoError(t, err)
		return value
	}
	changed, err := abi.Bytes(ask(abi.ReplaceDeveloperMessagesV1, payload))
	require.NoError(t, err)
	const item = `{"role":"developer","content":"<pi_developer_prompt_message id=\"a&quot;&lt;\">\nBe brief.\n</pi_developer_prompt_message>"},`
	assert.Equal(t, string(bytes.Replace(payload, []byte(`"input" : [`), []byte(`"input" : [`+item), 1)), string(changed))
	assert.Nil(t, ask(abi.ReplaceDeveloperMessagesV1, changed), "they are there already")

	prompt, err := abi.Text(ask(abi.ReadSystemPromptV1, payload))
	require.NoError(t, err)
	assert.Equal(t, testpayload.SystemPrompt, prompt)
	replaced, err := abi.Bytes(ask(abi.ReplaceSystemPromptV1, payload))
	require.NoError(t, err)
	assert.Equal(t, string(bytes.Replace(payload, []byte(strconv.Quote(prompt)), []byte(`"New."`), 1)), string(replaced))
	t.Logf("%d bytes, %d units of fuel for four calls", len(payload), used.Fuel)
}

// The stack is small and the heap begins behind the data, so that little has to be put back after each call.
func TestRustGuestsAreSmall(t *testing.T) {
	for name, size := range map[string]int{"example": 110_000, "faults": 50_000} {
		g := loadRust(t, name)
		reset := g.Reset()
		t.Logf("%s: %+v", name, reset)
		assert.True(t, reset.Copied, reset.Reasons)
		assert.LessOrEqual(t, reset.ImageBytes, 40<<10)
		assert.LessOrEqual(t, reset.MemoryBytes, 192<<10)
		assert.LessOrEqual(t, g.Artifact().Size, size)
	}
}
