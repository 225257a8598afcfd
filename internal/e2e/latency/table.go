//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// table shows the times of the turns, and what each turn has more than that of Pi alone in the same round.
func table(kinds []kind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A turn of Pi %s, from the prompt to the end of the answer; %d turns of each kind, one after the other.\n"+
		"A contribution says the prompt again, 1 KB.\n\n", version, len(kinds[0].times))
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\tp50\tp99\tadded, p50\tadded, p99")
	for i, k := range kinds {
		p50, p99 := quantile(k.times, 50), quantile(k.times, 99)
		fmt.Fprintf(w, "%s\t%s\t%s", k.name, millis(p50), millis(p99))
		if i > 0 {
			added := k.added(&kinds[0])
			fmt.Fprintf(w, "\t%s\t%s", millis(quantile(added, 50)), millis(quantile(added, 99)))
		}
		fmt.Fprintln(w)
	}
	_ = w.Flush() // into memory
	return b.String()
}

// added is what each turn takes longer than that of another kind beside it.
func (k *kind) added(alone *kind) []time.Duration {
	more := make([]time.Duration, len(k.times))
	for i := range more {
		more[i] = k.times[i] - alone.times[i]
	}
	return more
}

// quantile is the smallest of the times that percent of them do not exceed.
func quantile(times []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[(len(sorted)*percent+99)/100-1]
}

func millis(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
}
