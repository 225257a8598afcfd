package stream

// Usage is what an answer has cost, as a host counts it.
type Usage struct {
	// Input, Output, CacheRead and CacheWrite are numbers of tokens. Input does not count what was read from
	// or written to a cache.
	Input, Output, CacheRead, CacheWrite int64
	TotalTokens                          int64
	Cost                                 Costs
	// Reasoning is how many of the output's tokens were reasoning, nil if that is not known.
	Reasoning *int64
	// ContextTokens is how many tokens fill the context, nil if the provider does not say.
	ContextTokens *int64
	// Orchestration is what the provider has used beside the conversation itself.
	Orchestration Orchestration
}

// Costs are amounts of money in the unit of the model's rates.
type Costs struct{ Input, Output, CacheRead, CacheWrite, Total float64 }

// Orchestration are numbers of tokens.
type Orchestration struct{ Input, Output, CacheRead int64 }
