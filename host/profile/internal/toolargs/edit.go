// Package toolargs has what packages profile and hashline both know of the arguments of tools.
package toolargs

// OldTexts and NewTexts are the spellings of the two texts of an edit, in order of precedence for hosts that
// take the texts themselves (sections "History direction" and "Hashline and omp edit overlay").
var (
	OldTexts = [...]string{"old_string", "oldString", "oldText"}
	NewTexts = [...]string{"new_string", "newString", "newText"}
	// Every are those of what says that every occurrence is to be replaced.
	Every = [...]string{"replace_all", "replaceAll"}
)
