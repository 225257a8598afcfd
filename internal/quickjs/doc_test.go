package quickjs

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
)

// document returns the fenced blocks of ABI.md of one language, by the name that follows it, and the text.
func document(t *testing.T, language string) (blocks map[string]string, text string) {
	t.Helper()
	file, err := os.ReadFile("../../abi/ABI.md")
	require.NoError(t, err)
	blocks = map[string]string{}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+" ([^\n]*)\n(.*?)^```$").FindAllStringSubmatch(string(file), -1) {
		blocks[m[1]] = strings.TrimSpace(m[2])
	}
	return blocks, string(file)
}

// The requests in section 13 are what becomes of the messages in section 9.
func TestDocumentedRequests(t *testing.T) {
	hexes, _ := document(t, "hex")
	shown, _ := document(t, "json pintle-js/1")
	seen := 0
	for name, want := range shown {
		if !strings.HasSuffix(name, " request") {
			continue
		}
		seen++
		in, err := hex.DecodeString(strings.Join(strings.Fields(hexes[name]), ""))
		require.NoError(t, err)
		got, _, err := appendRequest(nil, in)
		require.NoError(t, err)
		assert.Equal(t, want, string(got), name)
	}
	assert.Equal(t, 2, seen)
}

func TestDocumentedAnswers(t *testing.T) {
	shown, text := document(t, "json pintle-js/1")
	const payload = `{"system":"Be kind.","n":1.0}`
	require.Contains(t, text, "`"+payload+"`")
	answer := func(form string) (value []byte, err error) {
		var answered string
		require.NoError(t, json.Unmarshal([]byte(shown["answer "+form]), &answered))
		require.True(t, strings.HasPrefix(answered, form))
		v := &VM{machine: free{}}
		r := &reply{op: abi.ReplaceSystemPromptV1, payload: []byte(payload), limit: 1000}
		require.NoError(t, v.form(r, answered[0], []byte(answered[1:])))
		return abi.DecodeAnswer(v.answer)
	}
	value, err := answer("0")
	require.NoError(t, err)
	assert.Nil(t, value)
	value, err = answer("1")
	require.NoError(t, err)
	got, err := abi.Text(value)
	require.NoError(t, err)
	assert.Equal(t, "Grüße", got)
	_, err = answer("2")
	assert.Equal(t, &abi.Failure{Code: "no-prompt", Message: "nothing to echo"}, err)
	value, err = answer("3")
	require.NoError(t, err)
	require.NoError(t, abi.Check(value))
	value, err = answer("4")
	require.NoError(t, err)
	body, err := abi.Bytes(value)
	require.NoError(t, err)
	assert.Equal(t, shown["answer 4 payload"], string(body))
}

// free is a machine whose host works for nothing.
type free struct{ Machine }

func (free) Charge(int) error { return nil }

func TestDocumentedHostAndNotes(t *testing.T) {
	shown, text := document(t, "json pintle-js/1")
	got, err := json.Marshal(Host{Config: map[string]string{"tone": "dry!"}, Granted: []string{abi.CapabilityKV}})
	require.NoError(t, err)
	assert.Equal(t, shown["host"], string(got))
	var n Notes
	var said struct{ Logs json.RawMessage }
	require.NoError(t, json.Unmarshal([]byte(shown["more"]), &said))
	require.NoError(t, n.readLogs(said.Logs))
	assert.Equal(t, []Log{{1, "greeting"}, {3, "careful now"}}, n.Logs)
	for _, number := range []string{"8,388,608", "2,097,152", "4,096 records", "292 bytes", "660 bytes", "at 8 bytes", "256 KiB of the engine's stack",
		"10 units a byte", "20 for `more`", "at most 64", "at most\n  4 of them", builds[0].sum} {
		assert.Contains(t, text, number)
	}
	assert.Equal(t, []int{8 << 20, 2 << 20, 4096, 292, 660, 8, 256 << 10, 10, 20, 64, 4},
		[]int{abi.MaxBundleBytes, maxNotes, maxLogs, counterOffset, runningOffset, runtimeOffset, stackBytes, jsonCost, noteCost, maxFrames, maxCauses})
	for _, name := range operations {
		assert.Contains(t, text, "`"+name+"`")
	}
}
