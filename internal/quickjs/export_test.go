package quickjs

// Where the engine counts down, for a test that looks there.
const (
	CounterOffset = counterOffset
	MostPolls     = mostPolls
	RuntimeOffset = runtimeOffset
	RunningOffset = runningOffset
)
