package conformance

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"

	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
)

// loadCases are jsonl-load and jsonl-zstd.
func loadCases() Suite {
	return Suite{
		"jsonl-load": {run: loadLog, bind: bindLoaded, bothModes: true},
		"jsonl-zstd": {run: loadLog, bind: bindLoaded, bothModes: true},
	}
}

// loadLog runs a case on a real file in an empty store.
func loadLog(ctx context.Context, c *testCase) (any, error) {
	root, err := os.MkdirTemp("", "pintle-conformance-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	f := stored{root: root, id: c.input.Get("id").str(""), packed: c.input.Get("encoding").str("none") == "zstd"}
	before, err := logBytes(c)
	if err != nil {
		return nil, err
	}
	if err := f.put(ctx, before); err != nil {
		return nil, err
	}
	var out fields
	if err = f.inPlace(ctx, c); err == nil {
		out, err = f.run(ctx, c)
	}
	if errors.Is(err, session.ErrNotFound) { // to a store an empty file is no session; as a log it is refused
		_, err = session.ViewFile(ctx, f.path)
	}
	if err != nil {
		refusal, err := refused(err)
		if err != nil {
			return nil, err
		}
		out = refusal.(fields)
	}
	after, err := os.ReadFile(f.path)
	if err != nil {
		return nil, err
	}
	unchanged := bytes.Equal(before, after)
	out = append(out, "fileUnchanged", unchanged)
	if !unchanged && !f.packed {
		out = append(out, "fileAfter", string(after))
	}
	return out, nil
}

// logBytes are the bytes of a case's log.
func logBytes(c *testCase) ([]byte, error) {
	if encoded := c.input.Get("base64").ptr(); encoded != nil {
		return base64.StdEncoding.DecodeString(*encoded)
	}
	return []byte(wtf8.ToUTF8(c.input.Get("text").str(""))), nil
}

// stored is a log in a store.
type stored struct {
	root, id, path string
	packed         bool
}

func (f *stored) store() session.Store { return session.NewDir(f.root) }

// put puts the file where the store has the log of this session.
func (f *stored) put(ctx context.Context, data []byte) error {
	l, err := f.store().Create(ctx, session.Header{ID: f.id})
	if err != nil {
		return err
	}
	defer l.Close()
	if err := l.Append(ctx, session.Event{Type: session.EndSeed, Data: []byte("{}")}); err != nil {
		return err
	}
	made, err := filepath.Glob(filepath.Join(f.root, "*", "*"))
	if err != nil || len(made) != 1 {
		return fmt.Errorf("%s: one file expected, found %q (%w)", f.root, made, err)
	}
	if err := os.Remove(made[0]); err != nil {
		return err
	}
	f.path = made[0]
	if f.packed {
		f.path += ".zstd"
	}
	return os.WriteFile(f.path, data, 0o600)
}

// inPlace refuses a log that would lie in another project's folder of the reference than the one in which
// it was asked for: id and working directory have to lead back to the file.
func (f *stored) inPlace(ctx context.Context, c *testCase) error {
	v, err := f.store().View(ctx, f.id)
	if err != nil {
		return err
	}
	defer v.Close()
	asked, has := project(c.input.Get("cwd").ptr()), project(v.Header().Cwd)
	if asked != has {
		return &session.Error{
			Code: session.IdentityMismatch, Path: f.path,
			Detail: fmt.Sprintf("the header's project is %s, not %s", has, asked),
		}
	}
	return nil
}

// project is the name of the folder in which the reference keeps the sessions of a working directory.
func project(cwd *string) string {
	if cwd == nil {
		return "_no-cwd"
	}
	var slug []byte
	between := false // in a run of separators
	for _, unit := range utf16.Encode([]rune(*cwd)) {
		separator := unit == '/' || unit == '\\' || unit == ':'
		switch {
		case !separator && plainUnit(unit):
			slug = append(slug, byte(unit))
		case !separator:
			slug = fmt.Appendf(slug, "~%04X", unit)
		case !between:
			slug = append(slug, '-')
		}
		between = separator
	}
	slug = bytes.TrimLeft(slug, "-")
	if len(slug) == 0 {
		slug = []byte("root")
	}
	return "--" + string(slug[:min(len(slug), 251)]) + "--"
}

// plainUnit says that a UTF-16 unit stands for itself in the names of the reference's folders.
func plainUnit(unit uint16) bool {
	return unit >= 'A' && unit <= 'Z' || unit >= 'a' && unit <= 'z' || unit >= '0' && unit <= '9' ||
		unit == '.' || unit == '_' || unit == '-'
}

func (f *stored) run(ctx context.Context, c *testCase) (fields, error) {
	switch op := c.input.Get("op").str(""); op {
	case "load":
		return f.load(ctx)
	case "inspect":
		events, _, err := f.inspect(ctx)
		return fields{"events", events}, err
	case "readFrom":
		from := c.input.Get("fromSeq").number()
		if from < 0 || from != math.Trunc(from) {
			return nil, &session.Error{Code: session.Validation, Detail: fmt.Sprintf("there is no seq %v", from)}
		}
		events, err := f.readFrom(ctx, int64(from))
		return fields{"events", events}, err
	default:
		return nil, fmt.Errorf("unknown op %q", op)
	}
}

// load repairs the log twice, each time as a process that has just been started.
func (f *stored) load(ctx context.Context) (fields, error) {
	var events [2][]any
	var messages []message.Message
	for i := range events {
		if err := f.repair(ctx); err != nil {
			return nil, err
		}
		var err error
		if events[i], messages, err = f.inspect(ctx); err != nil {
			return nil, err
		}
	}
	first, err := build(events[0])
	if err != nil {
		return nil, err
	}
	second, err := build(events[1])
	if err != nil {
		return nil, err
	}
	same := bytes.Equal(first.appendTo(nil), second.appendTo(nil))
	return fields{"events", events[0], "secondLoadSame", same, "messages", list(messages)}, nil
}

func (f *stored) repair(ctx context.Context) error {
	l, err := f.store().Open(ctx, f.id)
	if err != nil {
		return err
	}
	defer l.Close()
	_, err = session.Repair(ctx, l, session.Options{})
	return err
}

func (f *stored) inspect(ctx context.Context) ([]any, []message.Message, error) {
	v, err := f.store().View(ctx, f.id)
	if err != nil {
		return nil, nil, err
	}
	defer v.Close()
	i, err := session.Inspect(ctx, v, session.Options{})
	if err != nil {
		return nil, nil, err
	}
	events := []any{}
	for e, err := range i.Events(ctx, 0) {
		if err != nil {
			return nil, nil, err
		}
		events = append(events, e)
	}
	return events, i.State.Messages(), nil
}

// readFrom reads what is stored, in today's shapes. Like all reading it refuses what it does not know.
func (f *stored) readFrom(ctx context.Context, from int64) ([]any, error) {
	v, err := f.store().View(ctx, f.id)
	if err != nil {
		return nil, err
	}
	defer v.Close()
	var refusal *session.Error
	_, err = session.Inspect(ctx, v, session.Options{})
	if errors.As(err, &refusal) && refusal.Code == session.EventUnsupported {
		return nil, err
	}
	events := []any{}
	for e, err := range session.Import(v.Header(), v.Events(ctx, 0)) {
		if err != nil {
			return nil, err
		}
		if e.Seq >= from {
			events = append(events, e)
		}
	}
	return events, nil
}

// bindLoaded compares the file line by line, and leaves the wording of refusals and of invented results
// open.
func bindLoaded(c *testCase, expected, got Value) (Value, Value) {
	expected, got = bindRefusal(c, byLine(expected), byLine(got))
	return bindInvented(c, expected, got)
}

// byLine puts a list of JSON values in the place of a file's text. A line that is not JSON is itself.
func byLine(v Value) Value {
	text := v.Get("fileAfter").ptr()
	if text == nil {
		return v
	}
	lines := []any{}
	for line := range strings.SplitSeq(*text, "\n") {
		if value, err := ParseValue([]byte(line)); err == nil {
			lines = append(lines, value)
		} else {
			lines = append(lines, line)
		}
	}
	after, err := build(lines)
	if err != nil {
		return v
	}
	return v.with("fileAfter", after)
}
