package conformance

func usageCases() Suite { return Suite{} }
