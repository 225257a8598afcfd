package envelope

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// AuditView is an audit entry laid out for a transcript.
type AuditView struct {
	// Rows are shown below each other; each expands on its own.
	Rows []AuditRow `json:"rows,omitempty"`
	// Invalid is shown in the error colour in place of rows, "" if the entry is valid.
	Invalid string `json:"invalid,omitempty"`
}

// AuditRow is one audited message.
type AuditRow struct {
	// Heading is an icon in brackets, role and id, cut to the width. It has no control characters.
	Heading string `json:"heading"`
	// Markdown is the content, shown below the heading when Expanded, in a scrollable view of at most
	// MaxHeight rows with the heading.
	Markdown  string `json:"markdown"`
	Expanded  bool   `json:"expanded"`
	MaxHeight int    `json:"maxHeight"`
}

const (
	auditMaxHeight    = 20
	invalidAuditEntry = "Invalid prompt audit entry"
)

// AuditTypes returns the custom types that ViewAudit lays out.
func AuditTypes() []string { return slices.Clone(auditTypes) }

// ViewAudit lays an audit entry out for a transcript of columns columns (0: do not cut). It is false
// for a custom type that is not an audit entry's.
func ViewAudit(customType string, data []byte, expanded bool, columns int) (AuditView, bool) {
	records, known := parseAudit(customType, data)
	if !known {
		return AuditView{}, false
	}
	if records == nil {
		return AuditView{Invalid: invalidAuditEntry}, true
	}
	view := AuditView{Rows: make([]AuditRow, len(records))}
	for i, r := range records {
		heading := "[" + r.Role + "] " + oneLine(r.Role) + " · " + oneLine(r.ID)
		if columns > 0 {
			heading = cut(heading, columns)
		}
		view.Rows[i] = AuditRow{heading, r.Content, expanded, auditMaxHeight}
	}
	return view, true
}

// oneLine makes a text of unknown origin safe for one line of a terminal.
func oneLine(s string) string {
	var b strings.Builder
	space := false
	for _, r := range s {
		flat := r == '\n' || r == '\r' || r == '\t'
		switch {
		case flat:
			if !space {
				b.WriteByte(' ')
			}
		case unicode.IsControl(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
		space = flat
	}
	return b.String()
}

// cut shortens s to a number of terminal columns, the last one an ellipsis.
func cut(s string, columns int) string {
	used, fits := 0, 0
	for i, r := range s {
		if used <= columns-1 {
			fits = i
		}
		if used += cells(r); used > columns {
			return s[:fits] + "…"
		}
	}
	return s
}

func cells(r rune) int {
	if unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf) {
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}
