package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/payloadview"
	"github.com/pintle-wasm/pintle/internal/wasmtest"
	"github.com/pintle-wasm/pintle/runtime"
)

func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.wasm"), wasmtest.Says("x"), 0o600))
	file := filepath.Join(dir, "turn.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"guests": ["a.wasm"]}`), 0o600))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"turn", file}, {"turn", "--json", file}, {"compose", file},
		{"conformance", filepath.Join("..", "..", "testdata", "vectors", "developer-messages", "id-order.json")},
	} {
		var stdout, stderr bytes.Buffer
		code := run(ctx, append(args, "--cache-dir", "off"), strings.NewReader(""), &stdout, &stderr)
		assert.Equal(t, exitFailed, code, args)
		assert.Equal(t, "pintle: error: interrupted\n", stderr.String(), args)
		assert.NotContains(t, stdout.String(), "developer messages", args)
	}
}

// Each kind of trouble with a guest has its own advice, and none that does not help.
func TestHints(t *testing.T) {
	for kind, want := range map[runtime.Kind]string{
		runtime.KindContract:  "abi/ABI.md the contract",
		runtime.KindBadAnswer: "abi/ABI.md the contract",
		runtime.KindMemory:    "raise [limits] memory in pintle.toml, up to the host's own limit",
		runtime.KindFuel:      "find the loop, or raise [limits] fuel in pintle.toml, up to the host's own limit",
		runtime.KindTimeout:   "find what takes so long",
		runtime.KindRefused:   "nothing of the file was run",
	} {
		assert.Contains(t, hintFor(fmt.Errorf("load: %w", &runtime.Error{Kind: kind})), want, kind)
	}
	for _, err := range []error{
		&runtime.Error{Kind: runtime.KindTrap}, &runtime.Error{Kind: runtime.KindFailed},
		&runtime.Error{Kind: runtime.KindRefused, Reason: "not a Pintle guest: build it with `pintle build`"}, errQuiet,
		&runtime.Error{Kind: runtime.KindRefused, Func: "provider_payload_adapters_v1_read_system_prompt", Reason: "a payload of 20 MiB"},
		&runtime.Error{Kind: runtime.KindBadAnswer, Err: &payloadview.EditError{Err: errors.New("there are more than 4096")}},
	} {
		assert.Empty(t, hintFor(err))
	}
}

func TestHintsOfContracts(t *testing.T) {
	for language, want := range map[string]string{"go": "guests/sdk/go/message", "rust": "pintle::guest!", "c": "PINTLE_CONTRIBUTIONS",
		"assemblyscript": "pintle/exports/message", "": "abi/ABI.md lists exports and imports"} {
		problems := []runtime.Problem{{Subject: "import pintle/1.config", Hint: "ask for it"}}
		assert.Empty(t, hintFor(&guestbuild.ContractError{Name: "g.wasm", Language: language, Problems: problems}))
		problems = append(problems, runtime.Problem{Subject: "export developer_messages_v1_render"})
		assert.Contains(t, hintFor(&guestbuild.ContractError{Name: "g.wasm", Language: language, Problems: problems}), want)
	}
	header, err := os.ReadFile(filepath.Join("..", "..", "guests", "sdk", "c", "pintle", "pintle.h"))
	require.NoError(t, err)
	for _, macro := range regexp.MustCompile(`PINTLE_\w+`).FindAllString(contractHint("c"), -1) {
		assert.Contains(t, string(header), "#define "+macro+"(")
	}
}

// Whatever a turn file holds, the command ends with a status and says why.
func FuzzTurnFile(f *testing.F) {
	f.Add([]byte(`{"guests": [{"file": "x.wasm", "config": {"a": 1}}], "adapters": {"compat": null}, "activeTools": ["a"]}`))
	f.Add([]byte(`{"systemPromptOptions": {"contextFiles": [{"path": "a", "content": "b"}]}, "prompt": "\ud800"}`))
	f.Add([]byte(" \n[null"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var keys map[string]json.RawMessage
		_ = json.Unmarshal(text, &keys)
		delete(keys, "guests") // paths of this machine are none of a fuzzer's business
		delete(keys, "payload")
		if keys != nil {
			text, _ = json.Marshal(keys)
		}
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), []string{"turn", "-", "--json", "--cache-dir", "off"}, bytes.NewReader(text), &stdout, &stderr)
		switch code {
		case exitOK:
			require.True(t, json.Valid(stdout.Bytes()))
			require.Empty(t, stderr.String())
		case exitUsage:
			require.Empty(t, stdout.String())
			require.True(t, strings.HasPrefix(stderr.String(), "pintle: error: standard input"), stderr.String())
		default:
			t.Fatalf("status %d: %s", code, stderr.String())
		}
	})
}
