package guesttest

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/pintle-wasm/pintle/internal/guesttrace"
)

// maxTrace bounds what is written of a trace.
const maxTrace = 16

// WriteJUnit writes results in the form that build servers read. Characters that XML cannot have become
// U+FFFD.
func WriteJUnit(w io.Writer, suite string, results []Result) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Seconds string   `xml:"time,attr"`
		Failure *failure `xml:"failure"`
	}
	type testsuite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Seconds  string     `xml:"time,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	out := testsuite{Name: suite, Tests: len(results)}
	var total time.Duration
	for _, r := range results {
		c := testcase{Name: r.Case.Name, Class: r.Case.Contribution + r.Case.Adapter, Seconds: seconds(r.Answer.Duration)}
		if !r.Passed {
			out.Failures++
			lines := append([]string{r.Fault}, r.Diff...)
			for _, line := range guesttrace.Lines(r.Answer.Trace(), maxTrace) {
				lines = append(lines, "    "+line)
			}
			c.Failure = &failure{Message: r.Fault, Text: strings.Join(lines, "\n")}
		}
		total += r.Answer.Duration
		out.Cases = append(out.Cases, c)
	}
	out.Seconds = seconds(total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	err := e.Encode(struct {
		XMLName xml.Name  `xml:"testsuites"`
		Suite   testsuite `xml:"testsuite"`
	}{Suite: out})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
