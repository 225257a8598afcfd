package hostile

import (
	"context"
	"maps"
)

// A scenario is an attack that needs the host to do something at the same time, or something that is seen
// only from outside of it. The error is what did not hold.
type scenario func(ctx context.Context, engine EngineMaker) error

func scenarios() map[string]scenario {
	all := closeScenarios()
	for _, some := range []map[string]scenario{hoardScenarios(), impostorScenarios(), terminalScenarios()} {
		maps.Copy(all, some)
	}
	return all
}

func (r *run) scenario(ctx context.Context, s scenario) {
	r.Outcome = Works
	if err := s(ctx, r.engine); err != nil {
		r.surprise("%v", err)
	}
}
