package stream_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/stream"
)

// Lines of anything: no panic, one terminal event, and events that fit together.
func FuzzTranslate(f *testing.F) {
	names, err := filepath.Glob("../../testdata/vectors/streams/*.parts.ndjson")
	require.NoError(f, err)
	require.NotEmpty(f, names)
	for i, name := range names {
		data, err := os.ReadFile(name)
		require.NoError(f, err)
		if len(data) < 4000 {
			f.Add(data, uint8(i))
		}
	}
	f.Add([]byte(`{"type":"tool-call","toolCallId":"a","toolName":"read","input":"{\"filePath\":\"/a;/b\"}"}`+"\n"), uint8(7))
	f.Add([]byte(`{"type":"file","mediaType":"image/png","data":{"type":"data","data":"AA"}}`+"\n[]\n"), uint8(5))
	configs := map[uint8]*stream.Config{}
	for i := range uint8(8) {
		host := "pi"
		if i&1 != 0 {
			host = "omp"
		}
		cfg := configFor(f, host, propertyTools...)
		cfg.Reference, cfg.Unchecked = i&2 != 0, i&4 != 0
		configs[i] = cfg
	}
	f.Fuzz(func(t *testing.T, data []byte, mode uint8) {
		r := &ran{}
		for e := range stream.Translate(t.Context(), configs[mode&7], stream.ReadParts(bytes.NewReader(data))) {
			r.take(e)
		}
		checkGrammar(t, r)
	})
}
