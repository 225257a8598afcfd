package doctor

import (
	"fmt"

	"github.com/pintle-wasm/pintle/host/session"
	"github.com/pintle-wasm/pintle/internal/pisession"
)

// inCopy is what becomes of a line that is no use to anybody.
const inCopy = "a repaired copy goes without it"

// lose tells of a line that holds no entry.
func (c *piCheck) lose(l pisession.Loss) error {
	f := Finding{Level: Fault, Line: l.Line, Offset: l.Offset, Curable: true, Here: inCopy}
	switch l.Kind {
	case pisession.NotJSON:
		f.Code, f.Detail = Code(session.CorruptLine), "the line is not JSON"
		f.Effect = "Pi passes over it without a word: what was in it is lost, and so is, for entries behind it, all that comes before it"
		if l.Last {
			f.Code, f.Detail = Torn, "the last line is not JSON and has no line feed: its write was cut off"
			f.Effect = "Pi 0.74 writes its next entry behind it on the same line, and loses that too; newer ones end the line and pass over it"
		}
		if l.ID != "" {
			c.lost[l.ID] = l.Parent
			f.Detail += fmt.Sprintf("; it was the entry %s", quote(l.ID))
		}
	case pisession.TooLong:
		c.long = true
		f.Code, f.Curable = LongLine, false
		f.Detail = fmt.Sprintf("the line is longer than %d MiB", pisession.MaxLine>>20)
		f.Effect = "Pi holds the whole file in memory, some of it more than once, and may not get so far"
		f.Here = "the line is passed over, and no copy is made, as it would be lost"
	case pisession.NullValue:
		f.Code, f.Detail = NotAnEntry, "the line is a null"
		f.Effect = "Pi 0.74 cannot open the session; newer ones pass over the line"
	case pisession.NoObject:
		f.Code, f.Detail = NotAnEntry, "the line is JSON and no object"
		f.Effect = "Pi takes it for an entry without an id; if it is the last line, Pi goes on from it as if nothing had been said before"
	case pisession.BadHeader:
		f.Code, f.Detail = NotAnEntry, "the line is a header without an id"
		f.Effect = "Pi passes over it, unless it is the first line"
	case pisession.SecondHeader:
		f.Code, f.Level, f.Curable = SecondHeader, Note, false
		f.Detail = "the line is a second header: this may be two files put together"
		f.Effect = "Pi passes over it; the entries behind it are taken for those of the first session"
		f.Here = "the same"
	}
	c.r.add(f)
	return nil
}

// overwritten is what becomes of a file that does not begin with a header.
const overwritten = "Pi 0.74 writes an empty session over the file when it opens it; newer ones do not open it"

// maxPiHeader is how far Pi looks for the header when it makes a list of sessions, in bytes.
const maxPiHeader = 1 << 20

// header tells of the beginning and the end of the file.
func (c *piCheck) header() {
	h := c.session.Header
	switch {
	case h == nil:
		c.r.add(Finding{Code: Code(session.HeaderMissing), Level: Fault, Curable: len(c.tree.Entries) > 0,
			Detail: "the file has no header", Effect: overwritten,
			Here: "a repaired copy gets one, with the id in the file's name; Pi then takes the folder that it is started in for the session's"})
		return
	case h.Late:
		c.r.add(Finding{Code: LateHeader, Level: Fault, Line: h.Line, Offset: h.Offset, Curable: true,
			Detail: "the header is not the first line that is JSON", Effect: overwritten,
			Here: "a repaired copy begins with it"})
	case h.Offset+h.Length > maxPiHeader:
		c.r.add(Finding{Code: LongLine, Level: Note, Line: h.Line, Offset: h.Offset,
			Detail: "the header ends more than a megabyte behind the beginning of the file",
			Effect: "Pi does not find it when it lists sessions; by its path the session can be opened", Here: "it is read"})
	}
	if c.session.Mark {
		c.r.add(Finding{Code: ByteOrderMark, Level: Fault, Line: 1, Curable: true,
			Detail: "the file begins with a byte order mark", Effect: "Pi 0.74 passes over it; newer ones take the line for broken, and do not open the session",
			Here: inCopy})
	}
	if c.session.Open {
		c.r.add(Finding{Code: NoLineFeed, Level: Fault, Line: c.session.Lines, Curable: true,
			Detail: "no line feed ends the last line", Effect: "Pi 0.74 writes its next entry behind it on the same line, and loses both; newer ones end the line first",
			Here: "a repaired copy ends with one"})
	}
	f := Finding{Level: Note, Line: h.Line, Offset: h.Offset}
	switch {
	case h.Version == 0:
		f.Code, f.Detail = OtherVersion, "the header's version is no whole number"
		f.Effect, f.Here = "Pi takes the entries as they are", "the same"
	case h.Version > pisession.Version:
		f.Code, f.Detail = OtherVersion, fmt.Sprintf("the file has version %d of the format, and %d is the newest that is known here", h.Version, pisession.Version)
		f.Effect, f.Here = "an older Pi opens it as if it were its own, and passes over what it does not know", "the same"
	case h.Version < pisession.Version:
		f.Code, f.Detail = OtherVersion, fmt.Sprintf("the file has version %d of the format", h.Version)
		f.Effect = "Pi writes it anew, as version 3, as soon as it opens it; lines that are no entries are gone then"
		if h.Version == 1 {
			f.Effect = "Pi writes it anew, as version 3, as soon as it opens it: each entry gets an id and the one before it as its parent; lines that are no entries are gone then"
		}
		f.Here = "it is read as Pi does, and a repaired copy has the same version"
	default:
		return
	}
	c.r.add(f)
}
