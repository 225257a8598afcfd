package pintle

// A Level says how important a log record is.
type Level uint32

// The levels, as the host counts them.
const (
	Debug Level = 0
	Info  Level = 1
	Warn  Level = 2
	Error Level = 3
)

// Log writes a record to the host's log. What a guest may log in one call is bounded; the rest is
// dropped.
func Log(level Level, text string) { log(level, text) }

// Config returns the value that the host holds under a key. The key has to be declared in pintle.toml
// under the capability config; ok is false if it is not, or if the host sets no value.
func Config(key string) (value string, ok bool) { return config(key) }
