package languages

import (
	"context"
	"errors"
	"strings"

	"github.com/pintle-wasm/pintle/internal/guesttest"
	"github.com/pintle-wasm/pintle/runtime"
)

// Answers observes what a guest answers to cases. The error says which cases failed.
func Answers(ctx context.Context, r *runtime.Runtime, file []byte, suite *guesttest.Suite) (seen []Observation, err error) {
	stays, err := pin(ctx, r, file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, stays.Close(ctx)) }()
	title := stays.Artifact().Title() // the only words of an error that differ from language to language
	runner := guesttest.Runner{Load: func(ctx context.Context, config map[string]string) (*runtime.Guest, error) {
		return r.Load(ctx, Example, file, runtime.GuestOptions{Config: config})
	}}
	defer func() { err = errors.Join(err, runner.Close(ctx)) }()
	var failed []error
	for _, c := range suite.Cases {
		result := runner.Run(ctx, c)
		if !result.Passed {
			failed = append(failed, errors.New("case "+c.Name+": "+result.Fault+"\n"+strings.Join(result.Diff, "\n")))
		}
		a := result.Answer
		said := string(a.Kind) + " " + a.Text
		switch a.Kind {
		case guesttest.Payload:
			said += guesttest.Compact(a.Payload)
		case guesttest.Failure:
			said += strings.ReplaceAll(a.Err.Error(), title, "the guest")
		}
		seen = append(seen, Observation{"case " + c.Name, said})
	}
	return seen, errors.Join(failed...)
}

// pin loads a guest, so that those that are loaded from the same file after it find it compiled.
func pin(ctx context.Context, r *runtime.Runtime, file []byte) (*runtime.Guest, error) {
	return r.Load(ctx, Example, file, runtime.GuestOptions{})
}
