package conformance

func historyCases() Suite { return Suite{} }
