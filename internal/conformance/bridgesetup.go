package conformance

func setupCases() Suite { return Suite{} }
