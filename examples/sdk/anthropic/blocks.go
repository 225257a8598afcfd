package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"github.com/pintle-wasm/pintle/host/history"
)

// metadata is what an answer keeps for Anthropic with a thought, in the words of the AI SDK's provider.
type metadata struct {
	Anthropic struct {
		Signature string `json:"signature,omitempty"`
		Redacted  string `json:"redactedData,omitempty"`
	} `json:"anthropic"`
}

func (m *metadata) json() json.RawMessage {
	raw, _ := json.Marshal(m) // texts alone
	return raw
}

// blocksOf are the blocks of a message. The API refuses blank texts, and thoughts that are not signed.
func blocksOf(content []history.Part) []sdk.ContentBlockParamUnion {
	var blocks []sdk.ContentBlockParamUnion
	for i := range content {
		p := &content[i]
		switch p.Type {
		case history.Text:
			if strings.TrimSpace(p.Text) != "" {
				blocks = append(blocks, sdk.NewTextBlock(p.Text))
			}
		case history.Reasoning:
			var own metadata
			_ = json.Unmarshal(p.ProviderOptions, &own) // another layout is none of ours
			switch {
			case own.Anthropic.Redacted != "":
				blocks = append(blocks, sdk.NewRedactedThinkingBlock(own.Anthropic.Redacted))
			case own.Anthropic.Signature != "":
				blocks = append(blocks, sdk.NewThinkingBlock(own.Anthropic.Signature, p.Text))
			}
		case history.ToolCall:
			blocks = append(blocks, sdk.NewToolUseBlock(p.ToolCallID, p.Input, p.ToolName))
		case history.ToolResult:
			text, failed := outputText(p.Output)
			blocks = append(blocks, sdk.NewToolResultBlock(p.ToolCallID, text, failed))
		}
	}
	return blocks
}

// outputText is what a tool has given back: histories that package replay reads have nothing but text.
func outputText(out *history.Output) (text string, failed bool) {
	switch {
	case out == nil:
		return "", false
	case out.Type == history.OutputJSON:
		return string(out.JSON), false
	case out.Type == history.OutputContent:
		var all strings.Builder
		for i := range out.Content {
			all.WriteString(out.Content[i].Text)
		}
		return all.String(), false
	}
	return out.Text, out.Type == history.OutputErrorText
}
