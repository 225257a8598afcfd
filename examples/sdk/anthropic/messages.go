package anthropic

import (
	"context"
	"errors"
	"fmt"
	"iter"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/pintle-wasm/pintle/host/history"
	"github.com/pintle-wasm/pintle/host/parts"
	"github.com/pintle-wasm/pintle/host/stream"
)

// Messages is the provider of models behind the Messages API.
func Messages(client sdk.Client, o Options) *parts.Provider {
	return &parts.Provider{
		API: API, ContextWindow: o.ContextWindow,
		Ask: func(ctx context.Context, call *parts.Call) iter.Seq2[*stream.Part, error] {
			return func(yield func(*stream.Part, error) bool) {
				events := client.Messages.NewStreaming(ctx, params(call, o))
				defer events.Close()
				a := answer{yield: func(p *stream.Part) bool { return yield(p, nil) }}
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

// failure is the part for what the SDK returns. The status of an answer that fails on its way is 200 and
// says nothing.
func failure(err error) *stream.Part {
	var refused *sdk.Error
	switch {
	case !errors.As(err, &refused):
		return parts.Failure(err.Error(), nil)
	case refused.StatusCode < 400:
		return parts.Failure(fmt.Sprintf("the answer has failed: %s", refused.RawJSON()), nil)
	}
	return parts.Failure(refused.Error(), refused.Response)
}

func params(call *parts.Call, o Options) sdk.MessageNewParams {
	p := sdk.MessageNewParams{Model: sdk.Model(call.Route.Model), MaxTokens: o.MaxTokens}
	if p.MaxTokens <= 0 {
		p.MaxTokens = DefaultMaxTokens
	}
	if o.ThinkingBudget > 0 {
		p.Thinking = sdk.ThinkingConfigParamOfEnabled(o.ThinkingBudget)
	}
	for _, t := range call.Tools {
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &sdk.ToolParam{
			Name: t.Name, Description: sdk.String(t.Description),
			InputSchema: param.Override[sdk.ToolInputSchemaParam](t.InputSchema),
		}})
	}
	for i := range call.Prompt {
		m := &call.Prompt[i]
		if m.Role == history.RoleSystem {
			p.System = append(p.System, sdk.TextBlockParam{Text: m.Text})
			continue
		}
		role := sdk.MessageParamRoleUser
		if m.Role == history.RoleAssistant {
			role = sdk.MessageParamRoleAssistant
		}
		blocks := blocksOf(m.Content)
		switch last := len(p.Messages) - 1; {
		case len(blocks) == 0:
		case last >= 0 && p.Messages[last].Role == role: // the results of one answer belong into one message
			p.Messages[last].Content = append(p.Messages[last].Content, blocks...)
		default:
			p.Messages = append(p.Messages, sdk.MessageParam{Role: role, Content: blocks})
		}
	}
	return p
}
