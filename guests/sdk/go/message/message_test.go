package message

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	v1 "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	"github.com/pintle-wasm/pintle/guests/sdk/go/internal/call"
)

// The SDK has a codec of its own; here the host's speaks with it.
func TestRender(t *testing.T) {
	Handle("echo", func(c *Context) (string, error) {
		assert.Equal(t, "openai", c.Provider)
		assert.True(t, c.ToolActive("bash"))
		assert.False(t, c.ToolActive("edit"))
		assert.Equal(t, "s1", c.SessionID)
		files := c.SystemPromptOptions.Get("contextFiles").List()
		require.Len(t, files, 1)
		content, _ := files[0].Get("content").Text()
		n, ok := c.SystemPromptOptions.Get("depth").Number()
		assert.True(t, ok)
		assert.Equal(t, -2.0, n)
		_, ok = c.SystemPromptOptions.Get("nothing").Get("at").Text()
		assert.False(t, ok)
		return c.Prompt + content, nil
	})
	Handle("quiet", func(c *Context) (string, error) {
		assert.False(t, c.HasPrompt)
		return "", nil
	})
	Handle("broken", func(*Context) (string, error) { return "", errors.New("no tide") })
	text := func(s string) *string { return &s }

	answer := func(q v1.RenderRequest) ([]byte, error) {
		request, err := abi.Encode(q)
		require.NoError(t, err)
		return abi.DecodeAnswer(call.Handle(request, render))
	}
	value, err := answer(v1.RenderRequest{ID: "echo", Provider: text("openai"), ActiveTools: &[]string{"bash"}, SessionID: text("s1"),
		Prompt: text("päth "), SystemPromptOptions: map[string]any{
			"depth": -2, "contextFiles": []any{map[string]any{"path": "/a", "content": "ü"}}}})
	require.NoError(t, err)
	s, err := abi.Text(value)
	require.NoError(t, err)
	assert.Equal(t, "päth ü", s)

	value, err = answer(v1.RenderRequest{ID: "quiet"})
	require.NoError(t, err)
	assert.Nil(t, value)

	_, err = answer(v1.RenderRequest{ID: "broken"})
	require.EqualError(t, err, "no tide")
	_, err = answer(v1.RenderRequest{ID: "absent"})
	require.EqualError(t, err, "no handler for contribution absent; there are handlers for: broken, echo, quiet")

	_, err = abi.DecodeAnswer(call.Handle([]byte{0xff}, render))
	require.EqualError(t, err, "bad-request: malformed message")
}
