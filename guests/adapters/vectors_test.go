package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const vectors = "../../testdata/vectors/"

// canonical spells a JSON document by its decoded tokens, key order included and numbers by their exact
// value, so that two documents can be compared by somebody else's parser.
func canonical(t require.TestingT, doc []byte) string {
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var b strings.Builder
	for {
		token, err := dec.Token()
		if err != nil {
			require.Equal(t, "EOF", err.Error(), "%s", doc)
			return b.String()
		}
		if n, ok := token.(json.Number); ok {
			value, valid := new(big.Rat).SetString(n.String())
			require.True(t, valid)
			token = value.RatString()
			b.WriteString("number ")
		}
		fmt.Fprintf(&b, "%#v\n", token)
	}
}

// apply runs an operation and checks that its argument is as before. Unchanged yields the payload.
func apply(t require.TestingT, payload []byte, do func([]byte) []byte) (result []byte, unchanged bool) {
	before := bytes.Clone(payload)
	out := do(payload)
	require.Equal(t, string(before), string(payload), "the argument was changed")
	if out == nil {
		return payload, true
	}
	require.True(t, json.Valid(out), "not JSON: %s", out)
	return out, false
}

type vectorCase struct {
	Name  string
	Mode  string
	Input struct {
		API           string
		DeveloperRole *bool
		Payload       json.RawMessage
		SystemPrompt  *string
		Messages      *[]Message
	}
	Expect struct {
		Read              *string
		ReplacedSystem    json.RawMessage
		ReplacedDeveloper json.RawMessage
		Both              json.RawMessage
		SameObject        *bool
	}
}

func loadVectors(t *testing.T, file string) []vectorCase {
	data, err := os.ReadFile(vectors + "developer-messages/" + file)
	require.NoError(t, err)
	var cases []vectorCase
	require.NoError(t, json.Unmarshal(data, &cases))
	require.NotEmpty(t, cases)
	return cases
}

func TestSoundVectors(t *testing.T) {
	for _, c := range loadVectors(t, "sound-adapters.json") {
		t.Run(c.Name, func(t *testing.T) { checkVector(t, c, "", true) })
	}
}

func TestReferenceVectors(t *testing.T) {
	for _, file := range []string{"codex-adapter.json", "openai-adapters-v039.json"} {
		for _, c := range loadVectors(t, file) {
			if c.Input.API == "" {
				c.Input.API = "openai-codex-responses"
			}
			t.Run("reference/"+c.Name, func(t *testing.T) { checkVector(t, c, "reference", false) })
			if c.Mode == "" {
				t.Run("sound/"+c.Name, func(t *testing.T) { checkVector(t, c, "", true) })
			} else {
				require.Equal(t, "reference", c.Mode)
			}
		}
	}
}

func checkVector(t *testing.T, c vectorCase, compat string, sound bool) {
	role := ""
	if r := c.Input.DeveloperRole; r != nil {
		role = map[bool]string{true: "yes", false: "no"}[*r]
	}
	p := placeFor(c.Input.API, compat, role)
	require.NotNil(t, p)
	payload := []byte(c.Input.Payload)

	text, ok := p.read(payload)
	if c.Expect.Read == nil {
		assert.False(t, ok, "read %q", text)
	} else {
		assert.True(t, ok)
		assert.Equal(t, *c.Expect.Read, text)
	}

	expect := func(what string, in, want []byte, do func([]byte) []byte) []byte {
		got, unchanged := apply(t, in, do)
		if want == nil {
			return got
		}
		assert.Equal(t, canonical(t, want), canonical(t, got), what)
		if sound {
			assert.Equal(t, canonical(t, want) == canonical(t, in), unchanged, "%s: reported as unchanged", what)
			_, unchanged = apply(t, got, do)
			assert.True(t, unchanged, "%s: doing it twice", what)
		}
		return got
	}
	system := func(b []byte) []byte { return p.replaceSystem(b, *c.Input.SystemPrompt) }
	developer := func(b []byte) []byte { return p.replaceDeveloper(b, *c.Input.Messages) }

	replaced := payload
	if c.Input.SystemPrompt != nil && c.Expect.ReplacedSystem != nil {
		replaced = expect("replacedSystem", payload, c.Expect.ReplacedSystem, system)
	}
	if c.Input.Messages != nil && c.Expect.ReplacedDeveloper != nil {
		placed := expect("replacedDeveloper", payload, c.Expect.ReplacedDeveloper, developer)
		if !sound {
			again, _ := apply(t, placed, developer)
			assert.Equal(t, canonical(t, placed), canonical(t, again), "placing twice")
			_, unchanged := apply(t, payload, developer)
			if same := c.Expect.SameObject; same != nil {
				assert.Equal(t, *same, unchanged)
			}
		}
	}
	if c.Expect.Both != nil {
		expect("both", replaced, c.Expect.Both, developer)
	}
}

type recorded struct {
	API          string
	SystemPrompt *string
	Payload      json.RawMessage
}

// Every payload that a real Pi produced: the prompt is where the index says, and no replacement touches
// anything but prompt and developer messages.
func TestRecordedPayloads(t *testing.T) {
	data, err := os.ReadFile(vectors + "payloads/system-prompt-location.json")
	require.NoError(t, err)
	var index []struct {
		Input  struct{ File string }
		Expect struct {
			Pointers     []string
			Instructions *string
		}
	}
	require.NoError(t, json.Unmarshal(data, &index))
	files, err := filepath.Glob(vectors + "payloads/pi-*/*.json")
	require.NoError(t, err)
	require.Len(t, index, len(files))
	messages := []Message{{"tide/mode", "Prefer <short> answers."}, {"environment", "é\n\u2028\x01"}}
	for _, c := range index {
		for _, role := range []string{"", "yes", "no"} {
			t.Run(c.Input.File+"/"+role, func(t *testing.T) {
				data, err := os.ReadFile(vectors + "payloads/" + c.Input.File)
				require.NoError(t, err)
				var file recorded
				require.NoError(t, json.Unmarshal(data, &file))
				p := placeFor(file.API, "", role)
				require.NotNil(t, p)
				text, ok := p.read(file.Payload)
				switch {
				case len(c.Expect.Pointers) > 0:
					require.True(t, ok)
					assert.Equal(t, *file.SystemPrompt, text)
				case c.Expect.Instructions != nil:
					assert.Equal(t, *c.Expect.Instructions, text)
				default:
					assert.False(t, ok)
				}

				placed, unchanged := apply(t, file.Payload, func(b []byte) []byte { return p.replaceDeveloper(b, messages) })
				assert.False(t, unchanged)
				for _, m := range messages {
					assert.Contains(t, string(placed), strings.Trim(string(quote(segment(m))), `"`))
				}
				back, unchanged := apply(t, placed, func(b []byte) []byte { return p.replaceDeveloper(b, nil) })
				assert.False(t, unchanged)
				assert.Equal(t, canonical(t, file.Payload), canonical(t, back), "taking them out again")

				replaced, unchanged := apply(t, placed, func(b []byte) []byte { return p.replaceSystem(b, "New.") })
				assert.False(t, unchanged)
				got, ok := p.read(replaced)
				assert.True(t, ok)
				assert.Equal(t, "New.", got)
				if len(c.Expect.Pointers) > 0 {
					back, _ = apply(t, replaced, func(b []byte) []byte { return p.replaceSystem(b, text) })
					assert.Equal(t, canonical(t, placed), canonical(t, back), "the old prompt again")
				}
				assert.True(t, slices.Equal(history(t, file.Payload, "user"), history(t, replaced, "user")))
				assert.True(t, slices.Equal(history(t, file.Payload, "assistant"), history(t, replaced, "assistant")))
			})
		}
	}
}

// history lists the raw items with a role, wherever the payload keeps its history. A string stands for
// one user item.
func history(t require.TestingT, payload []byte, role string) (items []string) {
	var p map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(payload, &p))
	for _, key := range []string{"input", "messages", "contents"} {
		if key == "input" && role == "user" && len(p[key]) > 0 && p[key][0] == '"' {
			return []string{`{"role":"user","content":` + string(p[key]) + `}`}
		}
		var list []json.RawMessage
		if json.Unmarshal(p[key], &list) != nil {
			continue
		}
		for _, raw := range list {
			var item struct{ Role any }
			if json.Unmarshal(raw, &item) == nil && item.Role == role {
				items = append(items, string(raw))
			}
		}
	}
	return items
}
