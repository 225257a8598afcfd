package conformance

import (
	"context"
	"encoding/json"
)

// A Case is one case of a vector file in one mode, for a runner that is not this package.
type Case struct {
	Name string
	// Input is JSON.
	Input json.RawMessage
	// Reference says that the case runs in the compatibility mode.
	Reference bool
	// Dir is the folder of the case's file, for fixtures beside it.
	Dir string
}

// RunElsewhere runs the cases of one file with a function that gives a case's result as JSON, and compares
// the results as [Run] does. A case for which the function returns an error has failed.
func RunElsewhere(
	ctx context.Context, path string, run func(context.Context, Case) (json.RawMessage, error),
) FileResult {
	r := vectorFile(path)
	if r.Err != nil || r.LeftOut != "" {
		return r
	}
	op := families()[r.Family][r.Operation]
	op.run = func(ctx context.Context, c *testCase) (any, error) {
		result, err := run(ctx, Case{Name: c.name, Input: c.input.raw, Reference: c.reference, Dir: c.dir})
		if err != nil {
			return nil, err
		}
		return ParseValue(result)
	}
	runCases(ctx, &r, op, nil)
	return r
}
