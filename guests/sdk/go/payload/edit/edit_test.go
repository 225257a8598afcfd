package edit

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	v2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
)

func encoded(t *testing.T, v any) []byte {
	b, err := abi.Encode(v)
	require.NoError(t, err)
	return b
}

func ask(t *testing.T, id string, view ...v2.Entry) ([]byte, error) {
	return abi.DecodeAnswer(call.Handle(encoded(t, v2.EditRequest{
		ID: id, Provider: "p", API: "x", SystemPrompt: "New.", Messages: []v2.Message{{ID: "one", Content: "1"}, {ID: "two", Content: "2"}},
		View: encoded(t, view),
	}), serve))
}

// The SDK has a codec of its own; here the host's speaks with it.
func TestRequest(t *testing.T) {
	var got *Request
	Handle("request", func(r *Request) (Answer, error) {
		got = r
		return Answer{}, nil
	})
	value, err := ask(t, "request",
		v2.Entry{At: v2.Address{v2.Member("a"), v2.Index(70000), v2.Member("")}, Value: "text"},
		v2.Entry{At: v2.Address{}, Value: v2.Clipped{Head: "h", Tail: "t", Bytes: 1 << 40}, Clipped: true},
		v2.Entry{Value: int64(-3)},
		v2.Entry{Value: 0.5},
		v2.Entry{Value: true},
		v2.Entry{Value: nil},
		v2.Entry{Value: v2.List{Len: 9}},
		v2.Entry{Value: v2.Object{Members: map[string]any{
			"role": "user", "content": v2.List{Len: 2}, "x": v2.Object{Members: map[string]any{}}, "n": nil, "false": false,
		}}},
		v2.Entry{Value: v2.Object{Members: map[string]any{}}},
	)
	require.NoError(t, err)
	assert.Nil(t, value, "nothing")

	assert.Equal(t, "request", got.ID)
	assert.Equal(t, "p", got.Provider)
	assert.Equal(t, "x", got.API)
	assert.Equal(t, "New.", got.SystemPrompt)
	assert.Equal(t, []Message{{"one", "1"}, {"two", "2"}}, got.Messages)
	require.Len(t, got.View, 9)
	assert.Equal(t, Top("a").Element(70000).Member(""), got.View[0].At)
	assert.Empty(t, got.View[1].At)
	members := got.View[7].Value.Members
	assert.Len(t, members, 5)
	for i, want := range []Value{
		{Kind: String, Text: "text"}, {Kind: String, Text: "h", Clipped: true, Tail: "t", Bytes: 1 << 40}, {Kind: Number, Number: -3},
		{Kind: Number, Number: 0.5}, {Kind: Bool, Bool: true}, {Kind: Null}, {Kind: List, Len: 9}, {Kind: Object, Members: members}, {Kind: Object},
	} {
		assert.Equal(t, want, got.View[i].Value)
	}
	object := got.View[7].Value
	assert.Equal(t, Value{Kind: String, Text: "user"}, object.Member("role"))
	assert.Equal(t, Value{Kind: List, Len: 2}, object.Member("content"))
	assert.Equal(t, Value{Kind: Object}, object.Member("x"))
	assert.Equal(t, Value{Kind: Null}, object.Member("n"))
	assert.Equal(t, Value{Kind: Bool}, object.Member("false"))
	assert.Equal(t, Value{}, object.Member("absent"))
}

func TestAnswer(t *testing.T) {
	var give Answer
	Handle("answer", func(*Request) (Answer, error) { return give, nil })
	at := Top("list").Element(3)
	for name, c := range map[string]struct {
		give Answer
		want v2.Answer
	}{
		"prompt": {
			Answer{PromptAt: Top("p"), Prompt: []Edit{Set(Top("p"), Quote("\"x\"\n"))}},
			v2.Answer{Prompt: &v2.PromptEdits{At: v2.Address{v2.Member("p")},
				Edits: []v2.Edit{{Op: v2.OpSet, At: v2.Address{v2.Member("p")}, Value: v2.JSON(`"\"x\"\n"`)}}}},
		},
		"prompt without edits": {
			Answer{PromptAt: Top("p")},
			v2.Answer{Prompt: &v2.PromptEdits{At: v2.Address{v2.Member("p")}, Edits: []v2.Edit{}}},
		},
		"messages": {
			Answer{Messages: []Edit{Remove(at), Insert(at, []byte("{}")), Set(at.Member("content"), []byte("null")), Append(at, Quote("x"))}},
			v2.Answer{Messages: &v2.MessageEdits{Edits: []v2.Edit{
				{Op: v2.OpRemove, At: v2.Address{v2.Member("list"), v2.Index(3)}},
				{Op: v2.OpInsert, At: v2.Address{v2.Member("list"), v2.Index(3)}, Value: v2.JSON("{}")},
				{Op: v2.OpSet, At: v2.Address{v2.Member("list"), v2.Index(3), v2.Member("content")}, Value: v2.JSON("null")},
				{Op: v2.OpAppend, At: v2.Address{v2.Member("list"), v2.Index(3)}, Value: v2.JSON(`"x"`)},
			}}},
		},
		"both": {
			Answer{PromptAt: at, Messages: []Edit{Remove(at)}},
			v2.Answer{Prompt: &v2.PromptEdits{At: v2.Address{v2.Member("list"), v2.Index(3)}, Edits: []v2.Edit{}},
				Messages: &v2.MessageEdits{Edits: []v2.Edit{{Op: v2.OpRemove, At: v2.Address{v2.Member("list"), v2.Index(3)}}}}},
		},
	} {
		give = c.give
		value, err := ask(t, "answer")
		require.NoError(t, err, name)
		var got v2.Answer
		require.NoError(t, abi.Decode(value, &got), name)
		assert.Equal(t, c.want, got, name)
	}
	assert.Equal(t, Top("list").Element(3), at, "an address made from another one leaves it alone")
}

func TestErrors(t *testing.T) {
	Handle("v1", func(*Request) (Answer, error) { return Answer{}, UseV1("one string") })
	Handle("wrapped", func(*Request) (Answer, error) { return Answer{}, fmt.Errorf("completions: %w", UseV1("one string")) })
	Handle("broken", func(*Request) (Answer, error) { return Answer{PromptAt: Top("p")}, errors.New("no tide") })
	_, err := ask(t, "v1")
	require.EqualError(t, err, "use-v1: one string")
	_, err = ask(t, "wrapped")
	require.EqualError(t, err, "use-v1: completions: one string")
	_, err = ask(t, "broken")
	require.EqualError(t, err, "no tide")
	_, err = ask(t, "absent")
	require.ErrorContains(t, err, "no handler for adapter absent; there are handlers for: ")
}

func TestAddressString(t *testing.T) {
	assert.Equal(t, `["a\"",12,""]`, Top(`a"`).Element(12).Member("").String())
	assert.Equal(t, `[]`, Address(nil).String())
}

func TestAddressesAreNotShared(t *testing.T) {
	list := Top("a").Member("b").Element(0)[:2] // with room behind it
	first, second := list.Element(1), list.Element(2)
	assert.Equal(t, Step{Index: 1, Element: true}, first[2])
	assert.Equal(t, Step{Index: 2, Element: true}, second[2])
	assert.Equal(t, Step{Name: "c"}, list.Member("c")[2])
}

// Whatever comes as a request, the answer is one that the host can read.
func FuzzServe(f *testing.F) {
	Handle("fuzz", func(r *Request) (Answer, error) {
		var a Answer
		for _, e := range r.View {
			a.PromptAt = e.At
			a.Prompt = append(a.Prompt, Set(e.At, Quote(e.Value.Text)))
			a.Messages = append(a.Messages, Remove(e.At), Insert(e.At.Member(e.Value.Tail), Quote(r.SystemPrompt)))
		}
		return a, nil
	})
	for _, view := range [][]v2.Entry{nil, {{At: v2.Address{v2.Member("a"), v2.Index(1)}, Value: v2.Clipped{Head: "h", Tail: "t"}}}} {
		inside, err := abi.Encode(view)
		require.NoError(f, err)
		request, err := abi.Encode(v2.EditRequest{ID: "fuzz", View: inside})
		require.NoError(f, err)
		f.Add(request)
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		value, err := abi.DecodeAnswer(call.Handle(request, serve))
		if err == nil && value != nil {
			var a v2.Answer
			require.NoError(t, abi.Decode(value, &a))
		}
	})
}
