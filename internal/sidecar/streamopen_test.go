package sidecar

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFilesOfAStream(t *testing.T) {
	c := newStreamClient(t)
	folder := t.TempDir()
	file := object{"type": "file", "mediaType": "application/pdf", "data": "JVBERg=="}
	got := c.push(object{"stream": c.openStream(object{"files": folder}), "parts": []any{file}})
	assert.Equal(t, "start text_start text_delta text_end", kinds(got.Events))
	kept, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, kept, 1)
	assert.Contains(t, string(got.Events[3]), kept[0].Name())
}

// An answer to a request that did not fit the model has failed.
func TestContextWindowOfAStream(t *testing.T) {
	c := newStreamClient(t)
	for window, kind := range map[int]string{0: "stop", 2: "error", 4000: "stop"} {
		id := c.openStream(object{"assemble": true, "contextWindow": window})
		got := c.push(object{"stream": id, "parts": []any{part("text-delta", "a", "x"), finishPart}})
		var whole wholeMessage
		require.NoError(t, json.Unmarshal(got.Assembled, &whole))
		assert.Equal(t, kind, whole.Finish.Kind, window)
	}
}

// The usage of some packages is in their metadata; an older build of the reference reads it in another way.
func TestPackageOfAStream(t *testing.T) {
	c := newStreamClient(t)
	finish := object{
		"type": "finish", "finishReason": object{"unified": "stop"},
		"usage": object{"inputTokens": object{"total": 18000}, "outputTokens": object{"total": 1200}},
		"providerMetadata": object{"cursor": object{
			"inputTokensRaw": 90000, "outputTokensRaw": 1200, "cacheReadRaw": 60000, "cacheWriteRaw": 5000, "reasoningTokensRaw": 300,
			"context": object{"usedTokens": 20000},
		}},
	}
	totals := map[string]any{}
	for name, more := range map[string]object{
		"none": nil, "other": {"package": "@acme/other"}, "cursor": {"package": "cursor-opencode-provider@1.0.0"},
		"readme": {"package": "cursor-opencode-provider", "readme": true},
	} {
		got := c.push(object{"stream": c.openStream(more), "parts": []any{finish}})
		var last struct{ Message struct{ Usage object } }
		require.NoError(t, json.Unmarshal(got.Events[len(got.Events)-1], &last))
		totals[name] = last.Message.Usage
	}
	assert.Equal(t, totals["none"], totals["other"])
	assert.NotEqual(t, totals["none"], totals["cursor"])
	assert.NotEqual(t, totals["readme"], totals["cursor"])
}
