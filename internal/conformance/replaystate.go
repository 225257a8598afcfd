package conformance

// stateCases are derived-history and turn-closers.
func stateCases() Suite { return nil }
