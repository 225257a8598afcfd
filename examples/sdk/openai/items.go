package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"

	"github.com/pintle-wasm/pintle/host/history"
)

// metadata is what an answer keeps for OpenAI with a block, in the words of the AI SDK's provider.
type metadata struct {
	OpenAI struct {
		ItemID    string `json:"itemId,omitempty"`
		Encrypted string `json:"reasoningEncryptedContent,omitempty"`
		Phase     string `json:"phase,omitempty"`
	} `json:"openai"`
}

func (m *metadata) json() json.RawMessage {
	raw, _ := json.Marshal(m) // texts alone
	return raw
}

// kept reads what was kept with a part, nothing if it is not this provider's.
func kept(p *history.Part) (m metadata) {
	_ = json.Unmarshal(p.ProviderOptions, &m) // another layout is none of ours
	return m
}

// appendAnswer appends the items of an answer. Reasoning goes back only as it came: encrypted, and under
// its id. What followed reasoning that cannot go back loses its id, by which OpenAI would miss that.
func appendAnswer(input responses.ResponseInputParam, content []history.Part) responses.ResponseInputParam {
	var thought *responses.ResponseReasoningItemParam // the one before, which may have more parts
	lost := false
	for i := range content {
		p, own := &content[i], kept(&content[i])
		switch p.Type {
		case history.Reasoning:
			if thought == nil || thought.ID != own.OpenAI.ItemID {
				if own.OpenAI.Encrypted == "" {
					lost, thought = true, nil
					continue
				}
				none := []responses.ResponseReasoningItemSummaryParam{} // which is not the same as no list
				item := responses.ResponseInputItemParamOfReasoning(own.OpenAI.ItemID, none)
				thought = item.OfReasoning
				thought.EncryptedContent = sdk.String(own.OpenAI.Encrypted)
				input = append(input, item)
			}
			if p.Text != "" {
				thought.Summary = append(thought.Summary, responses.ResponseReasoningItemSummaryParam{Text: p.Text})
			}
			continue
		case history.Text:
			if lost {
				own.OpenAI.ItemID = ""
			}
			input = append(input, textItem(p.Text, &own))
		case history.ToolCall:
			item := responses.ResponseInputItemParamOfFunctionCall(string(p.Input), p.ToolCallID, p.ToolName)
			if own.OpenAI.ItemID != "" && !lost {
				item.OfFunctionCall.ID = sdk.String(own.OpenAI.ItemID)
			}
			input = append(input, item)
		}
		thought = nil
	}
	return input
}

func textItem(text string, own *metadata) responses.ResponseInputItemUnionParam {
	if own.OpenAI.ItemID == "" {
		return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleAssistant)
	}
	item := responses.ResponseInputItemParamOfOutputMessage([]responses.ResponseOutputMessageContentUnionParam{{
		OfOutputText: &responses.ResponseOutputTextParam{
			Text: text, Annotations: []responses.ResponseOutputTextAnnotationUnionParam{},
		},
	}}, own.OpenAI.ItemID, responses.ResponseOutputMessageStatusCompleted)
	item.OfOutputMessage.Phase = responses.ResponseOutputMessagePhase(own.OpenAI.Phase)
	return item
}

func appendResults(input responses.ResponseInputParam, content []history.Part) responses.ResponseInputParam {
	for i := range content {
		if content[i].Type != history.ToolResult {
			continue
		}
		item := responses.ResponseInputItemParamOfFunctionCallOutput(outputText(content[i].Output))
		item.OfFunctionCallOutput.CallID = sdk.String(content[i].ToolCallID)
		input = append(input, item)
	}
	return input
}

// userText is what a message of the user says: histories that package replay reads have nothing but text.
func userText(content []history.Part) string {
	var text strings.Builder
	for i := range content {
		text.WriteString(content[i].Text)
	}
	return text.String()
}

func outputText(out *history.Output) string {
	switch {
	case out == nil:
		return ""
	case out.Type == history.OutputJSON:
		return string(out.JSON)
	case out.Type == history.OutputContent:
		return userText(out.Content)
	}
	return out.Text
}
