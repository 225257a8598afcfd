package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/doctor"
	"github.com/pintle-wasm/pintle/host/session"
)

func newSession() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "session",
		Short: "Show, check and export the logs of sessions, without changing them",
		Long: `Show, check and export the logs of sessions. A FILE is a log of this system or of the reference: plain
or Zstandard, packed rows or not, of today or in an older shape. None of these commands changes it, and
all of them work while a writer goes on.

` + exitHelp,
		Args: cobra.NoArgs,
	}
	cmd.AddCommand(newSessionShow(), newSessionCheck(), newSessionExport())
	for _, sub := range cmd.Commands() {
		kindFlag(sub)
	}
	return cmd
}

// kindFlag adds the flag by which a person vouches for events that only their program knows.
func kindFlag(cmd *cobra.Command) {
	cmd.Flags().StringArray("kind", nil, "an event `KIND` that another program logs and that does not change what other events mean; may be repeated")
}

// logOptions say how a command reads logs.
func logOptions(cmd *cobra.Command) session.Options {
	kinds, _ := cmd.Flags().GetStringArray("kind")
	return session.Options{Kinds: kinds}
}

// logFiles completes the names of logs.
func logFiles() cobra.CompletionFunc { return filesOf("jsonl", "zstd", "zst") }

// viewLog opens a log for reading.
func viewLog(cmd *cobra.Command, path string) (session.View, error) {
	v, err := session.ViewFile(cmd.Context(), path)
	if err != nil {
		return nil, openError(cmd, path, err)
	}
	return v, nil
}

// openError is logError for a file that cannot be opened or read at all: a folder, a link, one of others.
func openError(cmd *cobra.Command, path string, err error) error {
	err = logError(path, err)
	refused, usage := (*logRefused)(nil), (*usageError)(nil)
	if errors.As(err, &refused) || errors.As(err, &usage) || errors.Is(err, session.ErrLocked) || cmd.Context().Err() != nil {
		return err
	}
	if info, failed := os.Stat(path); failed == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return &usageError{err: fmt.Errorf("%s: not a regular file, so not a log", path),
			hint: "a log is read at more than one place: write it to a file first"}
	}
	return &usageError{err: err}
}

// logError says what to do about a log that cannot be used.
func logError(path string, err error) error {
	refused := (*session.Error)(nil)
	switch {
	case errors.As(err, &refused):
		e := &logRefused{err: refused, path: path}
		if pi, _ := doctor.IsPi(path); pi {
			e.instead = fmt.Sprintf("%s is a session file of Pi: `pintle doctor %s` looks it over", path, path)
		} else if damaged(refused.Code) {
			e.noLog, _ = doctor.NoLog(context.Background(), path) // the log is refused, whatever comes of it
		}
		return e
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, session.ErrNotFound):
		return &usageError{err: fmt.Errorf("open %s: no such file", path), hint: "check the path"}
	}
	return err
}

// A logRefused is a log that cannot be taken up as it is.
type logRefused struct {
	err     *session.Error
	path    string
	noLog   string // what the file seems to be, if nothing of a log can be read in it
	instead string // what to do about it, if it is not the usual
}

func (e *logRefused) Error() string { return e.err.Error() }
func (e *logRefused) Unwrap() error { return e.err }

// damaged tells whether a repaired copy can be made of a log that is refused with a code.
func damaged(code session.Code) bool {
	switch code {
	case session.FormatUnsupported, session.EventUnsupported, session.LegacyUnsupported, session.IdentityMismatch:
		return false
	}
	return true
}

func (e *logRefused) hint() string {
	switch {
	case e.noLog != "":
		return fmt.Sprintf("%s seems to be %s, and no log of a session", e.path, e.noLog)
	case e.instead != "":
		return e.instead
	}
	if damaged(e.err.Code) {
		return fmt.Sprintf("`pintle doctor --fix %s` makes a copy of what can be read; the file stays as it is", e.path)
	}
	if e.err.Code == session.EventUnsupported {
		return "read it with the program that wrote it; or, if you know that such events do not change what others mean, say --kind KIND for each of them; `pintle doctor` lists them all"
	}
	return "the log is left as it is; read it with the program that wrote it"
}

// encoding tells how a log file is written.
func encoding(path string) (string, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	var magic [4]byte
	if n, _ := f.ReadAt(magic[:], 0); n == 4 && magic == [4]byte{0x28, 0xB5, 0x2F, 0xFD} {
		return "zstd", info.Size(), nil
	}
	return "plain", info.Size(), nil
}

// besides names a plain log beside another one: session.salvaged.jsonl for session.jsonl.zstd.
func besides(path, infix string) string {
	path = strings.TrimSuffix(path, packedSuffix(path))
	ext := filepath.Ext(path)
	return strings.TrimSuffix(path, ext) + infix + ext
}

// packedSuffix is the end of a name that stands for Zstandard.
func packedSuffix(path string) string {
	for _, suffix := range []string{".zstd", ".zst"} {
		if strings.HasSuffix(path, suffix) {
			return suffix
		}
	}
	return ""
}
