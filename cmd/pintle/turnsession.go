package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pintle-wasm/pintle/host/doctor"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/host/turn"
)

// turnFlags are those that take the place of keys in the turn file.
type turnFlags struct {
	session   string
	responses []string
	host      string
	salvage   bool
	watch     bool
}

// over puts flags in the place of keys. Paths of flags are relative to the working directory.
func (f *turnFlags) over(t *turnFile) (err error) {
	for i, path := range t.Responses {
		t.Responses[i] = t.path(path)
	}
	if t.Session != "" {
		t.Session = t.path(t.Session)
	}
	if f.session != "" {
		t.Session = f.session
	}
	if len(f.responses) > 0 {
		t.Responses = f.responses
	}
	if isTable(t.Host) {
		t.Host = t.path(t.Host)
	}
	t.profile, err = hostProfile(cmp.Or(f.host, t.Host, defaultHost))
	return err
}

// A conversation is the part of a turn that is about the model: what it is sent of the history, what it
// answers, and where that is kept.
type conversation struct {
	route   message.Route
	session *session.Session // nil if the session is only read
	stored  string           // the file of the session, "" if it is in memory
	made    bool             // the session is new
	view    session.View
	before  ahead

	script  *turn.Scripted
	answers []recorded
	tools   []turn.Tool
}

// conversation reads the recorded answers. It returns nil if the turn has neither these nor a session.
func (t *turnFile) conversation(cmd *cobra.Command, salvage bool) (*conversation, error) {
	if t.Session == "" && salvage {
		return nil, misused(cmd, errors.New("--salvage needs a session"))
	}
	if len(t.Responses) == 0 && salvage {
		return nil, misused(cmd, errors.New("--salvage needs a response: without one nothing is written"))
	}
	if t.Session == "" && len(t.Responses) == 0 {
		return nil, nil
	}
	c := &conversation{route: message.Route{Provider: t.Provider, Model: t.Model}}
	switch {
	case len(t.Responses) == 0:
		return c, nil
	case t.Provider == "" || t.Model == "":
		return nil, &usageError{err: errors.New("a response needs a provider and a model"), hint: "give the turn file the keys provider and model"}
	case t.Prompt == nil:
		return nil, &usageError{err: errors.New("a response needs a prompt to answer"), hint: "give the turn file the key prompt"}
	}
	if t.Session != "" {
		c.made = isNew(t.Session)
	}
	if c.made {
		if err := usableName(t.Session); err != nil {
			return nil, err
		}
	}
	return c, c.record(cmd, t)
}

// isNew tells whether a session is yet to be made: there is no file, or one in which nothing is.
func isNew(path string) bool {
	info, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// usableName refuses names under which no log can be made.
func usableName(path string) error {
	if suffix := packedSuffix(path); suffix != "" {
		return &usageError{err: fmt.Errorf("%s: what is written is plain text, and the name is that of a compressed log", path),
			hint: "name it " + strings.TrimSuffix(path, suffix)}
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return &usageError{err: fmt.Errorf("%s: there is no folder %s", path, folder), hint: "make the folder first, or check the path"}
	}
	return nil
}

// run opens the session and, if there are answers, runs the turn in it.
func (c *conversation) run(cmd *cobra.Command, t *turnFile, r *turnReport, salvage bool) (err error) {
	defer func() { err = errors.Join(err, c.close()) }()
	if err := c.open(cmd, t, salvage); err != nil {
		return err
	}
	if c.script != nil {
		if r.Response, err = c.answer(cmd, t, r.Envelope.SystemPrompt); err != nil {
			return err
		}
	}
	r.History = &c.before
	return cmd.Context().Err()
}

// record reads the recorded answers.
func (c *conversation) record(cmd *cobra.Command, t *turnFile) error {
	c.script = &turn.Scripted{}
	for _, path := range t.Responses {
		a, err := t.readRecorded(cmd, path)
		if err != nil {
			return err
		}
		c.answers = append(c.answers, a)
		c.script.Answers = append(c.script.Answers, turn.Answer{Chunks: a.chunks})
	}
	c.tools = t.runnable()
	return nil
}

// open opens the session: to be read if there is no answer, else to be written.
func (c *conversation) open(cmd *cobra.Command, t *turnFile, salvage bool) (err error) {
	ctx := cmd.Context()
	if t.Session == "" {
		c.session, err = session.Create(ctx, &session.Memory{}, t.header(), logOptions(cmd))
		return err
	}
	if salvage {
		if t.Session, err = salvaged(cmd, t.Session); err != nil {
			return err
		}
	}
	c.stored = t.Session
	if len(t.Responses) == 0 {
		return c.read(cmd)
	}
	if c.made {
		c.session, err = session.CreateFile(ctx, t.Session, t.header(), logOptions(cmd))
		return err
	}
	log, err := session.OpenFile(ctx, t.Session)
	if err != nil {
		return turnLogError(cmd, t.Session, err)
	}
	var r session.Recovery
	c.before.File = c.stored
	if c.session, r, err = session.Take(ctx, log, logOptions(cmd)); err != nil {
		log.Close()
		return turnLogError(cmd, t.Session, err)
	}
	c.recovered(r)
	t.sameSession(cmd, log.Header().ID)
	return nil
}

// read looks at the session as it would be taken up.
func (c *conversation) read(cmd *cobra.Command) error {
	v, err := session.ViewFile(cmd.Context(), c.stored)
	if err != nil {
		return turnLogError(cmd, c.stored, err)
	}
	c.view = v
	i, err := session.Inspect(cmd.Context(), v, logOptions(cmd))
	if err != nil {
		return turnLogError(cmd, c.stored, err)
	}
	if c.route.Provider == "" {
		c.route = doctor.LastRoute(i.State)
	}
	c.before = lookAhead(i.State, c.route)
	c.before.File = c.stored
	c.recovered(i.Recovery)
	return nil
}

// recovered notes what taking up the session does, or would do.
func (c *conversation) recovered(r session.Recovery) {
	if r.Tail > 0 || len(r.Closed) > 0 || len(r.Uncommitted) > 0 {
		data := newRecoveryData(r)
		c.before.Recovery = &data
	}
}

func (c *conversation) close() error {
	var errs []error
	if c.session != nil {
		errs = append(errs, c.session.Close())
	}
	if c.view != nil {
		errs = append(errs, c.view.Close())
	}
	return errors.Join(errs...)
}

// header is that of a new session.
func (t *turnFile) header() session.Header {
	h := session.Header{ID: t.SessionID}
	if t.CWD != "" {
		h.Cwd = &t.CWD
	}
	return h
}

// sameSession warns when a turn goes into the log of another session.
func (t *turnFile) sameSession(cmd *cobra.Command, id string) {
	if id != t.SessionID && t.SessionID != defaultSession {
		fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s is the log of session %s, the turn is of session %s\n",
			oneLine(t.Session, 200), oneLine(id, 80), oneLine(t.SessionID, 80))
	}
}

// turnLogError is logError for a session that the turn could go on in from a salvaged copy.
func turnLogError(cmd *cobra.Command, path string, err error) error {
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, session.ErrNotFound)
	err = openError(cmd, path, err)
	switch usage, refused := (*usageError)(nil), (*logRefused)(nil); {
	case missing && errors.As(err, &usage):
		usage.hint = "the first --response makes the session; without one it is only read"
	case errors.As(err, &refused) && damaged(refused.err.Code):
		refused.instead = fmt.Sprintf("--salvage makes a new session of what can be read, %s, and goes on there; %s stays as it is",
			besides(path, ".salvaged"), path)
	}
	return err
}

// salvaged returns a session to go on in: the one of the file or, if it is damaged, a new one beside it of
// what can be read.
func salvaged(cmd *cobra.Command, path string) (string, error) {
	ctx := cmd.Context()
	v, err := session.ViewFile(ctx, path)
	if err == nil {
		_, err = session.Inspect(ctx, v, logOptions(cmd))
		err = errors.Join(err, v.Close())
	}
	if refused := (*session.Error)(nil); !errors.As(err, &refused) || !damaged(refused.Code) || isNew(path) {
		return path, nil // opening it will say what is wrong, if something is
	}
	to := besides(path, ".salvaged")
	r, err := doctor.Repair(ctx, path, to, doctor.Options{Session: logOptions(cmd)})
	if errors.Is(err, fs.ErrExist) {
		return "", &usageError{err: err, hint: fmt.Sprintf("--session %s goes on in it", to)}
	}
	if err != nil {
		return "", err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "pintle: warn: %s is damaged and stays as it is; going on in %s: %s\n",
		oneLine(path, 200), oneLine(to, 200), oneLine(strings.Join(r.Done, ", "), 600))
	return to, nil
}
