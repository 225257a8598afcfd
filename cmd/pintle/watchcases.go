package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/internal/guestbuild"
)

// runCases runs the cases of a folder with the guest that was built from it; nil without an error if there
// are none.
func runCases(cmd *cobra.Command, dir, guest string) (*testReport, error) {
	path := filepath.Join(dir, guestbuild.CasesFile)
	if !exists(path) {
		return nil, nil
	}
	suite, err := readCases(cmd.Context(), path)
	if err != nil {
		return nil, err
	}
	g, err := findGuest(guest)
	if err != nil {
		return nil, err
	}
	r := &testReport{File: g.path, Guest: g.artifact.Title(), Cases: path}
	return r, r.run(cmd, g, suite.Cases)
}

// printCases prints what became of cases as a part of a block.
func printCases(p *printer, r *testReport) {
	var lines bytes.Buffer
	_ = r.print(&printer{w: &lines, color: p.color}, false) // a buffer takes everything
	for line := range strings.Lines(lines.String()) {
		p.printf("  %s", line)
	}
}
