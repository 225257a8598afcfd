package openai

import (
	"context"
	"iter"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/stream"
)

// Chat is the provider of models behind the Chat Completions API, OpenAI's or another server's that speaks
// it. Answers keep nothing for the provider here: the API has no signatures and no ids but those of calls.
func Chat(client sdk.Client, o Options) *parts.Provider {
	return &parts.Provider{
		API: ChatAPI, ContextWindow: o.ContextWindow,
		Ask: func(ctx context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
			return func(yield func(*stream.Part, error) bool) {
				params, err := chatParams(call, o)
				if err != nil {
					yield(nil, err)
					return
				}
				chunks := client.Chat.Completions.NewStreaming(ctx, params)
				defer chunks.Close()
				a := chatAnswer{yield: func(p *stream.Part) bool { return yield(p, nil) }}
				for chunks.Next() {
					chunk := chunks.Current()
					if !a.chunk(&chunk) {
						return
					}
				}
				if err := chunks.Err(); err != nil {
					yield(failure(err), nil)
					return
				}
				a.end()
			}
		},
	}
}

func chatParams(call *parts.Call, o Options) (sdk.ChatCompletionNewParams, error) {
	params := sdk.ChatCompletionNewParams{
		Model:           call.Route.Model,
		StreamOptions:   sdk.ChatCompletionStreamOptionsParam{IncludeUsage: sdk.Bool(true)},
		ReasoningEffort: shared.ReasoningEffort(o.Effort),
	}
	if o.MaxTokens > 0 {
		params.MaxCompletionTokens = sdk.Int(o.MaxTokens)
	}
	for _, t := range call.Tools {
		schema, err := schemaOf(t.Name, t.InputSchema)
		if err != nil {
			return params, err
		}
		params.Tools = append(params.Tools, sdk.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: t.Name, Description: sdk.String(t.Description), Parameters: schema,
		}))
	}
	for i := range call.Prompt {
		m := &call.Prompt[i]
		switch m.Role {
		case history.RoleSystem:
			params.Messages = append(params.Messages, sdk.SystemMessage(m.Text))
		case history.RoleUser:
			params.Messages = append(params.Messages, sdk.UserMessage(userText(m.Content)))
		case history.RoleAssistant:
			params.Messages = appendSaid(params.Messages, m.Content)
		case history.RoleTool:
			for j := range m.Content {
				if p := &m.Content[j]; p.Type == history.ToolResult {
					params.Messages = append(params.Messages, sdk.ToolMessage(outputText(p.Output), p.ToolCallID))
				}
			}
		}
	}
	return params, nil
}

// appendSaid appends an answer, if anything of it is left: its reasoning is not.
func appendSaid(
	messages []sdk.ChatCompletionMessageParamUnion, content []history.Part,
) []sdk.ChatCompletionMessageParamUnion {
	var said sdk.ChatCompletionAssistantMessageParam
	text := ""
	for i := range content {
		switch p := &content[i]; p.Type {
		case history.Text:
			text += p.Text
		case history.ToolCall:
			said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
				OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
					ID: p.ToolCallID,
					Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
						Name: p.ToolName, Arguments: string(p.Input),
					},
				},
			})
		}
	}
	if text == "" && said.ToolCalls == nil {
		return messages
	}
	if text != "" {
		said.Content.OfString = sdk.String(text)
	}
	return append(messages, sdk.ChatCompletionMessageParamUnion{OfAssistant: &said})
}
