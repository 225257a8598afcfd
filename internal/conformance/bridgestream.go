package conformance

func streamCases() Suite { return Suite{} }
