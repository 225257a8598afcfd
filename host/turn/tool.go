package turn

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/replay"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// A Tool is one that the model may call.
type Tool struct {
	// Name, Description and Parameters, a JSON schema, are what the model is told.
	replay.Tool
	// Run does the work and returns what the model gets to read. arguments is JSON as the model wrote it,
	// {} if it wrote nothing; whether it fits the schema has not been checked. An error, or a panic,
	// becomes a result that is marked as one and has the error's text; the turn goes on.
	//
	// Run returns soon after ctx is done: nobody else ends it.
	Run func(ctx context.Context, arguments json.RawMessage) ([]message.Block, error)
}

// The codes of tool results that are errors.
const (
	// UnknownTool: there is no tool of this name.
	UnknownTool = "UNKNOWN_TOOL"
	// InvalidArguments: the arguments are not JSON.
	InvalidArguments = "INVALID_ARGUMENTS"
	// ToolFailed: the tool returned an error or panicked.
	ToolFailed = "TOOL_FAILED"
	// ResultRefused: the log cannot hold what the tool returned.
	ResultRefused = "RESULT_REFUSED"
)

// A toolResult is what becomes of one call.
type toolResult struct {
	content []message.Block
	// code is that of an error, "" for a proper result.
	code string
}

func toolError(code, format string, args ...any) toolResult {
	return toolResult{
		content: []message.Block{{Type: message.Text, Text: fmt.Sprintf(format, args...)}}, code: code,
	}
}

// notStarted is the result of a call that was recorded and then did not happen.
func notStarted(why string) toolResult {
	return toolError(session.ToolNotStarted,
		"This tool call was not started: %s. Call the tool again if it is still needed.", why)
}

// prepare finds the tool of a call and reads the arguments; if it cannot, there is a result instead.
func prepare(tools []Tool, call *message.Block) (*Tool, json.RawMessage, *toolResult) {
	for i := range tools {
		if tools[i].Name != call.Name {
			continue
		}
		arguments := json.RawMessage(call.Arguments)
		if len(arguments) == 0 {
			arguments = json.RawMessage("{}")
		}
		if !jsonspan.Valid(arguments) {
			refused := toolError(InvalidArguments, "The arguments of this call are not valid JSON.")
			return nil, nil, &refused
		}
		return &tools[i], arguments, nil
	}
	refused := toolError(UnknownTool, "There is no tool %q.", call.Name)
	return nil, nil, &refused
}

// run calls the tool.
func (t *Tool) run(ctx context.Context, arguments json.RawMessage) (result toolResult) {
	defer func() {
		if v := recover(); v != nil {
			result = toolError(ToolFailed, "the tool panicked: %v", v)
		}
	}()
	content, err := t.Run(ctx, arguments)
	if err != nil {
		return toolError(ToolFailed, "%s", err.Error())
	}
	return toolResult{content: content}
}
