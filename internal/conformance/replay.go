package conformance

import "maps"

// replay is the family of the replay-state protocol.
func replay() Suite {
	suite := Suite{
		"sqlite":     {leftOut: "a database format of the reference alone"},
		"file-names": {leftOut: "the folder layout of the reference alone"},
		"acp":        {leftOut: "drives an agent process: for an ACP agent to run"},
	}
	for _, part := range []Suite{
		assemblerCases(), readSideCases(), rowCases(), stateCases(), loadCases(), turnCases(),
	} {
		maps.Copy(suite, part)
	}
	return suite
}
