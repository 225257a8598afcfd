package conformance

import "maps"

// replayState is the family of the replay-state protocol. Its numbers are IEEE doubles.
func replayState() Suite {
	suite := Suite{
		"sqlite":     {leftOut: "a database format of the reference alone"},
		"file-names": {leftOut: "the folder layout of the reference alone"},
		"acp":        {leftOut: "drives an agent process: for an ACP agent, see --acp-agent"},
	}
	for _, part := range []Suite{
		assemblerCases(), readSideCases(), rowCases(), stateCases(), loadCases(), turnCases(),
	} {
		maps.Copy(suite, part)
	}
	for name, op := range suite {
		op.doubles = true
		suite[name] = op
	}
	return suite
}
