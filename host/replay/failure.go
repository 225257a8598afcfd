package replay

import "strings"

// The codes of failures. They are read from the text that the provider or the transport gives, in the
// order of [failureCode].
const (
	codeOverflow  = "CONTEXT_WINDOW_EXCEEDED"
	codeEmpty     = "EMPTY_RESPONSE"
	codeAborted   = "ABORTED"
	codeAuth      = "AUTH"
	codeQuota     = "QUOTA"
	codeRateLimit = "RATE_LIMIT"
	codeInvalid   = "INVALID_REQUEST"
	codeServer    = "SERVER"
	codeTimeout   = "TIMEOUT"
	codeTransport = "TRANSPORT"
	codeOther     = "PI_AI_ERROR"
)

// The wordings of each class. A wording begins at the beginning of a word and may end within one, so
// that " exceed" is "exceeds" too; words are as in [words].
var (
	authWords = []string{
		" unauthorized", " authentication error", " invalid api key", " incorrect api key",
		" invalid x api key",
	}
	quotaWords = []string{
		" quota", " billing", " payment required", " credit balance", " insufficient balance",
		" insufficient credit", " insufficient fund", " out of credit", " out of budget",
		" usage limit", " credit exhausted", " credits exhausted", " balance exhausted",
	}
	limitWords = []string{
		" rate limit", " ratelimit", " too many requests", " throttl", " requests per minute",
		" tokens per minute",
	}
	sizeWords = []string{
		" payload too large", " payload is too large", " body too large", " body is too large",
		" request too large", " request is too large", " entity too large", " content too large",
		" request size exceed", " request body exceed", " request exceeds the maximum size",
		" maximum request size", " buffer the request body",
	}
	invalidWords = []string{" invalid request", " bad request", " invalid argument"}
	serverWords  = []string{
		" internal server error", " server error", " bad gateway", " service unavailable",
		" overloaded",
	}
	timeoutWords = []string{
		" timeout", " timed out", " timedout", " time out", " etimedout", " esockettimedout", " deadline exceeded",
	}
	// A stream that ends too early, and a network that fails.
	transportWords = []string{
		" stream ended", " stream closed", " stream was closed", " stream interrupted",
		" stream disconnected", " ended without", " ended before", " ended early",
		" ended prematurely", " premature", " closed early", " closed before", " closed unexpectedly",
		" unexpected end", " unexpected eof", " incomplete chunk", " incomplete read", " terminated",
		" socket", " network", " fetch failed", " failed to fetch", " connection error",
		" connection reset", " connection refused", " connection closed", " connection lost",
		" connection aborted", " connection failed", " connection was", " lost connection",
		" closed connection", " connect error", " request did not get a response",
		" cannot connect", " could not connect", " other side closed", " broken pipe", " hang up",
		" hung up", " getaddrinfo", " econn", " epipe", " enotfound", " eai again", " ehostunreach",
		" ehostdown", " enetunreach", " enetdown", " enetreset",
	}
)

// failureCode reads the class of a failure from its text, by the replay-state protocol, section "Stop
// reasons": the first class that the text speaks of counts.
//
// A status counts only where it can be one (see [statuses]). Words that stand for a status where a
// provider gives none ("unauthorized", "overloaded") are taken for it. Quota goes before rate limits,
// since providers answer 429 for both.
func failureCode(text string) string {
	says, status := words(text), statuses(text)
	switch {
	case overflow(says, status):
		return codeOverflow
	case status.auth || contains(says, authWords):
		return codeAuth
	case contains(says, quotaWords):
		return codeQuota
	case limited(says, status):
		return codeRateLimit
	case status.tooLarge || contains(says, sizeWords):
		return codeInvalid
	case status.invalid || contains(says, invalidWords):
		return codeInvalid
	case status.server || contains(says, serverWords):
		return codeServer
	case contains(says, timeoutWords):
		return codeTimeout
	case contains(says, transportWords):
		return codeTransport
	}
	return codeOther
}

func limited(says string, status statusSet) bool { return status.limited || contains(says, limitWords) }

func contains(says string, wordings []string) bool {
	for _, w := range wordings {
		if strings.Contains(says, w) {
			return true
		}
	}
	return false
}

// words gives a text's words in lower case, with one space before and behind each. A word is a run of
// letters and digits, and bytes beyond ASCII are letters; names such as RateLimitError and APITimeout
// are several words.
func words(text string) string {
	var b strings.Builder
	b.Grow(len(text) + len(text)/4 + 2)
	b.WriteByte(' ')
	space := true
	for i := range len(text) {
		c := text[i]
		if !isWord(c) {
			if !space {
				b.WriteByte(' ')
				space = true
			}
			continue
		}
		if isUpper(c) {
			before := i > 0 && isLower(text[i-1])
			behind := i > 0 && isUpper(text[i-1]) && i+1 < len(text) && isLower(text[i+1])
			if !space && (before || behind) {
				b.WriteByte(' ')
			}
			c |= 0x20
		}
		b.WriteByte(c)
		space = false
	}
	if !space {
		b.WriteByte(' ')
	}
	return b.String()
}

func isWord(c byte) bool { return isUpper(c) || isLower(c) || isDigit(c) || c >= 0x80 }

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }
func isLower(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
