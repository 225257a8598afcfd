package conformance

func callCases() Suite { return Suite{} }
