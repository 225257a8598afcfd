package csdk_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/registry"
	"github.com/pintle-wasm/pintle/runtime"
)

// The guests that are written with the SDK, as they are checked in: what is tested here needs no compiler.
const (
	exampleFile = "../../../testdata/guests/example/c/example.wasm"
	faultsFile  = "../../../testdata/guests/faults/c/faults.wasm"
)

func load(t *testing.T, path string, opts runtime.GuestOptions) *runtime.Guest {
	t.Helper()
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	g, err := r.Load(t.Context(), path, file, opts)
	require.NoError(t, err)
	return g
}

var operations = []string{
	abi.RenderV1, abi.ReadSystemPromptV1, abi.ReplaceSystemPromptV1, abi.ReplaceDeveloperMessagesV1, abi.EditV2,
}

// Two pages: 64 KiB of stack, and as much for everything else. No library, so no WASI.
func TestGuestIsSmall(t *testing.T) {
	for path, size := range map[string]int{exampleFile: 32 << 10, faultsFile: 12 << 10} {
		g := load(t, path, runtime.GuestOptions{})
		module := g.Artifact().Module()
		require.Len(t, module.Memories, 1)
		assert.EqualValues(t, 2, module.Memories[0].Min)
		for _, im := range module.Imports {
			assert.Equal(t, abi.HostModule, im.Module)
		}
		reset := g.Reset()
		assert.True(t, reset.Copied, "%v", reset.Reasons)
		assert.Equal(t, 2<<16, reset.MemoryBytes)
		assert.Less(t, reset.ImageBytes, 64<<10)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Less(t, info.Size(), int64(size))
	}
}

func TestOnlyWhatIsRegisteredIsExported(t *testing.T) {
	for path, want := range map[string]int{exampleFile: 5, faultsFile: 1} {
		exported := 0
		for _, op := range operations {
			if _, ok := load(t, path, runtime.GuestOptions{}).Artifact().Module().Export(op); ok {
				exported++
			}
		}
		assert.Equal(t, want, exported, path)
	}
}

func failure(t require.TestingT, err error) *abi.Failure {
	var failed *abi.Failure
	require.ErrorAs(t, err, &failed, "%v", err)
	return failed
}

func TestUnknownID(t *testing.T) {
	g := load(t, exampleFile, runtime.GuestOptions{})
	for op, want := range map[string]string{
		abi.RenderV1:                   "no handler for contribution nobody; there are handlers for: template, greeting",
		abi.ReadSystemPromptV1:         "no handler for adapter nobody; there are handlers for: codex-v1",
		abi.ReplaceSystemPromptV1:      "no handler for adapter nobody; there are handlers for: codex-v1",
		abi.ReplaceDeveloperMessagesV1: "no handler for developer messages of adapter nobody; there are handlers for: codex-v1",
		abi.EditV2:                     "no handler for adapter nobody; there are handlers for: codex",
	} {
		request, err := abi.Encode(map[string]any{"id": "nobody", "features": 0})
		require.NoError(t, err)
		_, err = g.Call(t.Context(), runtime.Call{Op: op, Request: request})
		assert.Equal(t, want, failure(t, err).Message)
	}
}

// Whatever a host sends, the guest answers: with what it makes of it or with an error of its own.
func TestHostileRequests(t *testing.T) {
	config := map[string]string{"template": "{prompt}{tools}{cwd}{skills}"}
	g := load(t, exampleFile, runtime.GuestOptions{Config: config})
	rapid.Check(t, func(t *rapid.T) {
		request := requests.Draw(t, "request")
		if rapid.Bool().Draw(t, "damaged") {
			request = damaged(t, request)
		}
		op := rapid.SampledFrom(operations).Draw(t, "operation")
		_, err := g.Call(context.Background(), runtime.Call{Op: op, Request: request})
		if err == nil {
			require.NoError(t, abi.Check(request), "a request that is no message was taken for one")
			return
		}
		assert.Equal(t, abi.Check(request) != nil, failure(t, err).Code == "bad-request", "%v", err)
	})
}

// requests are messages of any shape, with the ids and keys that the guest looks for among others.
var requests = rapid.Custom(func(t *rapid.T) []byte {
	known := func(texts ...string) *rapid.Generator[string] {
		return rapid.OneOf(rapid.SampledFrom(texts), rapid.String())
	}
	texts := known("", "codex", "codex-v1", "template", "greeting", "input", "role")
	keys := known("id", "prompt", "activeTools", "systemPromptOptions", "skills", "name", "cwd", "view", "at",
		"value", "list", "object", "head", "tail", "bytes", "messages", "content", "payload", "systemPrompt")
	payload := rapid.SampledFrom([]string{`{}`, `{"input":[]}`, `[1`, `{"instructions":"\ud800"}`, ``})
	leaves := []*rapid.Generator[any]{
		rapid.Map(texts, func(s string) any { return s }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) any { return b }),
		rapid.Map(payload, func(s string) any { return []byte(s) }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Uint64(), func(n uint64) any { return n }),
		rapid.Just[any](nil), rapid.Just[any](true),
	}
	value := rapid.OneOf(leaves...)
	for range 3 {
		inner := value
		value = rapid.OneOf(inner,
			rapid.Map(rapid.SliceOfN(inner, 0, 4), func(list []any) any { return list }),
			rapid.Map(rapid.MapOfN(keys, inner, 0, 4), func(m map[string]any) any { return m }))
	}
	message := rapid.MapOfN(keys, value, 0, 6).Draw(t, "message")
	if rapid.Bool().Draw(t, "known") {
		message["id"] = rapid.SampledFrom([]string{"codex", "codex-v1", "template", "greeting"}).Draw(t, "id")
	}
	request, err := abi.Encode(message)
	require.NoError(t, err)
	return request
})

// damaged changes some bytes and the length of a message.
func damaged(t *rapid.T, b []byte) []byte {
	b = bytes.Clone(b)
	for range rapid.IntRange(0, 3).Draw(t, "changes") {
		b[rapid.IntRange(0, len(b)-1).Draw(t, "place")] = rapid.Byte().Draw(t, "byte")
	}
	b = b[:rapid.IntRange(0, len(b)).Draw(t, "length")]
	return append(b, rapid.SliceOfN(rapid.Byte(), 0, 3).Draw(t, "more")...)
}

// A payload is edited in place of the whole: what is not meant stays, however much it is.
func TestLargePayload(t *testing.T) {
	g := load(t, exampleFile, runtime.GuestOptions{})
	item := `{"type": "message", "role":"user", "content":[{"type":"input_text","text":"\ud83d caf\u00e9 \/ \"` +
		strings.Repeat("x", 970) + `"}], "n": 1.0e2}`
	items := strings.Repeat(item+", ", 1000)
	old := `{"role":"developer","content":"<pi_developer_prompt_message id=\"a\">\nold\n<\/pi_developer_prompt_message>"}`
	before := ` {"model":"m","instructions":"Base.","input":[` + items + old + `], "z":-0.10} `
	require.Greater(t, len(before), 1<<20)
	request := &registry.PayloadRequest{Provider: "openai-codex", API: "openai-codex-responses", Payload: []byte(before)}
	adapter, ok := registry.AdapterOf(g, "codex-v1")
	require.True(t, ok)

	text, ok, err := adapter.ReadSystemPrompt(t.Context(), request)
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, "Base.", text)

	after, err := adapter.ReplaceSystemPrompt(t.Context(), request, "New.")
	require.NoError(t, err)
	assert.True(t, strings.Replace(before, "Base.", "New.", 1) == string(after))

	after, err = adapter.ReplaceDeveloperMessages(t.Context(), request, []registry.Message{{ID: "b", Content: "B"}})
	require.NoError(t, err)
	placed := `{"role":"developer","content":"<pi_developer_prompt_message id=\"b\">\nB\n</pi_developer_prompt_message>"}`
	want := ` {"model":"m","instructions":"Base.","input":[` + placed + `,` + strings.TrimSuffix(items, ", ") + `], "z":-0.10} `
	assert.True(t, want == string(after))
}

// Texts that outgrow the first memory of a guest, its buffer for the request and that for a configuration.
func TestLargeTexts(t *testing.T) {
	configured := strings.Repeat("- {prompt}\n", 100)
	g := load(t, exampleFile, runtime.GuestOptions{Config: map[string]string{"template": configured}})
	for _, n := range []int{10, 1500, 100} {
		prompt := strings.Repeat("long ", n)
		request, err := abi.Encode(map[string]any{"id": "template", "prompt": prompt, "features": 0})
		require.NoError(t, err)
		value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: request})
		require.NoError(t, err)
		text, err := abi.Text(value)
		require.NoError(t, err)
		assert.True(t, strings.ReplaceAll(configured, "{prompt}", prompt) == text, n)
	}
}

// The host grants the memory that it wants, and the guest may not get what it asks for: that is an error of
// its own kind, also for the request itself.
func TestMemoryEnds(t *testing.T) {
	file, err := os.ReadFile(exampleFile)
	require.NoError(t, err)
	r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{MemoryBytes: 1 << 20, Time: time.Minute}})
	t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
	g, err := r.Load(t.Context(), "example", file, runtime.GuestOptions{})
	require.NoError(t, err)
	for i, size := range []int{100 << 10, 600 << 10, 2 << 20, 100 << 10} {
		payload := `{"instructions":"` + strings.Repeat("x", size) + `"}`
		request, err := abi.Encode(v1.ReplaceSystemPromptRequest{
			Payload: v1.Payload{ID: "codex-v1", Payload: []byte(payload)}, SystemPrompt: strconv.Itoa(i)})
		require.NoError(t, err)
		_, err = g.Call(t.Context(), runtime.Call{Op: abi.ReadSystemPromptV1, Request: request, PayloadBytes: len(payload)})
		if size < 200<<10 {
			require.NoError(t, err)
			continue
		}
		var failed *runtime.Error
		require.True(t, errors.As(err, &failed), "%v", err)
		assert.Equal(t, runtime.KindMemory, failed.Kind, "%v", err)
	}
}
