package bridge

import "strconv"

// A Kind says why something has failed.
type Kind string

const (
	// ConfigParse: a configuration file is not JSON.
	ConfigParse Kind = "config-parse"
	// ConfigShape: a configuration file does not have the form that is required.
	ConfigShape Kind = "config-shape"
	// ConfigRead: a configuration file cannot be read.
	ConfigRead Kind = "config-read"
	// AmbiguousExport: several exports of a package could be meant.
	AmbiguousExport Kind = "ambiguous-export"
	// NoExport: no export of a package can be used.
	NoExport Kind = "no-export"
	// BadExport: the export that is configured cannot be used.
	BadExport Kind = "bad-export"
	// UnknownHost: the environment names a host that is not known.
	UnknownHost Kind = "unknown-host"
	// NoHost: no host was found.
	NoHost Kind = "no-host"
	// ReservedAPI: the name of the protocol is one of the host's own.
	ReservedAPI Kind = "reserved-api"
	// PluginFailed: code of a plugin has failed.
	PluginFailed Kind = "plugin"
)

// An Error says what has failed and what to do. No secret is in its text or in any error that it wraps.
type Error struct {
	Kind Kind
	// File is the configuration file, "" if it is about none. Line and Column say where in it, counted
	// from 1 in lines and characters; 0 means that there is no such place.
	File         string
	Line, Column int
	// Package is that of the configured provider, "" if it is about none.
	Package string
	Text    string
	Err     error
}

func (e *Error) Error() string {
	text := "bridge: " + e.where()
	if e.Package != "" {
		text += strconv.Quote(e.Package) + ": "
	}
	text += e.Text
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// where is the place in the file, with a colon behind it.
func (e *Error) where() string {
	switch {
	case e.File == "":
		return ""
	case e.Line == 0:
		return e.File + ": "
	}
	return e.File + ":" + strconv.Itoa(e.Line) + ":" + strconv.Itoa(e.Column) + ": "
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
