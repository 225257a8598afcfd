package conformance

func hashlineCases() Suite { return Suite{} }
