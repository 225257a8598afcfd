package conformance

func modelCases() Suite { return Suite{} }
