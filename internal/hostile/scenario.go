package hostile

import "context"

// A scenario is an attack that needs the host to do something at the same time, or something that is seen
// only from outside of it. The error is what did not hold.
type scenario func(ctx context.Context, engine EngineMaker) error

var scenarios = map[string]scenario{}

func (r *run) scenario(ctx context.Context, s scenario) {
	r.Outcome = Works
	if err := s(ctx, r.engine); err != nil {
		r.surprise("%v", err)
	}
}
