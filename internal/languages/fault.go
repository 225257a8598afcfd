package languages

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pintle-wasm/pintle/abi"
	"github.com/pintle-wasm/pintle/runtime"
)

// A Fault is how one of the failing guest's functions ended.
type Fault struct {
	Function string // the author's, and the contribution's id
	Error    *runtime.Error
}

// Functions returns the functions of the failing guest that fail.
func Functions() []string { return []string{"sink", "dive", "hoard", "spin"} }

// Fail calls what fails, each function twice: what the first call did to the instance must not show in the second.
// Between them the guest has to be as good as before.
func Fail(ctx context.Context, r *runtime.Runtime, file []byte) (faults []Fault, err error) {
	g, err := r.Load(ctx, Faults, file, runtime.GuestOptions{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, g.Close(ctx)) }()
	for _, function := range Functions() {
		var first *runtime.Error
		for range 2 {
			text, err := render(ctx, g, function)
			var failed *runtime.Error
			if !errors.As(err, &failed) {
				return faults, fmt.Errorf("%s: it answered %q, and no error of the runtime: %v", function, text, err)
			}
			if first == nil {
				first = failed
			} else if first.Kind != failed.Kind || first.Reason != failed.Reason {
				return faults, fmt.Errorf("%s: the second call ended otherwise than the first one: %w, %w", function, failed, first)
			}
			if text, err := render(ctx, g, "calm"); text != "calm" || err != nil {
				return faults, fmt.Errorf("after %s: calm answered %q, %v", function, text, err)
			}
		}
		faults = append(faults, Fault{function, first})
	}
	return faults, nil
}

func render(ctx context.Context, g *runtime.Guest, id string) (string, error) {
	request, err := abi.Encode(map[string]any{"id": id, "features": 0})
	if err != nil {
		return "", err
	}
	value, err := g.Call(ctx, runtime.Call{Op: abi.RenderV1, Offer: id, Request: request})
	if err != nil {
		return "", err
	}
	return abi.Text(value)
}

// Observe tells how a function ended, without what depends on a compiler's taste: sizes, and what else the trace
// names.
func (f Fault) Observe() Observation {
	words := f.Error.Reason + "\n" + strings.Join(f.Error.Trace, "\n")
	named := regexp.MustCompile(`\b` + f.Function + `\b`).MatchString(words)
	return Observation{"fault " + f.Function, fmt.Sprintf("%s, naming the function: %t, its reason: %t",
		f.Error.Kind, named, strings.Contains(f.Error.Reason, "no tide today"))}
}
