package doctor

import (
	"context"
	"fmt"

	"github.com/pintle-wasm/pintle/envelope"
	"github.com/pintle-wasm/pintle/host/message"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/pisession"
)

// A piBranch is what the next request of a session of Pi is made of, while it is gone through.
type piBranch struct {
	*piCheck
	r     *Report
	tree  *pisession.Tree
	calls calls
	api   string // that of the route, "" if it is not known
	// unmeasured is the last answer, if it does not say what it has used; -1 if it does.
	unmeasured int
}

// branch looks at the messages of a tree's branch, and tells r of them.
func (c *piCheck) branch(ctx context.Context, t *pisession.Tree, r *Report) error {
	b := &piBranch{piCheck: c, r: r, tree: t, unmeasured: -1}
	b.calls = calls{add: b.aboutCall, real: func(int) {}}
	if err := b.route(); err != nil {
		return err
	}
	in := t.Context()
	if in.KeptLost {
		b.add(in.Compaction, Finding{Code: KeptEntryMissing, Level: Fault,
			Detail: fmt.Sprintf("the compaction keeps what comes from the entry %s on, which is not on the branch before it", quote(t.Entries[in.Compaction].Target)),
			Effect: "Pi sends the summary and nothing of what was to be kept, without a word",
			Here:   "the same; what was to be kept is not known"})
	}
	for at, i := range in.Entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := &t.Entries[i]
		if e.NoMessage() || e.NoContent() || at > 0 && e.Type == pisession.Compaction {
			continue
		}
		switch e.Type {
		case pisession.Message, pisession.CustomMessage, pisession.Compaction, pisession.BranchSummary:
		default:
			continue
		}
		content, left, err := b.edited(in, e)
		if err != nil {
			return err
		}
		if left {
			continue
		}
		text, err := b.text(e)
		if err != nil {
			return err
		}
		b.entry(i, text, content)
	}
	b.calls.end()
	if b.unmeasured >= 0 {
		b.add(b.unmeasured, Finding{Code: InvalidMessage, Level: Fault, Detail: "the answer, the last one of the branch, has no usage",
			Effect: "Pi fails on it when it looks how much room there is, with every request",
			Here:   "it is passed over; what was used is not known, so no copy cures it"})
	}
	return nil
}

func (b *piBranch) add(i int, f Finding) { b.r.add(b.at(&b.tree.Entries[i], f)) }

// text is that of an entry, until the next one's.
func (c *piCheck) text(e *pisession.Entry) (text []byte, err error) {
	if cap(c.buf) > 1<<20 && e.Length < 1<<20 {
		c.buf = nil
	}
	c.buf, err = e.Text(c.file, c.buf)
	return c.buf, err
}

// edited returns what an edit puts in the place of an entry's content, and whether it leaves the entry out.
func (b *piBranch) edited(in *pisession.Context, e *pisession.Entry) (content []byte, left bool, err error) {
	i, ok := in.Edits[e.ID]
	if !ok {
		return nil, false, nil
	}
	text, err := b.text(&b.tree.Entries[i])
	if err != nil {
		return nil, false, err
	}
	replacement := jsonvalue.Pick(text, "replacement")[0]
	if string(replacement) == "null" {
		return nil, true, nil
	}
	if content := jsonvalue.Pick(replacement, "content")[0]; len(content) > 0 {
		return append([]byte{}, content...), false, nil // the text goes when the next one is read
	}
	return nil, false, nil
}

// count counts a message of the next request.
func (b *piBranch) count(role string) {
	b.r.Messages++
	for i := range b.r.Pi.Roles {
		if b.r.Pi.Roles[i].Role == role {
			b.r.Pi.Roles[i].Count++
			return
		}
	}
	b.r.Pi.Roles = append(b.r.Pi.Roles, RoleCount{role, 1})
}

// user counts a message that Pi sends as the user's, which ends a round of tools.
func (b *piBranch) user(i int, role string) {
	b.count(role)
	b.calls.message(i, &message.Message{Role: message.User})
}

// entry looks at what one entry adds to the request. content takes the place of its message's content,
// unless it is nil.
func (b *piBranch) entry(i int, text, content []byte) {
	e := &b.tree.Entries[i]
	switch e.Type {
	case pisession.Compaction:
		if system := jsonvalue.Pick(text, "systemMessage")[0]; len(system) > 0 && system[0] == '{' {
			b.count("system")
		}
		b.user(i, "compactionSummary")
		return
	case pisession.BranchSummary:
		if jsonvalue.StringOf(jsonvalue.Pick(text, "summary")[0]) != "" {
			b.user(i, "branchSummary")
		}
		return
	case pisession.CustomMessage:
		b.custom(i, text, content)
		b.user(i, "custom")
		return
	}
	m := jsonvalue.Pick(text, "message")[0]
	if content == nil {
		content = jsonvalue.Pick(m, "content")[0]
	}
	role := e.Role
	if role == "hookMessage" && b.session.Header != nil && b.session.Header.Version <= 2 {
		role = "custom"
	}
	switch role {
	case "system": // it goes between a call and its result without a trace
		b.count(role)
	case "assistant":
		b.answer(i, m, content)
	case "toolResult":
		b.result(i, m, content)
	case "user", "custom":
		b.blocks(i, content, "text", "image")
		b.user(i, role)
	case "branchSummary", "compactionSummary":
		b.user(i, role)
	case "bashExecution":
		if string(jsonvalue.Pick(m, "excludeFromContext")[0]) != "true" {
			b.user(i, role)
		}
	default:
		b.add(i, Finding{Code: UnknownRole, Level: Note, Detail: fmt.Sprintf("the message's role %s is not known here", quote(role)),
			Effect: "a Pi that does not know it does not send it", Here: "the same"})
	}
}

// custom looks at a message of an extension.
func (b *piBranch) custom(i int, text, content []byte) {
	if content == nil {
		content = jsonvalue.Pick(text, "content")[0]
	}
	if len(content) == 0 || content[0] != '[' && content[0] != '"' {
		b.add(i, Finding{Code: InvalidMessage, Level: Fault, Detail: "the content of the extension's message is neither a text nor a list",
			Effect: "Pi 0.74 fails on each request with it; newer ones leave it out",
			Here:   "it is passed over; what was in it is not known, so no copy cures it"})
	}
	b.blocks(i, content, "text", "image")
	switch name := b.tree.Entries[i].CustomType; name {
	case envelope.TypeContext:
		b.add(i, Finding{Code: StoredContext, Level: Note, Detail: "the message of the context files is stored in the session",
			Effect: "without the extension that makes it, it is sent with each request as it once was; with the extension a new one takes its place",
			Here:   "a new one takes its place"})
	case envelope.TypeAuditGroup, envelope.TypeAuditDeveloper, envelope.TypeAuditContext:
		b.add(i, Finding{Code: AuditInContext, Level: Fault, Detail: fmt.Sprintf("an audit, %s, is stored as a message", quote(name)),
			Effect: "Pi sends it with each request as if the user had written it",
			Here:   "no copy goes without it, as that would change what the model was told; Pi 1.6 can take it out with an edit of the context"})
	}
}

// aboutCall says of a finding about calls what Pi makes of it.
func (b *piBranch) aboutCall(i int, f Finding) {
	switch f.Code {
	case CallWithoutResult:
		f.Level = Note
		f.Effect = "Pi sends the error \"No result provided\" in its place with each request, so that the model takes the call for failed, whether it was run or not"
		f.Here = "the same; what came of the call is not known"
	case ResultWithoutCall:
		f.Effect = "Pi sends the result all the same, and providers refuse every request with it"
		f.Here = "no copy goes without it, as that would change what the model was told; going back in Pi to an entry before it leaves it behind"
	case DuplicateCall:
		f.Here = "a result belongs to the nearest call before it, for Pi too"
		if f.Level == Fault {
			f.Here = "Pi sends both: only the model could say which is which"
		}
	}
	b.add(i, f)
}

// result looks at a tool's result.
func (b *piBranch) result(i int, m, content []byte) {
	b.count("toolResult")
	id, ok := jsonvalue.TextOf(jsonvalue.Pick(m, "toolCallId")[0])
	if !ok {
		b.invalid(i, "the result does not name its call")
		return
	}
	b.blocks(i, content, "text", "image")
	b.calls.message(i, &message.Message{Role: message.User, Content: []message.Block{{Type: message.ToolResult, ToolCallID: id}}})
}

func (b *piBranch) invalid(i int, detail string) {
	b.add(i, Finding{Code: InvalidMessage, Level: Fault, Detail: detail,
		Effect: "Pi fails on it, or a provider refuses it, with every request",
		Here:   "it is passed over; what it should be is not known, so no copy cures it"})
}
