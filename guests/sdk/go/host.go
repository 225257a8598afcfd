package pintle

import "errors"

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

// Why KVSet and KVDelete change nothing.
var (
	// ErrDenied says that the host did not grant the capability kv. Go on without it.
	ErrDenied = errors.New("kv is not granted")
	// ErrNoRoom says that key or value are too large, or that there is too much already: keys have up to 256
	// bytes, values 16 KiB, and there are up to 256 entries of 64 KiB together.
	ErrNoRoom = errors.New("there is no room in the kv")
)

// KVGet returns what the guest keeps under a key in this session; ok is false if there is nothing, and
// without the grant. The guest has to ask for the capability kv in pintle.toml.
func KVGet(key string) (value []byte, ok bool) { return kvGet(key) }

// KVSet keeps a value under a key until the session ends, or the host needs the room. It counts when the
// call ends well; one that fails has written nothing. The error is ErrDenied or ErrNoRoom.
func KVSet(key string, value []byte) error { return kvSet(key, value) }

// KVDelete forgets what is under a key, if there is anything. The error is ErrDenied.
func KVDelete(key string) error { return kvDelete(key) }
