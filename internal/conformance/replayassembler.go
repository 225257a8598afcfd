package conformance

// assemblerCases are assembler-core, assembler-random, assembler-surrogates, envelope and stream-grammar.
func assemblerCases() Suite { return nil }
