package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Parts and chunks are told apart line by line, those too that share their type.
func TestLineKind(t *testing.T) {
	for line, want := range map[string]int{
		`{"type":"text-delta","id":"t","delta":"x"}`:          partLine,
		`{"type":"text-delta","index":0,"text":"x"}`:          chunkLine,
		`{"type":"text-delta","index":0,"id":"x"}`:            chunkLine,
		`{"type":"reasoning-delta","delta":"x"}`:              partLine,
		`{"type":"reasoning-delta","text":"x"}`:               chunkLine,
		`{"type":"finish","finishReason":"stop"}`:             partLine,
		`{"type":"finish","usage":{}}`:                        partLine,
		`{"type":"finish","reason":{"kind":"stop"}}`:          chunkLine,
		`{"type":"finish"}`:                                   anyLine,
		`{"type":"tool-call-delta","index":0}`:                chunkLine,
		`{"type":"usage","usage":{}}`:                         chunkLine,
		`{"type":"tool-call","toolCallId":"c"}`:               partLine,
		` {"type":"stream-start"}` + "\r\n":                   partLine,
		`{"$throw":{"name":"E","message":"m"}}`:               partLine,
		`{"$reject":{}}`:                                      partLine,
		`{"type":"error","error":{}}`:                         partLine,
		`{"type":"x-new"}`:                                    anyLine,
		`{"type":7}`:                                          anyLine,
		`{}`:                                                  anyLine,
		"":                                                    anyLine,
		`[1]`:                                                 anyLine,
		`{"type":"text-delta"`:                                anyLine,
		`{"type":"text-delta","delta":"\ud800","delta":null}`: partLine,
	} {
		assert.Equal(t, want, lineKind([]byte(line)), line)
	}
}

// Every recorded stream is taken for what it is.
func TestStreamsAreParts(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "testdata", "vectors", "streams", "*.parts.ndjson"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		parts, err := isParts(text)
		require.NoError(t, err, path)
		assert.True(t, parts, path)
	}
}
