package main

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

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

func TestIsEvent(t *testing.T) {
	for line, want := range map[string]bool{
		`{"type":"start"}`: true, ` {"type":"text_delta","contentIndex":0,"delta":"x"}` + "\n": true, `{"type":"done"}`: true,
		`{"type":"toolcall_end"}`: true, `{"type":"error","error":1}`: false, `{"type":"text-delta"}`: false,
		`{"type":"block-start"}`: false, `{}`: false, "start": false, "": false,
	} {
		assert.Equal(t, want, isEvent([]byte(line)), line)
	}
}

func TestForeign(t *testing.T) {
	for beginning, want := range map[string]string{
		"\x1f\x8b\x08": "gzip -dc", "\x28\xb5\x2f\xfd\x00": "zstd -dc",
		"data:{}": "server-sent events", "event: part\n": "server-sent events", ": ping": "server-sent events",
		" \r\n[1]": "jq -c", `{"type":"x"}`: "", "x": "", "": "", "\x1f": "", "id": "",
		"\ufeff{}": "tail -c +4", "\ufeff": "byte order mark",
	} {
		got := foreign([]byte(beginning), "| into")
		assert.Contains(t, got, want)
		assert.Equal(t, want != "", strings.Contains(got, " FILE | into`"), beginning)
	}
}

func TestFirstLine(t *testing.T) {
	long := strings.Repeat("x", maxFirst)
	for input, want := range map[string]firstLine{
		"":              {},
		"a":             {text: []byte("a")},
		"a\nb\nc":       {text: []byte("a"), done: true},
		"\n \r\n ab\nc": {text: []byte(" ab"), number: 2, done: true},
		"\n\n":          {text: []byte{}, number: 2},
		long + "y\nz":   {text: []byte(long), done: true},
		long[1:] + "\n": {text: []byte(long[1:]), done: true},
	} {
		for _, in := range []io.Reader{strings.NewReader(input), iotest.OneByteReader(strings.NewReader(input))} {
			f := &firstLine{from: in}
			got, err := io.ReadAll(f)
			require.NoError(t, err)
			assert.Equal(t, input, string(got), "the input passes")
			f.from = nil
			assert.Equal(t, string(want.text), string(f.text))
			assert.Equal(t, [2]any{want.number, want.done}, [2]any{f.number, f.done}, "%.10q", input)
		}
	}
}
