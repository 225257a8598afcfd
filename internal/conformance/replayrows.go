package conformance

// rowCases are packed-rows and jsonl-scan.
func rowCases() Suite { return nil }
