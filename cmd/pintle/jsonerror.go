package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
	"github.com/pintle-wasm/pintle/internal/guestbuild/jsbundle"
)

// jsonErrorHelp is for the help of the commands that tell errors as data.
const jsonErrorHelp = `With --json an error is printed to standard output as well, as {"error": {"message", "hint", "places"}}, where
places are {"file", "line", "column", "text"} if they are known.`

var tellsErrorsAsData = []string{"pintle build", "pintle check", "pintle test", "pintle run", "pintle bench", "pintle diff"}

// An errorReport is why a command has no result, as data.
type errorReport struct {
	Error errorFacts `json:"error"`
}

type errorFacts struct {
	Message string       `json:"message"`
	Hint    string       `json:"hint,omitempty"`
	Places  []errorPlace `json:"places,omitempty"` // in sources
}

type errorPlace struct {
	File   string `json:"file"` // relative to the guest's folder
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// tellErrorAsData prints an error of one of some commands. The arguments tell whether that is wanted: what cannot
// be parsed has no flags.
func tellErrorAsData(stdout io.Writer, cmd *cobra.Command, args []string, err error) error {
	message := strings.TrimSpace(err.Error())
	if message == "" || !slices.Contains(args, "--json") || !slices.Contains(tellsErrorsAsData, cmd.CommandPath()) {
		return nil
	}
	report := errorReport{errorFacts{Message: message, Hint: hintFor(err)}}
	if sources := (*jsbundle.SourceError)(nil); errors.As(err, &sources) {
		for _, p := range sources.Problems {
			if p.File != "" {
				report.Error.Places = append(report.Error.Places, errorPlace{p.File, p.Line, p.Column, p.Text})
			}
		}
	}
	if toml := (*guestbuild.TOMLError)(nil); errors.As(err, &toml) {
		for _, f := range toml.Faults {
			if f.Line > 0 {
				report.Error.Places = append(report.Error.Places, errorPlace{guestbuild.ManifestFile, f.Line, f.Column, f.Text})
			}
		}
	}
	return encodeJSON(stdout, report, "  ")
}
