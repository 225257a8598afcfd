package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/stream"
)

// Responses is the provider of models behind the Responses API. Nothing is stored at OpenAI: each call has
// the whole history.
func Responses(client sdk.Client, o Options) *parts.Provider {
	return &parts.Provider{
		API: ResponsesAPI, ContextWindow: o.ContextWindow,
		Ask: func(ctx context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
			return func(yield func(*stream.Part, error) bool) {
				params, err := responsesParams(call, o)
				if err != nil {
					yield(nil, err)
					return
				}
				events := client.Responses.NewStreaming(ctx, params)
				defer events.Close()
				a := responsesAnswer{yield: func(p *stream.Part) bool { return yield(p, nil) }}
				for events.Next() {
					event := events.Current()
					if !a.event(&event) {
						return
					}
				}
				if err := events.Err(); err != nil {
					yield(failure(err), nil)
				}
			}
		},
	}
}

func responsesParams(call *parts.Call, o Options) (responses.ResponseNewParams, error) {
	params := responses.ResponseNewParams{Model: call.Route.Model, Store: sdk.Bool(false)}
	if o.MaxTokens > 0 {
		params.MaxOutputTokens = sdk.Int(o.MaxTokens)
	}
	if o.Effort != "" {
		params.Reasoning = shared.ReasoningParam{
			Effort: shared.ReasoningEffort(o.Effort), Summary: shared.ReasoningSummaryAuto,
		}
		params.Include = []responses.ResponseIncludable{responses.ResponseIncludableReasoningEncryptedContent}
	}
	for _, t := range call.Tools {
		schema, err := schemaOf(t.Name, t.InputSchema)
		if err != nil {
			return params, err
		}
		params.Tools = append(params.Tools, responses.ToolUnionParam{OfFunction: &responses.FunctionToolParam{
			Name: t.Name, Description: sdk.String(t.Description), Parameters: schema, Strict: sdk.Bool(false),
		}})
	}
	input := responses.ResponseInputParam{}
	for i := range call.Prompt {
		m := &call.Prompt[i]
		switch m.Role {
		case history.RoleSystem:
			params.Instructions = sdk.String(m.Text)
		case history.RoleUser:
			said := userText(m.Content)
			input = append(input, responses.ResponseInputItemParamOfMessage(said, responses.EasyInputMessageRoleUser))
		case history.RoleAssistant:
			input = appendAnswer(input, m.Content)
		case history.RoleTool:
			input = appendResults(input, m.Content)
		}
	}
	params.Input.OfInputItemList = input
	return params, nil
}

func schemaOf(tool string, schema json.RawMessage) (map[string]any, error) {
	var m map[string]any
	if err := json.Unmarshal(schema, &m); err != nil {
		return nil, fmt.Errorf("tool %q: its parameters are no JSON object: %w", tool, err)
	}
	return m, nil
}
