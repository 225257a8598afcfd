package history

import "strings"

// An Outcome is what has become of delegated work. A host that lets work go on in the background stores
// a receipt as the result of the call; when the work is done, the outcome takes the receipt's place in
// every later call of the model. The conversation itself keeps the receipt.
type Outcome struct {
	Text string
	// Failed: the work was not completed.
	Failed bool
}

// JoinOutcomes makes one outcome of those of several jobs that answer the same call: their texts with
// blank lines between them, failed if any has failed.
func JoinOutcomes(jobs ...Outcome) Outcome {
	var all Outcome
	texts := make([]string, len(jobs))
	for i, job := range jobs {
		texts[i] = job.Text
		all.Failed = all.Failed || job.Failed
	}
	all.Text = strings.Join(texts, "\n\n")
	return all
}
