package doctor

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/internal/newfile"
	"github.com/pintle-wasm/pintle/internal/pisession"
)

// repairPi is Repair for a session file of Pi.
func repairPi(ctx context.Context, path, to string, o Options) (*Repaired, error) {
	c, err := openPi(ctx, path, o)
	if err != nil {
		return nil, err
	}
	defer c.close()
	plan, err := c.plan(ctx)
	if err != nil {
		return nil, err
	}
	if !c.r.Curable() {
		return nil, fmt.Errorf("%s: %w", path, ErrIncurable)
	}
	c.finish()
	out, err := newfile.Create(to, 0o600)
	if err != nil {
		return nil, err
	}
	defer out.Discard()
	if err := c.write(ctx, path, plan, out); err != nil {
		return nil, err
	}
	after, err := checkPi(ctx, out.Name(), o)
	if err != nil {
		return nil, err
	}
	if after.Pi.Session == "" || after.Pi.Entries != len(c.tree.Entries)-len(plan.drop) || after.Curable() {
		return nil, fmt.Errorf("the repaired copy of %s is not sound: %s has changed meanwhile, or this is a bug", path, path)
	}
	if err := out.Commit(); err != nil {
		return nil, err
	}
	return newRepaired(c.r, after, done(c.r, after, 0)), nil
}

// write writes the repaired copy.
func (c *piCheck) write(ctx context.Context, path string, p *piPlan, to io.Writer) error {
	w := bufio.NewWriterSize(to, maxBatch)
	put := func(text []byte) error {
		if _, err := w.Write(text); err != nil {
			return err
		}
		return w.WriteByte('\n')
	}
	head, err := c.head(path)
	if err != nil {
		return err
	}
	if err := put(head); err != nil {
		return err
	}
	if _, err := c.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	i := -1
	_, err = pisession.Read(ctx, c.file, nil, func(_ *pisession.Entry, text []byte) error {
		i++
		if p.drop[i] {
			return nil
		}
		parent, ok := p.link[i]
		if !ok {
			return put(text)
		}
		linked, err := withParent(text, parent)
		if err != nil {
			return err
		}
		return put(linked)
	})
	if err != nil {
		return err
	}
	return w.Flush()
}

// head is the line of the header, a new one if there is none.
func (c *piCheck) head(path string) ([]byte, error) {
	if h := c.session.Header; h != nil {
		line := pisession.Entry{Offset: h.Offset, Length: h.Length}
		return line.Text(c.file, nil)
	}
	version := int64(pisession.Version)
	if c.session.OldVersion() {
		version = 1
	}
	date := ""
	for i := range c.tree.Entries {
		e := &c.tree.Entries[i]
		if e.Role == "hookMessage" {
			version = min(version, 2) // in version 3 the role has another name
		}
		if date == "" && e.ID != "" {
			text, err := c.text(e)
			if err != nil {
				return nil, err
			}
			date = jsonvalue.StringOf(jsonvalue.Pick(text, "timestamp")[0])
		}
	}
	o := jsonvalue.Begin(nil)
	o.Text("type", "session")
	o.Whole("version", version)
	o.Text("id", piIDFrom(path))
	o.Text("timestamp", date)
	return o.End(), nil
}

// piIDFrom is the id in the name of a session file, which is a date, a low line and the id.
func piIDFrom(path string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	if _, id, ok := strings.Cut(name, "_"); ok && id != "" {
		return id
	}
	if name == "" {
		return "salvaged"
	}
	return name
}

// withParent gives an entry another parent. Everything else of it stays as it is.
func withParent(text []byte, parent string) ([]byte, error) {
	doc, err := jsonspan.Scan(text, 1)
	if err != nil {
		return nil, err
	}
	value := []byte("null")
	if parent != "" {
		value = wtf8.AppendQuote(nil, parent)
	}
	edit := doc.Edit()
	edit.Set(jsonvalue.Member(doc.Root(), "parentId"), value)
	return edit.Bytes()
}
