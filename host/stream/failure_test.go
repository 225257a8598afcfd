package stream_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/stream"
)

// What an error part says beside its text is in the failure, for whoever decides about another attempt.
func TestFactsOfFailures(t *testing.T) {
	for _, c := range []struct {
		lines []string
		want  message.Failure
	}{
		{[]string{`{"type":"error","error":{"message":"No.","statusCode":429,"responseHeaders":{"Retry-After":"3","x-request-id":"r1"}}}`},
			message.Failure{Message: "No.", Code: "RATE_LIMIT", Status: 429, RetryAfterMS: 3000, RequestID: "r1"}},
		{[]string{`{"type":"error","error":{"message":"No.","statusCode":529,"responseHeaders":{"retry-after-ms":"250","retry-after":"9"}}}`},
			message.Failure{Message: "No.", Code: "SERVER", Status: 529, RetryAfterMS: 250}},
		{[]string{`{"type":"error","error":{"message":"No.","statusCode":429,"responseHeaders":{"retry-after":"9","retry-after-ms":"250"}}}`},
			message.Failure{Message: "No.", Code: "RATE_LIMIT", Status: 429, RetryAfterMS: 250}},
		{[]string{`{"type":"error","error":{"message":"Your credit balance is low.","statusCode":400,"responseHeaders":["retry-after"]}}`},
			message.Failure{Message: "Your credit balance is low.", Code: "QUOTA", Status: 400}},
		{[]string{`{"type":"error","error":{"message":"No.","statusCode":"429","responseHeaders":{"retry-after":"Wed, 21 Oct 2026 07:28:00 GMT"}}}`},
			message.Failure{Message: "No.", Code: "PI_AI_ERROR"}},
		{[]string{`{"type":"error","error":{"message":"No.","statusCode":4290,"responseHeaders":{"retry-after":"-1"}}}`},
			message.Failure{Message: "No.", Code: "PI_AI_ERROR"}},
		{[]string{`{"type":"error","error":{"message":"No.","statusCode":42,"responseHeaders":{"retry-after":"86401"}}}`},
			message.Failure{Message: "No.", Code: "PI_AI_ERROR"}},
		{[]string{`{"type":"error","error":{"message":"No.","statusCode":401,"responseHeaders":{"retry-after":"86400"}}}`},
			message.Failure{Message: "No.", Code: "AUTH", Status: 401, RetryAfterMS: 86_400_000}},
		{[]string{`{"type":"error","error":"No."}`}, message.Failure{Message: "No.", Code: "PI_AI_ERROR"}},
		{[]string{`{"type":"text-delta","id":"1","delta":"x"}`},
			message.Failure{Message: "The answer has ended without a finish: it may be incomplete.", Code: "TRANSPORT"}},
		{[]string{`{"type":"finish","finishReason":{"unified":"interrupted"},"usage":{}}`},
			message.Failure{Message: "The provider has interrupted the answer.", Code: "TRANSPORT"}},
	} {
		_, _, chunks := chunked(t, &stream.Chunker{}, configFor(t, "pi"), parse(t, c.lines...))
		got := chunks[len(chunks)-1].Reason.Failure
		require.NotNil(t, got)
		assert.Equal(t, c.want, *got)
	}
	_, _, chunks := chunked(t, &stream.Chunker{}, configFor(t, "pi"), parse(t, `{"type":"tool-call","toolCallId":"1","toolName":"rm","input":"{}"}`))
	assert.Equal(t, "UNADVERTISED_TOOL", chunks[len(chunks)-1].Reason.Failure.Code)
}

func TestChunksCountReasoning(t *testing.T) {
	_, _, chunks := chunked(t, &stream.Chunker{}, configFor(t, "pi"), parse(t, `{"type":"text-delta","id":"1","delta":"x"}`,
		`{"type":"finish","finishReason":"stop","usage":{"inputTokens":3,"outputTokens":9,"reasoningTokens":4}}`))
	assert.Equal(t, &message.Usage{Input: 3, Output: 9, Reasoning: 4}, chunks[len(chunks)-2].Usage)
}

func TestFactsOfExceptions(t *testing.T) {
	parts := stream.ReadParts(strings.NewReader(
		`{"$reject":{"name":"AI_APICallError","message":"No.","statusCode":503,"responseHeaders":{"retry-after":"2"}}}`))
	var last message.Chunk
	for c, err := range new(stream.Chunker).Chunks(stream.Translate(t.Context(), configFor(t, "omp"), parts)) {
		require.NoError(t, err)
		last = c
	}
	assert.Equal(t, &message.Failure{Message: "No.", Code: "SERVER", Status: 503, RetryAfterMS: 2000}, last.Reason.Failure)
}
