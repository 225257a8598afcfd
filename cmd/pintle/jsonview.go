package main

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/assembler"
	"github.com/pintle-wasm/pintle/host/message"
)

// A jsonView shows an answer as one JSON object per line.
type jsonView struct{ cmd *cobra.Command }

func (v *jsonView) chunk(c *message.Chunk, block *liveBlock) error {
	if block == nil || c.Type != message.BlockEnd {
		return nil
	}
	return v.line(struct {
		Type     string         `json:"type"`
		Position int            `json:"position"`
		Index    *float64       `json:"index,omitempty"` // absent as in the chunk
		Block    *message.Block `json:"block"`
	}{"block", block.position, jsonNumber(c.Index), c.Block})
}

func (v *jsonView) violation(_ string, line int, violation *assembler.Violation) error {
	at := &line
	if violation.At == assembler.End {
		at = nil
	}
	return v.line(struct {
		Type    string                  `json:"type"`
		Line    *int                    `json:"line"` // null: the end of the stream
		Kind    assembler.ViolationKind `json:"kind"`
		Message string                  `json:"message"`
	}{"violation", at, violation.Kind, violation.Detail + "; " + advice[violation.Kind]})
}

func (v *jsonView) result(r *assembled) error { return v.line(r) }

// jsonNumber returns nil for what is no number in JSON.
func jsonNumber(f float64) *float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

func (v *jsonView) line(value any) error {
	return encodeJSON(v.cmd.OutOrStdout(), value, "")
}
