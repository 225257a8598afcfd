package languages_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/internal/enginetest"
	"github.com/pintle-wasm/pintle/internal/languages"
	"github.com/pintle-wasm/pintle/runtime"
)

// compiled are the languages whose guests read requests themselves.
func compiled() []string {
	return slices.DeleteFunc(languages.All(), func(language string) bool { return language == "typescript" })
}

// The forms of answers.
const (
	nothing = "nothing"
	value   = "a value"
	failed  = "an error of its own"
	refused = "bad-request"
)

// A reader is a guest that requests are played to.
type reader struct {
	language string
	guest    *runtime.Guest
}

// ask returns the form of an answer. Everything else, traps above all, fails the test.
func (r reader) ask(t *testing.T, q hostileRequest) (form string, answer []byte) {
	t.Helper()
	answer, err := r.guest.Call(t.Context(), runtime.Call{Op: q.op, Request: q.bytes, PayloadBytes: len(q.bytes), Check: right(q.op)})
	var failure *abi.Failure
	switch {
	case errors.As(err, &failure) && failure.Code == refused:
		return refused, nil
	case errors.As(err, &failure):
		assert.NotEmpty(t, failure.Message, "%s, %s: %s", r.language, q.op, q.name)
		return failed, nil
	case err != nil:
		assert.NoError(t, err, "%s, %s: %s", r.language, q.op, q.name)
		return "none", nil
	case answer == nil:
		return nothing, nil
	}
	return value, answer
}

// right looks whether the value of an answer has the type of its operation.
func right(op string) func(answer []byte) error {
	switch op {
	case abi.RenderV1, abi.ReadSystemPromptV1:
		return abi.CheckText
	case abi.EditV2:
		return func(answer []byte) error {
			var edits struct {
				Prompt, Messages *struct {
					At    []any
					Edits []struct {
						Op    string
						At    []any
						Value []byte
					}
				}
			}
			return abi.Decode(answer, &edits)
		}
	}
	return func(answer []byte) error {
		_, err := abi.Bytes(answer)
		return err
	}
}

// Whatever a request is like, every guest answers it, and all in the same form; but for edits, all say the same. They
// refuse what the host would refuse, and nothing else.
func TestHostileRequests(t *testing.T) {
	var readers []reader
	for _, language := range compiled() {
		r := runtime.New(enginetest.New(), runtime.Options{Limits: runtime.Limits{Time: time.Minute, Fuel: 250_000_000}})
		t.Cleanup(func() { assert.NoError(t, r.Close(context.Background())) })
		g, err := r.Load(t.Context(), language, read(t, languages.Example, language),
			runtime.GuestOptions{Config: map[string]string{"template": "{prompt}{provider}{sessionId}{tools}{cwd}{skills}"}})
		require.NoError(t, err)
		readers = append(readers, reader{language, g})
	}
	for op := range models() {
		t.Run(op, func(t *testing.T) {
			var model []byte
			for _, q := range corpus(t, op) {
				seen := map[string][]string{}
				var first []byte
				for _, r := range readers {
					form, answer := r.ask(t, q)
					seen[form] = append(seen[form], r.language)
					if first == nil {
						first = answer
					}
					if op != abi.EditV2 { // the order of edits is free
						assert.Equal(t, string(first), string(answer), "%s, %s says something else than %s", q.name, r.language, readers[0].language)
					}
					switch q.name {
					case "model":
						require.Equal(t, value, form, r.language)
						model = answer
					case "widened":
						assert.Equal(t, model, answer, "%s understands another encoding", r.language)
					}
				}
				assert.Len(t, seen, 1, "%s: the forms of the answers: %v", q.name, seen)
				wrong := abi.Check(q.bytes)
				_, says := seen[refused]
				assert.Equal(t, wrong != nil, says, "%s: %v; the host says: %v", q.name, seen, wrong)
			}
		})
	}
}
