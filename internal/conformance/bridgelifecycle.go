package conformance

func lifecycleCases() Suite { return Suite{} }
