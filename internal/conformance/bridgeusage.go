package conformance

import (
	"context"
	"fmt"

	hostmodel "github.com/pintle-wasm/pintle/host/model"
	"github.com/pintle-wasm/pintle/host/profile"
	"github.com/pintle-wasm/pintle/host/stream"
)

func usageCases() Suite { return Suite{"usage": {run: usageCase}} }

func usageCase(_ context.Context, c *testCase) (any, error) {
	switch kind := c.input.Get("kind").str(""); kind {
	case "generic":
		return stream.GenericUsage(c.input.Get("usage").raw, costOf(c.input.Get("cost")), c.reference), nil
	case "normalize-v3":
		return stream.NormalizeV3(c.input.Get("usage").raw), nil
	case "cursor":
		return integrationUsage(c, stream.Cursor)
	case "devin":
		return integrationUsage(c, stream.Devin)
	default:
		return nil, fmt.Errorf("usage: unknown kind %q", kind)
	}
}

func integrationUsage(c *testCase, i stream.Integration) (any, error) {
	host, err := profile.Named(c.input.Get("host").str(""))
	if err != nil {
		return nil, err
	}
	a := stream.Accounting{
		Integration: i, Cost: costOf(c.input.Get("cost")), OccupancyTotal: host.Answer.OccupancyTotal,
		Readme: c.input.Get("era").str("") == "readme", Reference: c.reference,
	}
	part := c.input.Get("part")
	finish := &stream.Part{
		Type: stream.PartFinish, FinishReason: part.Get("finishReason").raw, Usage: part.Get("usage").raw,
		Metadata: part.Get("providerMetadata").raw,
	}
	var projected any = "as-reported"
	if usage, replaced := a.Projected(finish); replaced {
		projected = "display-only"
		if usage != nil {
			projected = usage
		}
	}
	return fields{"projected", projected, "usage", a.Usage(finish)}, nil
}

// costOf reads the rates of a model.
func costOf(v Value) hostmodel.Cost {
	return hostmodel.Cost{
		Input: v.Get("input").number(), Output: v.Get("output").number(),
		CacheRead: v.Get("cacheRead").number(), CacheWrite: v.Get("cacheWrite").number(),
	}
}
