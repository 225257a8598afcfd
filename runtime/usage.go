package runtime

import "context"

// Usage sums up what calls cost. It is not safe for concurrent use: calls that run at the same time need
// one each.
type Usage struct {
	Calls      int    // how often a guest was asked
	Remembered int    // how many of these calls were answered from memory, without running the guest
	Fuel       uint64 // used by the calls that ran, those that failed included
}

type usageKey struct{}

// WithUsage returns a context whose calls of guests are added to u.
func WithUsage(ctx context.Context, u *Usage) context.Context {
	return context.WithValue(ctx, usageKey{}, u)
}

// usageOf returns nil if nobody counts.
func usageOf(ctx context.Context) *Usage {
	u, _ := ctx.Value(usageKey{}).(*Usage)
	return u
}
