package conformance

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	adaptersv2 "github.com/pintle-wasm/pintle/abi/payloadadapters/v2"
	"github.com/pintle-wasm/pintle/registry"
)

// A case of an adapter fails if version 2 does not do what version 1 does.
func TestCasesOfAdaptersAskBothVersions(t *testing.T) {
	dir := vectorDir(t, map[string]string{"developer-messages/sound-adapters.json": `[{"name":"toy",
		"input":{"api":"toy","payload":{"p":"A","n":0},"systemPrompt":"B","messages":[{"id":"i","content":"c"}]},
		"expect":{"read":"A","replacedSystem":{"p":"B","n":0},"replacedDeveloper":{"p":"A","n":1},"both":{"p":"B","n":1}}}]`})
	set := func(key, value string) []adaptersv2.Edit {
		return []adaptersv2.Edit{{Op: adaptersv2.OpSet, At: adaptersv2.Address{adaptersv2.Member(key)}, Value: adaptersv2.JSON(value)}}
	}
	// whole is an adapter of version 1 that replaces the text of p and the number n.
	whole := registry.Adapter{
		ReadSystemPrompt: func(_ context.Context, req *registry.PayloadRequest) (string, bool, error) {
			return string(req.Payload[6]), true, nil
		},
		ReplaceSystemPrompt: func(_ context.Context, req *registry.PayloadRequest, text string) ([]byte, error) {
			return bytes.Replace(req.Payload, []byte(`"A"`), []byte(`"`+text+`"`), 1), nil
		},
		ReplaceDeveloperMessages: func(_ context.Context, req *registry.PayloadRequest, m []registry.Message) ([]byte, error) {
			if bytes.Contains(req.Payload, fmt.Append(nil, `"n":`, len(m))) {
				return nil, nil
			}
			return bytes.Replace(req.Payload, []byte(`"n":0`), fmt.Append(nil, `"n":`, len(m)), 1), nil
		},
	}
	for name, c := range map[string]struct {
		answer *adaptersv2.Answer
		say    string
	}{
		"right": {&adaptersv2.Answer{Prompt: &adaptersv2.PromptEdits{At: adaptersv2.Address{adaptersv2.Member("p")}, Edits: set("p", `"B"`)},
			Messages: &adaptersv2.MessageEdits{Edits: set("n", "1")}}, ""},
		"no prompt":   {&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: set("n", "1")}}, "version 2, with the prompt of the payload: the payload is"},
		"no messages": {&adaptersv2.Answer{Prompt: &adaptersv2.PromptEdits{At: adaptersv2.Address{adaptersv2.Member("p")}, Edits: set("p", `"B"`)}}, "version 2, with the prompt of the payload: the payload is"},
		"in any case": {&adaptersv2.Answer{Prompt: &adaptersv2.PromptEdits{At: adaptersv2.Address{adaptersv2.Member("p")}},
			Messages: &adaptersv2.MessageEdits{Edits: append(set("n", "1"), set("p", `"B"`)...)}}, "version 2, with another prompt than that of the payload: the payload is"},
		"conflict": {&adaptersv2.Answer{Messages: &adaptersv2.MessageEdits{Edits: append(set("n", "1"), set("n", "1")...)}}, "another edit sets or removes"},
	} {
		a := whole
		a.Edit = func(_ context.Context, req *registry.PayloadRequest, _ string, _ []registry.Message) (*registry.Edits, error) {
			return registry.PlanEdits(req.Payload, c.answer)
		}
		sum, err := Run(t.Context(), []string{dir}, func(string, string, string) (registry.Adapter, error) { return a, nil }, nil)
		require.NoError(t, err)
		require.Len(t, sum.Files, 1)
		if c.say == "" {
			assert.Equal(t, 1, sum.Passed, "%+v", sum.Files[0].Failures)
			continue
		}
		require.Equal(t, 1, sum.Failed, name)
		assert.Contains(t, sum.Files[0].Failures[0].Error, c.say, name)
	}
}

// The reference counts a prompt as replaced even where the new text is the old one.
func TestReferenceAnswersWithTheSamePrompt(t *testing.T) {
	const shape = `[{"name":"toy",%s"input":{"api":"toy","payload":{"p":"A"},"systemPrompt":"A"},` +
		`"expect":{"read":"A","replacedSystem":{"p":"A"}}}]`
	adapter := registry.Adapter{
		ReadSystemPrompt: func(context.Context, *registry.PayloadRequest) (string, bool, error) { return "A", true, nil },
		ReplaceSystemPrompt: func(context.Context, *registry.PayloadRequest, string) ([]byte, error) {
			return []byte(`{"p":"A"}`), nil
		},
		ReplaceDeveloperMessages: func(context.Context, *registry.PayloadRequest, []registry.Message) ([]byte, error) {
			return nil, nil
		},
		Edit: func(context.Context, *registry.PayloadRequest, string, []registry.Message) (*registry.Edits, error) {
			return nil, registry.ErrUseV1
		},
	}
	run := func(mode string) Summary {
		dir := vectorDir(t, map[string]string{"developer-messages/openai-adapters-v039.json": fmt.Sprintf(shape, mode)})
		sum, err := Run(t.Context(), []string{dir}, func(string, string, string) (registry.Adapter, error) { return adapter, nil }, nil)
		require.NoError(t, err)
		return sum
	}
	sum := run(`"mode":"reference",`)
	assert.Equal(t, 1, sum.Passed, "%+v", sum.Files[0].Failures)
	sum = run("")
	require.Equal(t, 1, sum.Failed, "an adapter that is no reference reports an equal payload as unchanged")
	assert.Contains(t, sum.Files[0].Failures[0].Error, "that something changed is told as true")
}
