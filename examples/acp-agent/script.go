package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/turn"
)

// A script stands in for a model. It is the input of a case of the conformance kit, of which other members
// than these are left alone:
//
//	{"route": {"provider": "northwind", "model": "nw-large-3"},
//	 "tools": [{"name": "ledger_post", "result": "Posted."}],
//	 "script": [{"chunks": […], "throw": {"message": "…", "code": "…"}, "hang": true}]}
//
// An answer of the script yields its chunks; with hang it then waits until it is cancelled, and with throw
// it fails in the end. Without tools the agent has its own.
type script struct {
	Route *message.Route `json:"route"`
	Tools []struct {
		Name   string `json:"name"`
		Result string `json:"result"`
	} `json:"tools"`
	Answers []struct {
		Chunks []message.Chunk `json:"chunks"`
		Hang   bool            `json:"hang"`
		Throw  *struct {
			Message string `json:"message"`
			Code    string `json:"code"`
		} `json:"throw"`
	} `json:"script"`
}

// hanging is a line on standard error when an answer of a script begins to hang.
const hanging = "script: hanging"

func readScript(path string) (*script, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	var s script
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("script %s: %w", path, err)
	}
	return &s, nil
}

// model is the provider that gives the script's answers. It says on stderr when one hangs.
func (s *script) model(stderr io.Writer) *turn.Scripted {
	m := &turn.Scripted{OnHang: func() { fmt.Fprintln(stderr, hanging) }}
	for _, a := range s.Answers {
		answer := turn.Answer{Chunks: a.Chunks, Hang: a.Hang}
		switch {
		case a.Throw == nil:
		case a.Throw.Code == "":
			answer.Err = errors.New(a.Throw.Message)
		default:
			answer.Err = &message.Failure{Message: a.Throw.Message, Code: a.Throw.Code}
		}
		m.Answers = append(m.Answers, answer)
	}
	return m
}

// tools are the script's, nil if it brings none.
func (s *script) tools() []turn.Tool {
	var tools []turn.Tool
	for _, t := range s.Tools {
		result := []message.Block{{Type: message.Text, Text: t.Result}}
		tool := turn.Tool{Run: func(context.Context, json.RawMessage) ([]message.Block, error) { return result, nil }}
		tool.Name = t.Name
		tools = append(tools, tool)
	}
	return tools
}
