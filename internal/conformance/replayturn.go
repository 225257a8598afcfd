package conformance

// turnCases are turns and route-ownership.
func turnCases() Suite { return nil }
