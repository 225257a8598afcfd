package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
)

// All recorded streams, on both hosts. What they hold is counted in another way than the translation does.
func TestRecordedStreams(t *testing.T) {
	names, err := filepath.Glob("../../testdata/vectors/streams/*.parts.ndjson")
	require.NoError(t, err)
	require.Greater(t, len(names), 100)
	for _, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		for _, host := range []string{"pi", "omp"} {
			cfg := configFor(t, host)
			cfg.Unchecked = true
			r := &ran{}
			for e := range stream.Translate(context.Background(), cfg, stream.ReadParts(bytes.NewReader(data))) {
				r.take(e)
			}
			checkGrammar(t, r)
			expectRecorded(t, filepath.Base(name), data, r)
		}
	}
}

func expectRecorded(t *testing.T, name string, data []byte, r *ran) {
	var text, thinking strings.Builder
	var theirs int
	calls, signatures := map[string]string{}, 0
	finished, thrown, usage := false, false, int64(0)
	for line := range bytes.Lines(data) {
		var p struct {
			Type, Delta, ToolCallID, Input, MediaType string
			ProviderExecuted                          bool
			Usage                                     struct{ InputTokens json.RawMessage }
			Throw                                     json.RawMessage `json:"$throw"`
			Reject                                    json.RawMessage `json:"$reject"`
			ProviderMetadata                          map[string]any
		}
		require.NoError(t, json.Unmarshal(line, &p))
		thrown = thrown || p.Throw != nil || p.Reject != nil
		if finished || p.Type == "error" {
			break
		}
		switch p.Type {
		case "text-delta":
			text.WriteString(p.Delta)
		case "reasoning-delta":
			thinking.WriteString(p.Delta)
		case "tool-call":
			if p.ProviderExecuted {
				theirs++
			} else {
				calls[p.ToolCallID] = p.Input
			}
		case "finish":
			finished = true
			var flat int64
			var nested struct{ Total int64 }
			if json.Unmarshal(p.Usage.InputTokens, &flat) != nil {
				_ = json.Unmarshal(p.Usage.InputTokens, &nested)
			}
			usage = flat + nested.Total
		}
		if strings.HasPrefix(p.Type, "text") || strings.HasPrefix(p.Type, "reasoning-") {
			for _, inner := range p.ProviderMetadata {
				if m, ok := inner.(map[string]any); ok && len(m) > 0 {
					signatures++
				}
			}
		}
	}
	gotText, gotThinking, gotSignatures := "", "", 0
	for _, b := range r.final.Content {
		switch b.Type {
		case stream.BlockText:
			if !strings.HasPrefix(b.Text(), "A file (") {
				gotText += b.Text()
			}
		case stream.BlockThinking:
			gotThinking += b.Text()
		case stream.BlockToolCall:
			if input, ok := calls[b.ID]; ok && !b.Incomplete && input != "" {
				assert.JSONEq(t, input, string(b.Arguments), name)
			} else if ok && input != "" {
				assert.Equal(t, input, b.Input, name)
			}
			delete(calls, b.ID)
		}
		if b.Type != stream.BlockToolCall && b.Signature() != "" {
			gotSignatures++
		}
	}
	// Texts of several blocks may be interleaved, so their bytes are compared without their order.
	assert.Equal(t, letters(text.String()), letters(gotText), name)
	assert.Equal(t, letters(thinking.String()), letters(gotThinking), name)
	assert.Equal(t, signatures > 0, gotSignatures > 0, name)
	assert.Len(t, r.final.ProviderExecuted, theirs, name)
	assert.Empty(t, calls, name)
	u := r.final.Usage
	assert.Equal(t, usage, u.Input+u.CacheRead+u.CacheWrite, name)
	if thrown || !finished {
		assert.Equal(t, "error", r.final.StopReason, name)
		assert.NotEmpty(t, r.final.ErrorMessage, name)
	}
}

func letters(s string) (n [256]int) {
	for i := range len(s) {
		n[s[i]]++
	}
	return n
}
