package replay

import "strings"

// overflowWords are wordings that speak of nothing but a request which does not fit the model.
var overflowWords = []string{
	" prompt is too long", " prompt too long", " input is too long", " input too long",
	" context length exceed", " context window exceed", " context limit exceed",
	" context size exceed", " context overflow", " context window overflow",
	" context length overflow", " exceeds the context", " exceeded the context",
	" exceed the context", " exceeding the context", " exceeds context", " exceeded context",
	" exceeds the available context", " exceeds the model context", " exceed the model context",
	" overflows the context", " overflow the context", " too large for context", " too large for the context",
	" too large for this model", " maximum allowed context", " maximum supported context",
	" exceeds the maximum context", " exceeds the model s context",
	" exceeds the model s maximum context", " maximum context length", " max context length",
	" maximum context window", " maximum context size", " greater than the context",
	" longer than the context", " longer than the model s context", " larger than the context",
	" configured context size", " maximum prompt length", " maximum allowed input length",
	" maximum number of tokens allowed", " range of input length should be",
	" prompt exceeds max length", " exceeded model token limit", " exceeds the model token limit",
	" reduce the length of the messages", " reduce the length of your messages",
	" reduce the length of the prompt", " reduce the length of your prompt",
	" reduce the length of the input",
}

// Wordings that may be about a rate as well: they count where nothing else speaks of rates.
var (
	tokenWords = []string{
		" too many tokens", " too many input tokens", " token limit exceeded",
		" tokens limit exceeded",
	}
	sizeOfPrompt = []string{
		" context length", " context window", " context size", " context limit", " token count",
		" prompt length", " input length", " input tokens", " prompt tokens",
	}
	excess = []string{
		" exceed", " too long", " too large", " too many", " greater than", " longer than",
		" larger than", " beyond",
	}
)

// overflowText tells whether an error text says that the request does not fit the model.
func overflowText(text string) bool { return overflow(words(text), statuses(text)) }

func overflow(says string, status statusSet) bool {
	switch {
	case contains(says, overflowWords):
		return true
	case limited(says, status):
		return false
	case contains(says, tokenWords), contains(says, sizeOfPrompt) && contains(says, excess):
		return true
	}
	// Some providers answer a request that is too long with a bare status.
	bare := strings.TrimSpace(says)
	for _, status := range []string{"400", "413"} {
		if bare == status+" no body" || bare == status+" status code no body" {
			return true
		}
	}
	return false
}
