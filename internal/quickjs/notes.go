package quickjs

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
)

// Notes are what a program says beside an answer.
type Notes struct {
	Logs []Log
	Lost int // bytes of records beyond maxLogs, as JSON
	// Rejected are what promises were rejected with that nobody handles.
	Rejected []*Exception
	// KV has what was written, by key; nil values were deleted.
	KV map[string]*string
}

// A Log is one record for the host's log.
type Log struct {
	Level uint32 // 0 debug, 1 info, 2 warn, 3 error; any other counts as info
	Text  string
}

// UnmarshalJSON reads [level, text].
func (l *Log) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a record of the log is [level, text]")
	}
	var level float64
	if err := errors.Join(json.Unmarshal(pair[0], &level), json.Unmarshal(pair[1], &l.Text)); err != nil {
		return err
	}
	if l.Level = 1; level == 0 || level == 2 || level == 3 {
		l.Level = uint32(level)
	}
	return nil
}

// Bounds of what a program says beside an answer, and what a byte of it costs to read.
const (
	maxNotes = 2 << 20 // bytes of JSON
	maxLogs  = 4096    // records
	noteCost = 2 * jsonCost
)

// notes asks the program for what it has to say.
func (v *VM) notes() (n Notes, err error) {
	result, err := v.apply(v.state.more)
	if err != nil {
		return Notes{}, err
	}
	err = v.readText("more", result, maxNotes, func(text []byte) error {
		if err := v.machine.Charge(noteCost * len(text)); err != nil {
			return err
		}
		var said struct {
			Logs json.RawMessage    `json:"logs"`
			KV   map[string]*string `json:"kv"`
		}
		err := json.Unmarshal(toUTF8(text), &said)
		if n.KV = said.KV; err == nil {
			err = n.readLogs(said.Logs)
		}
		if err != nil {
			return &Fault{BadAnswer, objectGlobal + ".more answered something else than logs and kv: " + unreadable(err)}
		}
		return nil
	})
	return n, err
}

// readLogs reads a list of records, valid JSON, and passes over those that no log has room for.
func (n *Notes) readLogs(list []byte) error {
	if len(list) == 0 || string(list) == "null" {
		return nil
	}
	if list[0] != '[' {
		return errors.New("logs is no list")
	}
	for i := jsonspan.SkipSpace(list, 1); list[i] != ']'; {
		end, _ := jsonspan.SkipValue(list, i, jsonspan.MaxDepth)
		if len(n.Logs) == maxLogs {
			n.Lost += end - i
		} else {
			var l Log
			if err := json.Unmarshal(list[i:end], &l); err != nil {
				return err
			}
			n.Logs = append(n.Logs, l)
		}
		if i = jsonspan.SkipSpace(list, end); list[i] == ',' {
			i = jsonspan.SkipSpace(list, i+1)
		}
	}
	return nil
}

// lastWords returns what the program logged before it failed, as far as that can be learnt.
func (v *VM) lastWords(failed error) Notes {
	if e := (*Exception)(nil); !errors.As(failed, &e) {
		return Notes{}
	}
	if v.state.more == 0 { // it failed while it started
		_ = v.bind()
		if v.state.more == 0 {
			return Notes{}
		}
	}
	n, err := v.notes()
	if err != nil {
		return Notes{}
	}
	n.KV = nil // nothing of a call that failed is kept
	return n
}

// entries writes the kv as JSON; nil for none.
func entries(kv map[string][]byte) []byte {
	if kv == nil {
		return nil
	}
	dst := []byte{'{'}
	for i, key := range slices.Sorted(maps.Keys(kv)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, toUTF8([]byte(key))), ':')
		dst = appendText(dst, toUTF8(kv[key]))
	}
	return append(dst, '}')
}

// readText reads what one of the program's functions answered, which has to be a string.
func (v *VM) readText(function string, result uint32, limit int, use func(text []byte) error) error {
	ok, err := v.is("qjs_is_string", result)
	if err != nil {
		return err
	}
	if !ok {
		return &Fault{BadAnswer, fmt.Sprintf("%s.%s answered something else than a string", objectGlobal, function)}
	}
	return v.read(result, func(text []byte) error {
		if len(text) > limit {
			return &Fault{TooLarge, fmt.Sprintf("the answer has %d bytes, at most %d are allowed", len(text), limit)}
		}
		return use(text)
	})
}
