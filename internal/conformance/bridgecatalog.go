package conformance

func catalogCases() Suite { return Suite{} }
