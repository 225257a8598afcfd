package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A client is an editor made with the SDK. It offers nothing to the agent but to look.
type client struct {
	acp.Client
	mu   sync.Mutex
	seen []string
}

func (c *client) SessionUpdate(_ context.Context, n acp.SessionNotification) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch u := n.Update; {
	case u.AgentMessageChunk != nil:
		c.seen = append(c.seen, "text "+u.AgentMessageChunk.Content.Text.Text)
	case u.AgentThoughtChunk != nil:
		c.seen = append(c.seen, "thought "+u.AgentThoughtChunk.Content.Text.Text)
	case u.ToolCall != nil:
		c.seen = append(c.seen, fmt.Sprint("call ", u.ToolCall.Title, " ", u.ToolCall.Kind, " ", u.ToolCall.RawInput))
	case u.ToolCallUpdate != nil:
		c.seen = append(c.seen, fmt.Sprint("result ", u.ToolCallUpdate.ToolCallId, " ", *u.ToolCallUpdate.Status))
	default:
		c.seen = append(c.seen, "something else")
	}
	return nil
}

// What is sent is what another implementation of the protocol reads.
func TestClientOfTheSDK(t *testing.T) {
	script := filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(script, []byte(toolRound()), 0o600))
	cmd := exec.CommandContext(t.Context(), binary, "--script", script, "--sessions", t.TempDir(), "--live", "--load")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	c := &client{}
	conn := acp.NewClientSideConnection(c, stdin, stdout)
	ready, err := conn.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	require.NoError(t, err)
	assert.EqualValues(t, 1, ready.ProtocolVersion)
	assert.True(t, ready.AgentCapabilities.LoadSession)
	assert.False(t, ready.AgentCapabilities.PromptCapabilities.Image)
	begun, err := conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: project(t), McpServers: []acp.McpServer{}})
	require.NoError(t, err)
	done, err := conn.Prompt(t.Context(), acp.PromptRequest{
		SessionId: begun.SessionId, Prompt: []acp.ContentBlock{acp.TextBlock("What is "), acp.ResourceLinkBlock("a.txt", "file:///a.txt"), acp.TextBlock("?")},
	})
	require.NoError(t, err)
	assert.Equal(t, acp.StopReasonEndTurn, done.StopReason)
	require.NoError(t, stdin.Close())
	<-conn.Done()
	require.NoError(t, cmd.Wait())
	c.mu.Lock()
	defer c.mu.Unlock()
	assert.Equal(t, []string{
		"thought Let me ", "thought look.", "text Looking", "text  at it.", "call list_files search map[]", "call read_file read map[path:no.txt]",
		"result c1 completed", "result c2 failed", "text Two files.",
	}, c.seen)
}
