package sidecar

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/jsonrpc"
	"github.com/pintle-wasm/pintle/internal/sidecar/wiretest"
)

const protocolFile = "../../clients/PROTOCOL.md"

// An exampleLine is one message of the protocol's text.
type exampleLine struct {
	direction wiretest.Direction
	message   string
	run       bool
	line      int
}

func protocolExamples(t *testing.T) []exampleLine {
	text, err := os.ReadFile(protocolFile)
	require.NoError(t, err)
	var examples []exampleLine
	run, inside, n := true, false, 0
	for scanner := bufio.NewScanner(bytes.NewReader(text)); scanner.Scan(); {
		n++
		line := scanner.Text()
		switch {
		case line == "<!-- not run -->":
			run = false
		case strings.HasPrefix(line, "```"):
			if inside = !inside; !inside {
				run = true
			}
		case !inside:
		case strings.HasPrefix(line, "  ") && len(examples) > 0:
			examples[len(examples)-1].message += strings.TrimSpace(line)
		case strings.HasPrefix(line, "→"):
			examples = append(examples, exampleLine{wiretest.ToServer, strings.TrimSpace(strings.TrimPrefix(line, "→")), run, n})
		case strings.HasPrefix(line, "←"):
			examples = append(examples, exampleLine{wiretest.ToClient, strings.TrimSpace(strings.TrimPrefix(line, "←")), run, n})
		}
	}
	return examples
}

// unlike are members whose values differ from run to run.
var unlike = regexp.MustCompile(`"(durationNs|timestamp|fuel)":\d+|"(digest|version|engine)":"[^"]*"`)

func alike(message string) string { return unlike.ReplaceAllString(message, `"$1$2":0`) }

// The examples are one conversation, which happens as it is written, and every method has one.
func TestProtocolExamples(t *testing.T) {
	in, toServerEnd := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(t.Context(), in, out, patient(Options{Version: "1.0.0"})) }()
	w := newWire(t)
	read, write := jsonrpc.NewReader(fromServer, jsonrpc.DefaultLimits().Message), jsonrpc.NewWriter(toServerEnd)
	shown := map[string]bool{}
	for _, e := range protocolExamples(t) {
		var m struct{ Method string }
		require.NoError(t, json.Unmarshal([]byte(e.message), &m), "%s:%d", protocolFile, e.line)
		shown[m.Method] = true
		if !e.run {
			w.Frame(e.direction, []byte(e.message))
			continue
		}
		if e.direction == wiretest.ToServer {
			w.Frame(wiretest.ToServer, []byte(e.message))
			require.NoError(t, write.Write([]byte(e.message)))
			require.NoError(t, write.Flush())
			continue
		}
		frame, err := read.Read()
		require.NoError(t, err)
		w.Frame(wiretest.ToClient, frame)
		require.JSONEq(t, alike(e.message), alike(string(frame)), "%s:%d\n%s", protocolFile, e.line, frame)
	}
	assert.NoError(t, receive(t, ended))
	s := schemaOf(t)
	for _, of := range []string{"clientRequest", "clientNotification", "serverRequest", "serverNotification"} {
		for _, name := range s.Methods(of) {
			assert.True(t, shown[name], "%s has no example", name)
		}
	}
}
