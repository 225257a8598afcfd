package replay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestFailureCode(t *testing.T) {
	for code, texts := range map[string][]string{
		"CONTEXT_WINDOW_EXCEEDED": {
			"prompt is too long: 213462 tokens > 200000 maximum",
			`400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 1 tokens"}}`,
			"Your input exceeds the context window of this model. Please adjust your input and try again.",
			"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
			"This model's maximum prompt length is 131072 but the request contains 537812 tokens",
			"Please reduce the length of the messages or completion.",
			"This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens",
			"400 This model's maximum context length is 128000 tokens.",
			"the request exceeds the available context size, try increasing it",
			"tokens to keep from the initial prompt is greater than the context length",
			"prompt token count of 130000 exceeds the limit of 128000",
			"invalid params, context window exceeds limit",
			"Your request exceeded model token limit: 262144 (requested: 300000)",
			"Prompt contains 40000 tokens and is too large for model with 32768 maximum context length",
			"Input is too long for requested model.",
			"context_length_exceeded", "model_context_window_exceeded", "ContextLengthExceeded", "ContextWindowOverflowError",
			"too many tokens in the prompt", "token limit exceeded",
			"input (5000 tokens) is longer than the model's context length (4096 tokens)",
			"prompt has 5,000 tokens, but the configured context size is 2,048 tokens",
			"request too large for this model", "the prompt overflows the context", "maximum supported context length is 8k",
			"401 prompt is too long", "429 maximum context length is 5 tokens",
		},
		"AUTH": {
			"HTTP 401 bad key", "403 Forbidden", "401", "status=401", `{"code":401,"x":1}`, "[403]", "(401)", "error: 401.",
			"status code 403: billing is off", "401 token expired", "HTTP/1.1 401 Unauthorized", "Unauthorized",
			"authentication_error: invalid x-api-key", "AuthenticationError", "Invalid API key provided", "错误401",
			"401 quota", "401 timed out",
		},
		"QUOTA": {
			"429 insufficient_quota", "You exceeded your current quota, please check your plan and billing details.",
			"429 RESOURCE_EXHAUSTED: Quota exceeded for metric", "Your credit balance is too low", "402 Payment Required",
			"Insufficient Balance", "BILLING_HARD_LIMIT_REACHED", "usage limit reached", "Credits exhausted", "out of budget",
		},
		"RATE_LIMIT": {
			"HTTP 429 slow down", "429 Too Many Requests", "rate_limit_error", "RateLimitError: try later", "You are being rate limited",
			"Rate limit reached for tokens per minute", "too many requests", "ThrottlingException: Too many tokens, please wait",
			"rate limit exceeded for a model with a context window of 200000 tokens", "Error code: 429 - {'error': 1}",
			"429 request exceeds the limit of 5 (prompt tokens)", "429 (no body)", "429: 503",
		},
		"INVALID_REQUEST": {
			"HTTP 413 payload too large", "413 Request Entity Too Large", "request_too_large", "Request body is too large",
			"request exceeds the maximum size", "400 invalid request", "invalid_request_error: unknown field", "HTTP 400",
			"BadRequestError: no", "INVALID_ARGUMENT", "Failed to buffer the request body: length limit exceeded", "400 internal server error", "413: timeout",
		},
		"SERVER": {
			"HTTP 503 upstream", "500 Internal Server Error", "529 overloaded_error", "overloaded_error", "Overloaded", "502",
			"504 Gateway Timeout", "internal server error", "server_error", "Service Unavailable", "status code 599", "HTTP 520: socket hang up",
		},
		"TIMEOUT": {
			"provider timed out", "Request timed out.", "connect ETIMEDOUT 10.0.0.1:443", "timeout of 60000ms exceeded",
			"APIConnectionTimeoutError", "APITimeoutError", "context deadline exceeded", "UND_ERR_HEADERS_TIMEOUT",
			"Request timed out after 500 ms", "read timeout on socket", "network timeout",
		},
		"TRANSPORT": {
			"Stream ended without finish_reason", "terminated", "socket hang up", "fetch failed", "network error",
			"read ECONNRESET", "connect ECONNREFUSED 127.0.0.1:503", "Premature close", "Connection error.", "Error: write EPIPE",
			"getaddrinfo ENOTFOUND api.example.com", "getaddrinfo EAI_AGAIN api", "UND_ERR_SOCKET: other side closed", "NetworkError when attempting",
			"TypeError: terminated", "The stream ended before it was complete", "unexpected end of JSON input", "unexpected EOF",
			"connection closed by peer", "request-id 7c-503-b2: socket closed",
		},
		"PI_AI_ERROR": {
			"", "something odd", "request req_401 failed", "id 7c-401-b2", "id a401b", "401k plan", "1,401 things", "0.401", "401.5",
			"version 4.01", "path /v1/401", "port 127.0.0.1:500", "waited 500 ms", "512 tokens left", "5000", "50", "429x", "401%",
			"limit500", "500th", "issue #500", "costs $400", "max context", "a context window", "unforeseen", "the quorum", "renetwork",
		},
	} {
		for _, text := range texts {
			assert.Equal(t, code, failureCode(text), text)
			assert.Equal(t, code, failureCode("  "+text+" x\n"), text)
		}
	}
}

// Some providers answer a request that is too long with a status alone.
func TestFailureCodeOfABareStatus(t *testing.T) {
	for text, code := range map[string]string{
		"400 (no body)": codeOverflow, "413 status code (no body)": codeOverflow, "400 status code (no body)\n": codeOverflow,
		"400": codeInvalid, "413 (no body) x": codeInvalid, "401 (no body)": codeAuth, "500 status code (no body)": codeServer,
	} {
		assert.Equal(t, code, failureCode(text), text)
	}
}

func TestWords(t *testing.T) {
	for in, want := range map[string]string{
		"": " ", "  ": " ", "A": " a ", "a-b_c.d": " a b c d ", "RateLimitError": " rate limit error ", "APITimeout": " api timeout ",
		"ECONNRESET": " econnreset ", "HTTP/1.1 503": " http 1 1 503 ", "é x": " é x ", "aB": " a b ", "AB": " ab ", "(x)": " x ",
	} {
		assert.Equal(t, want, words(in), in)
	}
}

// A status stays one when harmless text comes around it, and never appears from within an identifier.
func TestStatusesStandAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.StringMatching(`[a-z]{1,5}`)
		a, b := letters.Draw(t, "a"), letters.Draw(t, "b")
		status := rapid.SampledFrom([]string{"400", "401", "403", "413", "429", "500", "599"}).Draw(t, "status")
		assert.NotEqual(t, statusSet{}, statuses(a+" "+status+": "+b))
		assert.NotEqual(t, statusSet{}, statuses(a+"("+status+")"+b))
		for _, glue := range []string{"", "_", "-"} {
			assert.Equal(t, statusSet{}, statuses(a+glue+status+glue+b), glue)
		}
		digit := rapid.StringMatching(`[0-9]{1,4}`).Draw(t, "digits")
		assert.Equal(t, statusSet{}, statuses(a+" "+digit+status+" "+b))
		assert.Equal(t, statusSet{}, statuses(a+" "+status+digit+" "+b))
	})
}

func FuzzFailureCode(f *testing.F) {
	f.Add("HTTP 401 bad key")
	f.Add("RateLimitError: 1,429.5")
	f.Fuzz(func(t *testing.T, text string) {
		code := failureCode(text)
		assert.NotEmpty(t, code)
		assert.Equal(t, strings.Contains(code, "CONTEXT"), overflowText(text))
	})
}
