package registry

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/payloadview"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

// v2Offer is an adapter that sees the member s and may write it, for one API.
func v2Offer(api string) abi.Adapter {
	return abi.Adapter{Interface: abi.ProviderPayloadAdaptersV2, ID: api + "-v2", APIs: []string{api},
		View: []abi.Selector{{Path: abi.Path{{Member: "s"}}}}, Write: []abi.Path{{{Member: "s"}}}}
}

func v1Offer(apis ...string) abi.Adapter {
	return abi.Adapter{Interface: abi.ProviderPayloadAdaptersV1, ID: strings.Join(apis, "+") + "-v1", APIs: apis}
}

// editor adds a guest that gives one answer to every edit, and to the operations of version 1 the text
// "whole".
func editor(t *testing.T, r *Registry, answer []byte, adapters ...abi.Adapter) {
	t.Helper()
	whole := wasmtest.Text("whole")
	at := uint32(16 + len(answer))
	operations := map[string][]byte{}
	for _, a := range adapters {
		if a.Interface == abi.ProviderPayloadAdaptersV2 {
			operations[abi.EditV2] = wasmtest.Answer(16, uint32(len(answer)))
		} else {
			operations[abi.ReadSystemPromptV1] = wasmtest.Answer(at, uint32(len(whole)))
			operations[abi.ReplaceSystemPromptV1] = operations[abi.ReadSystemPromptV1]
		}
	}
	data := wasmtest.Data{Offset: 16, Bytes: append(bytes.Clone(answer), whole...)}
	addGuest(t, r, runtime.Limits{}, guestFile(t, &abi.Manifest{Adapters: adapters}, data, operations))
}

func answerOf(t *testing.T, v any, failure *abi.Failure) []byte {
	t.Helper()
	b, err := abi.EncodeAnswer(v, failure)
	require.NoError(t, err)
	return b
}

func setS(value string) adaptersv2.Answer {
	at := adaptersv2.Address{adaptersv2.Member("s")}
	edits := []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: at, Value: adaptersv2.JSON(value)}}
	return adaptersv2.Answer{Prompt: &adaptersv2.PromptEdits{At: at, Edits: edits}}
}

func edit(t *testing.T, r *Registry, api, payload string) (*Edits, error) {
	t.Helper()
	a, kind, ok := r.FindAdapter("p", api, "")
	require.True(t, ok)
	require.Equal(t, Default, kind)
	require.NotNil(t, a.Edit)
	return a.Edit(t.Context(), &PayloadRequest{SessionID: "s", Provider: "p", API: api, Payload: []byte(payload)}, "P", []Message{{"a", "b"}})
}

func TestGuestEdits(t *testing.T) {
	var r Registry
	editor(t, &r, answerOf(t, setS(`"new"`), nil), v2Offer("x"))
	for range 2 { // the second time the answer is remembered
		edits, err := edit(t, &r, "x", `{"a":1,"s":"o\u006cd"}`)
		require.NoError(t, err)
		assert.True(t, edits.HasPrompt() && edits.PromptIs("old") && !edits.PromptIs("new"))
		assert.True(t, edits.Changes(true, false))
		assert.False(t, edits.Changes(false, true))
		assert.Equal(t, `{"a":1,"s":"new"}`, string(bytes.Join(edits.Pieces(true, true), nil)))
		assert.Equal(t, `{"a":1,"s":"o\u006cd"}`, string(bytes.Join(edits.Pieces(false, true), nil)))
	}
	a, _, _ := r.FindAdapter("p", "x", "")
	assert.Nil(t, a.ReadSystemPrompt, "there is no adapter of version 1")

	edits, err := edit(t, &r, "x", `["s"]`)
	assert.NoError(t, err)
	assert.Nil(t, edits, "nothing in it can be written: the guest is not asked")
	for payload, want := range map[string]error{`{"s":1`: ErrNotJSON, "{\"\xff\":1}": ErrNotJSON, `{"s":1,"s":2}`: ErrDuplicateMember} {
		_, err := edit(t, &r, "x", payload)
		assert.ErrorIs(t, err, want)
	}
}

func TestEditsOfNothing(t *testing.T) {
	var r Registry
	editor(t, &r, answerOf(t, nil, nil), v2Offer("x"))
	edits, err := edit(t, &r, "x", `{"s":1}`)
	assert.NoError(t, err)
	assert.Nil(t, edits)
	assert.False(t, edits.HasPrompt() || edits.PromptIs("") || edits.Changes(true, true))
}

// What is wrong in an answer is a bad answer of the guest, and counts as one.
func TestBadEdits(t *testing.T) {
	outside := setS("1")
	outside.Prompt.Edits[0].At = adaptersv2.Address{adaptersv2.Member("t")}
	for say, answer := range map[string][]byte{
		"no write path that leads there": answerOf(t, outside, nil),
		"not one JSON text":              answerOf(t, setS("{"), nil),
		"there is a list where another":  answerOf(t, []any{1}, nil),
		"the answer is not a map":        {0x82, 1, 0xf6},
		"is a byte string":               answerOf(t, map[string]any{"messages": map[string]any{"edits": []any{map[string]any{"op": "set", "at": []any{"s"}, "value": "1"}}}}, nil),
	} {
		var r Registry
		editor(t, &r, answer, v2Offer("x"))
		for range 3 {
			_, err := edit(t, &r, "x", `{"s":1}`)
			var e *runtime.Error
			require.ErrorAs(t, err, &e, say)
			assert.Equal(t, runtime.KindBadAnswer, e.Kind)
			assert.Contains(t, e.Reason, say)
		}
		_, err := edit(t, &r, "x", `{"s":1}`)
		var e *runtime.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, runtime.KindQuarantined, e.Kind, say)
	}
}

// A remembered answer is read against the payload at hand: what was right for one payload may be wrong
// for another with the same view.
func TestRememberedEditsAreChecked(t *testing.T) {
	var r Registry
	offer := v2Offer("x")
	offer.Write = []abi.Path{{{Member: "t"}}}
	answer := adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: []adaptersv2.Edit{{Op: adaptersv2.OpRemove, At: adaptersv2.Address{adaptersv2.Member("t")}}}}}
	editor(t, &r, answerOf(t, answer, nil), offer)
	edits, err := edit(t, &r, "x", `{"s":1,"t":2}`)
	require.NoError(t, err)
	assert.Equal(t, `{"s":1}`, string(bytes.Join(edits.Pieces(true, true), nil)))
	_, err = edit(t, &r, "x", `{"s":1}`)
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindBadAnswer, e.Kind)
	assert.Contains(t, e.Reason, "there is no such place")
}

func TestUseV1(t *testing.T) {
	refuse := answerOf(t, nil, &abi.Failure{Code: "use-v1", Message: "one string"})
	var r Registry
	editor(t, &r, refuse, v2Offer("x"), v1Offer("x"), v2Offer("y"), v1Offer("z"))
	_, err := edit(t, &r, "x", `{"s":1}`)
	assert.ErrorIs(t, err, ErrUseV1)
	assert.ErrorContains(t, err, "one string")
	var failure *abi.Failure
	assert.ErrorAs(t, err, &failure)
	a, _, _ := r.FindAdapter("p", "x", "")
	text, ok, err := a.ReadSystemPrompt(t.Context(), &PayloadRequest{Provider: "p", API: "x", Payload: []byte(`{}`)})
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, "whole", text)

	a, _, _ = r.FindAdapter("p", "y", "")
	assert.NotNil(t, a.Edit)
	assert.Nil(t, a.ReadSystemPrompt, "none stands for the same API")
	a, _, ok = r.FindAdapter("p", "z", "")
	require.True(t, ok)
	assert.Nil(t, a.Edit, "one of version 1 alone is registered as ever")
	assert.NotNil(t, a.ReadSystemPrompt)

	// Another error of the guest's own is just that.
	var other Registry
	editor(t, &other, answerOf(t, nil, &abi.Failure{Code: "no-idea"}), v2Offer("x"))
	_, err = edit(t, &other, "x", `{"s":1}`)
	assert.Error(t, err)
	assert.False(t, errors.Is(err, ErrUseV1))
}

// Only an adapter of the very same providers, APIs and models stands behind another.
func TestStandsBehind(t *testing.T) {
	v2 := abi.Adapter{Interface: abi.ProviderPayloadAdaptersV2, ID: "v2", Providers: []string{"p", "q"}, APIs: []string{"x"}, Models: []string{"m"}}
	for i, v1 := range []abi.Adapter{
		{Providers: []string{"q", "p"}, APIs: []string{"x"}, Models: []string{"m"}},
		{Providers: []string{"p"}, APIs: []string{"x"}, Models: []string{"m"}},
		{Providers: []string{"p", "q", "r"}, APIs: []string{"x"}, Models: []string{"m"}},
		{Providers: []string{"p", "q"}, Models: []string{"m"}},
		{Providers: []string{"p", "q"}, APIs: []string{"x"}},
	} {
		v1.Interface, v1.ID = abi.ProviderPayloadAdaptersV1, "v1"
		m := &abi.Manifest{Adapters: []abi.Adapter{v1, v2}}
		assert.Equal(t, i == 0, behind(m, &m.Adapters[0]), i)
		assert.Equal(t, i == 0, fallback(m, &m.Adapters[1]) != nil, i)
	}
	m := &abi.Manifest{Adapters: []abi.Adapter{v2, v2}}
	assert.Nil(t, fallback(m, &m.Adapters[0]))
}

func TestEditRequest(t *testing.T) {
	offer := v2Offer("x")
	view, err := payloadview.Compile(offer.View, offer.Write).Scan([]byte(`{"s":"text"}`))
	require.NoError(t, err)
	request, err := editRequest(&abi.Manifest{}, &offer, &PayloadRequest{SessionID: "s", Provider: "p", API: "x"}, "N \xed\xa0\xbd", []Message{{"a", "\xed\xa0\xbd"}}, view)
	require.NoError(t, err)
	var got adaptersv2.EditRequest
	require.NoError(t, abi.Decode(request, &got))
	assert.Equal(t, adaptersv2.EditRequest{ID: "x-v2", Provider: "p", API: "x", SystemPrompt: "N \ufffd",
		Messages: []adaptersv2.Message{{ID: "a", Content: "\ufffd"}}, View: view.CBOR()}, got)
}

func TestPlanEdits(t *testing.T) {
	answer := setS(`"new"`)
	edits, err := PlanEdits([]byte(`{"s":"a\ud800"}`), &answer)
	require.NoError(t, err)
	assert.True(t, edits.PromptIs("a\xed\xa0\x80"), "half a pair is told from U+FFFD")
	assert.False(t, edits.PromptIs("a\ufffd"))
	assert.False(t, edits.PromptIs("a\xed\xa0\x81"))
	edits, err = PlanEdits([]byte(` [] `), nil)
	require.NoError(t, err)
	assert.False(t, edits.HasPrompt() || edits.Changes(true, true))
	assert.Equal(t, ` [] `, string(bytes.Join(edits.Pieces(true, true), nil)))
	_, err = PlanEdits([]byte(`[`), nil)
	assert.ErrorIs(t, err, ErrNotJSON)
	_, err = PlanEdits([]byte(`[]`), &answer)
	assert.ErrorContains(t, err, `prompt: edit 0 at ["s"]: there is no such place`)
}
