package abi_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	messages "github.com/pintle-wasm/pintle/abi/developermessages/v1"
	adapters "github.com/pintle-wasm/pintle/abi/payloadadapters/v1"
	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/runtime"
)

// document returns ABI.md.
func document(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("ABI.md")
	require.NoError(t, err)
	return string(text)
}

// blocks returns the fenced blocks of one language by the name that follows it.
func blocks(t testing.TB, language string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+" ([^\n]*)\n(.*?)^```$").FindAllStringSubmatch(document(t), -1) {
		require.NotContains(t, found, m[1], "a name is used once")
		found[m[1]] = m[2]
	}
	require.NotEmpty(t, found, language)
	return found
}

func hexBlock(t testing.TB, block string) []byte {
	t.Helper()
	block = regexp.MustCompile(`(?m);.*$`).ReplaceAllString(block, "")
	b, err := hex.DecodeString(strings.Join(strings.Fields(block), ""))
	require.NoError(t, err)
	return b
}

// squeeze takes the white space outside quotes away.
func squeeze(diag string) string {
	var out []byte
	quote := byte(0)
	for i := 0; i < len(diag); i++ {
		c := diag[i]
		switch {
		case quote != 0 && c == '\\':
			out = append(out, c, diag[i+1])
			i++
			continue
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote == 0 && (c == ' ' || c == '\n'):
			continue
		}
		out = append(out, c)
	}
	return string(out)
}

// reencode decodes an example with the type that its name calls for and encodes the result again.
func reencode(t *testing.T, name string, b []byte) []byte {
	t.Helper()
	decode := func(v any) []byte {
		require.NoError(t, abi.Decode(b, v))
		again, err := abi.Encode(v)
		require.NoError(t, err)
		return again
	}
	const v1, v2 = "provider-payload-adapters/v1 ", "provider-payload-adapters/v2 "
	switch {
	case strings.HasPrefix(name, "manifest ") || strings.HasPrefix(name, v2) && strings.HasSuffix(name, " manifest"):
		m, err := abi.DecodeManifest(b)
		require.NoError(t, err)
		again, err := abi.EncodeManifest(m)
		require.NoError(t, err)
		return again
	case strings.HasPrefix(name, "developer-messages/v1 render request"):
		return decode(&messages.RenderRequest{})
	case name == v1+"read_system_prompt request":
		return decode(&adapters.ReadSystemPromptRequest{})
	case name == v1+"replace_system_prompt request":
		return decode(&adapters.ReplaceSystemPromptRequest{})
	case name == v1+"replace_developer_messages request":
		return decode(&adapters.ReplaceDeveloperMessagesRequest{})
	case strings.HasPrefix(name, "answer "):
		return reencodeAnswer(t, b)
	case strings.HasPrefix(name, v2) && strings.HasSuffix(name, "edit request"):
		return decode(&adaptersv2.EditRequest{})
	case strings.HasPrefix(name, v2) && strings.HasSuffix(name, " answer"):
		return reencodeEdits(t, b)
	}
	require.Fail(t, "no type for the example "+name)
	return nil
}

func reencodeEdits(t *testing.T, b []byte) []byte {
	t.Helper()
	value, err := abi.DecodeAnswer(b)
	require.NoError(t, err)
	var edits adaptersv2.Answer
	require.NoError(t, abi.Decode(value, &edits))
	again, err := abi.EncodeAnswer(edits, nil)
	require.NoError(t, err)
	return again
}

func reencodeAnswer(t *testing.T, b []byte) []byte {
	t.Helper()
	value, err := abi.DecodeAnswer(b)
	var failure *abi.Failure
	if err != nil {
		require.ErrorAs(t, err, &failure)
	}
	var v any
	if value != nil {
		require.NoError(t, abi.Decode(value, &v))
	}
	again, err := abi.EncodeAnswer(v, failure)
	require.NoError(t, err)
	return again
}

// Every hex block says what the text beside it says, and is what this package would write.
func TestExamples(t *testing.T) {
	diags := blocks(t, "diag")
	mode, err := cbor.DiagOptions{ByteStringText: true}.DiagMode()
	require.NoError(t, err)
	seen := 0
	for name, block := range blocks(t, "hex") {
		if strings.HasPrefix(name, "module ") {
			continue // TestSmallestGuest
		}
		seen++
		t.Run(name, func(t *testing.T) {
			b := hexBlock(t, block)
			require.Contains(t, diags, name)
			want := strings.TrimSpace(diags[name])
			if strings.HasPrefix(name, "memory ") {
				text, err := strconv.Unquote(want)
				require.NoError(t, err)
				assert.Equal(t, text, string(b))
				return
			}
			got, err := mode.Diagnose(b)
			require.NoError(t, err)
			assert.Equal(t, squeeze(want), squeeze(got))
			assert.Equal(t, b, reencode(t, name, b))
		})
	}
	assert.Len(t, diags, seen, "every rendering belongs to an example")
}

// The calls that the document makes of its memory examples have the right lengths.
func TestMemoryExamples(t *testing.T) {
	hexes, text := blocks(t, "hex"), document(t)
	n := func(name string) string { return strconv.Itoa(len(hexBlock(t, hexes[name]))) }
	assert.Contains(t, text, "log(2, 0x40, "+n("memory log text")+")")
	assert.Contains(t, text, "panic(0x40, "+n("memory panic reason")+")")
	assert.Contains(t, text, "config(0x40, "+n("memory config key")+", 0x80, 64)")
	assert.Contains(t, text, "answers "+n("memory config value")+" and leaves")
	assert.Contains(t, text, "kv_set(0x40, "+n("memory kv key")+", 0x80, "+n("memory kv value")+")")
	assert.Contains(t, text, "kv_get(0x40, "+n("memory kv key")+", 0x90, 64)` answers "+n("memory kv value")+" ")
}

// Every operation that there is has examples of its request, and every form of an answer has one.
func TestEveryMessageHasAnExample(t *testing.T) {
	hexes := blocks(t, "hex")
	for _, it := range abi.Interfaces() {
		family := strings.NewReplacer("/", "_", "-", "_").Replace(it.ID) + "_"
		for _, op := range it.Operations {
			assert.Contains(t, hexes, it.ID+" "+strings.TrimPrefix(op.Export, family)+" request")
		}
	}
	for _, form := range []string{"nothing", "text", "bytes", "error"} {
		assert.Contains(t, hexes, "answer "+form)
	}
}

func TestTOMLExample(t *testing.T) {
	tomls := blocks(t, "toml")
	assert.Len(t, tomls, 2)
	for name, text := range tomls {
		m, err := guestbuild.ParseManifest([]byte(text))
		require.NoError(t, err)
		section, err := abi.EncodeManifest(m)
		require.NoError(t, err)
		assert.Equal(t, hexBlock(t, blocks(t, "hex")[name]), section, name)
	}
}

// The module in the document is a guest that keeps the contract, and says what it should.
func TestSmallestGuest(t *testing.T) {
	file := hexBlock(t, blocks(t, "hex")["module smallest guest"])
	assert.True(t, bytes.Contains(file, hexBlock(t, blocks(t, "hex")["manifest smallest"])))
	r := runtime.New(enginetest.New(), runtime.Options{})
	defer func() { assert.NoError(t, r.Close(t.Context())) }()
	g, err := r.Load(t.Context(), "smallest.wasm", file, runtime.GuestOptions{})
	require.NoError(t, err)
	value, err := g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: hexBlock(t, blocks(t, "hex")["developer-messages/v1 render request, smallest"])})
	require.NoError(t, err)
	text, err := abi.Text(value)
	require.NoError(t, err)
	assert.Equal(t, "hi", text)
	_, err = g.Call(t.Context(), runtime.Call{Op: abi.RenderV1, Request: make([]byte, 4097)})
	var e *runtime.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, runtime.KindMemory, e.Kind, "its allocator refuses more than 4,096 bytes")
}
