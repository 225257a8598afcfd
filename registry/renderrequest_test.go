package registry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/pintle-wasm/pintle/abi"
	messagesv1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// renderRequest is the whole request for a contribution.
func renderRequest(c *abi.Contribution, features uint64, rc *RenderContext) ([]byte, error) {
	keys, rest, err := rc.tail(needsOf(c), features)
	if err != nil {
		return nil, err
	}
	return slices.Concat(requestHeads(c.ID)[keys], rest.Bytes()), nil
}

// reflected is the request by the encoder for everything, with the options by way of their JSON.
func reflected(c *abi.Contribution, features uint64, rc *RenderContext) ([]byte, error) {
	q := messagesv1.RenderRequest{ID: c.ID, Features: features}
	text := func(s string) *string {
		s = wtf8.ToUTF8(s)
		return &s
	}
	for _, field := range c.Needs {
		switch field {
		case abi.FieldProvider:
			if rc.Provider != "" {
				q.Provider = text(rc.Provider)
			}
		case abi.FieldActiveTools:
			tools := make([]string, len(rc.ActiveTools))
			for i, tool := range rc.ActiveTools {
				tools[i] = wtf8.ToUTF8(tool)
			}
			q.ActiveTools = &tools
		case abi.FieldSessionID:
			q.SessionID = text(rc.SessionID)
		case abi.FieldPrompt:
			if rc.Prompt != nil {
				q.Prompt = text(*rc.Prompt)
			}
		case abi.FieldSystemPromptOptions:
			raw, err := json.Marshal(rc.Options)
			if err != nil {
				return nil, err
			}
			d := json.NewDecoder(bytes.NewReader(raw))
			d.UseNumber()
			var v map[string]any
			if err := d.Decode(&v); err != nil {
				return nil, err
			}
			q.SystemPromptOptions = numbers(v).(map[string]any)
		}
	}
	return abi.Encode(q)
}

func TestRequestsAreWhatTheEncoderForEverythingWrites(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("ab\"\\\n\x00é日🤖")), 0, 30, -1)
	dirty := rapid.OneOf(text, rapid.Map(text, func(s string) string { return s + "\xed\xa0\xbd" }), rapid.Just("\xff"))
	texts := rapid.OneOf(rapid.Just([]string(nil)), rapid.SliceOfN(dirty, 0, 30))
	key := rapid.SampledFrom([]string{"", "a", "cwd", "name", "zz\xed\xa0\xbd", "zz\ufffd", "skills", "description", strings.Repeat("k", 30)})
	value := rapid.Map(rapid.SampledFrom([]string{`1`, `-1`, `1.5`, `1e400`, `18446744073709551615`, `1e2`, `null`, `true`,
		`"\ud83d"`, `"é"`, `[1,[2,{"b":[],"aa":{},"a":"x","a":"y"}]]`, `{}`, `bad`, ``, `1 2`, `[`, ` 3 `,
		strings.Repeat("[", 28) + strings.Repeat("]", 28), strings.Repeat("[", 30) + strings.Repeat("]", 30),
		strings.Repeat("[", 31) + strings.Repeat("]", 31)}), func(s string) json.RawMessage { return json.RawMessage(s) })
	extra := rapid.OneOf(rapid.Just(map[string]json.RawMessage(nil)), rapid.MapOfN(key, value, 0, 2))
	rapid.Check(t, func(t *rapid.T) {
		rc := &RenderContext{Provider: dirty.Draw(t, "provider"), SessionID: dirty.Draw(t, "session"), ActiveTools: texts.Draw(t, "tools")}
		if rapid.Bool().Draw(t, "has a prompt") {
			prompt := dirty.Draw(t, "prompt")
			rc.Prompt = &prompt
		}
		rc.Options = PromptOptions{
			CWD: dirty.Draw(t, "cwd"), CustomPrompt: dirty.Draw(t, "custom"), AppendSystemPrompt: dirty.Draw(t, "append"),
			SelectedTools: texts.Draw(t, "selected"), PromptGuidelines: texts.Draw(t, "guidelines"), Extra: extra.Draw(t, "extra"),
		}
		if rapid.Bool().Draw(t, "has lists") {
			rc.Options.ToolSnippets = rapid.MapOfN(key, dirty, 0, 4).Draw(t, "snippets")
			rc.Options.ContextFiles = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) ContextFile {
				return ContextFile{dirty.Draw(t, "path"), dirty.Draw(t, "content")}
			}), 0, 3).Draw(t, "files")
			rc.Options.Skills = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Skill {
				return Skill{dirty.Draw(t, "name"), dirty.Draw(t, "description"), dirty.Draw(t, "file"), rapid.Bool().Draw(t, "disabled"), extra.Draw(t, "extra")}
			}), 0, 3).Draw(t, "skills")
		}
		c := &abi.Contribution{ID: text.Draw(t, "id"), Needs: rapid.SliceOfDistinct(rapid.SampledFrom(abi.ContextFields()), rapid.ID).Draw(t, "needs")}
		features := rapid.Uint64().Draw(t, "features")
		want, wrong := reflected(c, features, rc)
		got, err := renderRequest(c, features, rc)
		require.Equal(t, wrong != nil, err != nil, "%v against %v", wrong, err)
		if err == nil {
			require.Equal(t, want, got)
		}
	})
}

func TestRequestsAreEncodedOnce(t *testing.T) {
	rc := &RenderContext{Provider: "p", Options: PromptOptions{CWD: "/w"}}
	_, first, err := rc.tail(needsProvider|needsOptions, 0)
	require.NoError(t, err)
	_, second, err := rc.tail(needsProvider|needsOptions, 0)
	require.NoError(t, err)
	assert.Same(t, first, second)
	_, other, err := rc.tail(needsProvider, 0)
	require.NoError(t, err)
	assert.NotEqual(t, first.Bytes(), other.Bytes())

	_, other, err = rc.tail(needsProvider, 1)
	require.NoError(t, err)
	_, again, err := rc.tail(needsProvider, 0)
	require.NoError(t, err)
	assert.NotEqual(t, again.Bytes(), other.Bytes(), "other features")

	// A copy may have other fields.
	copied := RenderContext{Provider: "p", Options: PromptOptions{CWD: "/elsewhere"}}
	from, to := &rc.requests, &copied.requests
	to.of, to.tails, to.options, to.encoded = from.of, from.tails, from.options, from.encoded
	_, changed, err := copied.tail(needsProvider|needsOptions, 0)
	require.NoError(t, err)
	assert.NotEqual(t, first.Bytes(), changed.Bytes())
}

// The host's own keys go before known ones of the same name, however many there are.
func TestOwnKeysOfTheHost(t *testing.T) {
	rc := &RenderContext{Options: PromptOptions{CWD: "/w", CustomPrompt: "c", AppendSystemPrompt: "a", Extra: map[string]json.RawMessage{}}}
	for i := range 30 {
		rc.Options.Extra[fmt.Sprint("k", i)] = []byte(fmt.Sprint(i))
	}
	for _, key := range []string{"cwd", "customPrompt", "appendSystemPrompt"} {
		rc.Options.Extra[key] = []byte("false")
	}
	c := &abi.Contribution{Needs: []abi.ContextField{abi.FieldSystemPromptOptions}}
	want, err := reflected(c, 0, rc)
	require.NoError(t, err)
	got, err := renderRequest(c, 0, rc)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestRequestsThatNoReaderAcceptsAreNotSent(t *testing.T) {
	rc := &RenderContext{ActiveTools: make([]string, 131_073)}
	_, _, err := rc.tail(needsActiveTools, 0)
	assert.ErrorContains(t, err, "a list has 131073 elements")
	_, _, err = rc.tail(needsProvider, 0)
	assert.NoError(t, err)

	bad := map[string]json.RawMessage{"x": []byte("{")}
	for _, options := range []PromptOptions{{Extra: bad}, {Skills: []Skill{{Extra: bad}, {Name: "good"}}}} {
		rc = &RenderContext{Options: options}
		for range 2 {
			_, _, err = rc.tail(needsOptions, 0)
			assert.ErrorContains(t, err, "system prompt options: x: ")
		}
		_, _, err = rc.tail(needsProvider, 0)
		assert.NoError(t, err)
	}
}

func BenchmarkRequestOfLargeOptions(b *testing.B) {
	options := PromptOptions{CWD: "/srv", SelectedTools: []string{"read", "bash"}, ToolSnippets: map[string]string{"read": "Read a file."}}
	for i := range 10 {
		options.ContextFiles = append(options.ContextFiles, ContextFile{fmt.Sprintf("/srv/%d/AGENTS.md", i), strings.Repeat("Keep it short.\n", 700)})
	}
	for i := range 30 {
		options.Skills = append(options.Skills, Skill{Name: fmt.Sprint("skill", i), Description: strings.Repeat("x", 200), FilePath: "/srv/SKILL.md"})
	}
	b.Run("shared", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			rc := &RenderContext{Options: options}
			if _, _, err := rc.tail(needsOptions, 0); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("reflected", func(b *testing.B) {
		b.ReportAllocs()
		c := &abi.Contribution{Needs: []abi.ContextField{abi.FieldSystemPromptOptions}}
		for b.Loop() {
			if _, err := reflected(c, 0, &RenderContext{Options: options}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
