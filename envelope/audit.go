package envelope

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/wtf8"
	"github.com/pintle-wasm/pintle/registry"
)

// Types of audit entries in a session. Only groups are written; the other two are older records of one
// message each.
const (
	TypeAuditGroup     = "pi-developer-messages/group"
	TypeAuditDeveloper = "pi-developer-messages/developer"
	TypeAuditContext   = "pi-developer-messages/context-user"
)

var auditTypes = []string{TypeAuditDeveloper, TypeAuditContext, TypeAuditGroup}

// Values of the setting auditEntries: which messages are recorded.
const (
	AuditDeveloper   = "developer"
	AuditContextUser = "context-user"
)

// SessionLog is the part of a host's session log that audits need. A session's log is used by one call
// at a time.
type SessionLog interface {
	// Branch returns the entries of the current branch, root first.
	Branch(ctx context.Context) ([]Entry, error)
	// Append adds an entry of type custom at the leaf; data is a JSON object.
	Append(ctx context.Context, customType string, data json.RawMessage) error
}

// Entry is one entry of a session's branch. CustomType and Data are those of entries of type custom,
// else they may be left out.
type Entry struct {
	Type, CustomType string
	Data             json.RawMessage
}

// Record is one audited message: role developer or user, id, and content as it was sent.
type Record struct{ Role, ID, Content string }

// MarshalJSON writes {role, id, content}.
func (r Record) MarshalJSON() ([]byte, error) {
	out := wtf8.AppendQuote([]byte(`{"role":`), r.Role)
	out = wtf8.AppendQuote(append(out, `,"id":`...), r.ID)
	out = wtf8.AppendQuote(append(out, `,"content":`...), r.Content)
	return append(out, '}'), nil
}

// AuditOutcome explains what was recorded in the session's log.
type AuditOutcome struct {
	// Recorded is the number of messages recorded, Current of those whose latest record says the same
	// already.
	Recorded int `json:"recorded"`
	Current  int `json:"current"`
	// Off is the number of messages that the setting leaves out.
	Off int `json:"off"`
	// Error is why the log could not be read or written. A record that was not written is tried again
	// in the next turn.
	Error string `json:"error,omitempty"`
}

// SetAuditEntries sets which messages are recorded from now on, the value of the setting auditEntries;
// nil restores the default, both kinds. Unknown values are ignored. A service that is not Available no
// longer takes published settings.
func (s *Service) SetAuditEntries(values []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.audit = slices.Clone(values)
	}
}

// publish appends the records of env that are not current to the log, as one group.
func (s *Service) publish(
	ctx context.Context, st *session, log SessionLog, env *Envelope,
) (AuditOutcome, error) {
	s.mu.Lock()
	setting := s.audit
	s.mu.Unlock()
	var outcome AuditOutcome
	var candidates []Record
	add := func(kind, role string, messages []registry.Message) {
		if setting != nil && !slices.Contains(setting, kind) {
			outcome.Off += len(messages)
			return
		}
		for _, m := range messages {
			candidates = append(candidates, Record{role, m.ID, m.Content})
		}
	}
	add(AuditDeveloper, "developer", env.DeveloperMessages)
	add(AuditContextUser, "user", env.ContextualUserMessages)

	st.auditMu.Lock()
	defer st.auditMu.Unlock()
	branch, err := log.Branch(ctx)
	if err != nil {
		outcome.Error = err.Error()
		return outcome, fmt.Errorf("session branch cannot be read: %w", err)
	}
	latest := latestRecords(branch, candidates)
	var fresh []Record
	for i, c := range candidates {
		if latest[i] == nil || latest[i].Content != c.Content {
			fresh = append(fresh, c)
		}
	}
	outcome.Current = len(candidates) - len(fresh)
	if len(fresh) == 0 {
		return outcome, nil
	}
	data := []byte(`{"entries":[`)
	for i, r := range fresh {
		if i > 0 {
			data = append(data, ',')
		}
		raw, _ := r.MarshalJSON() // never fails
		data = append(data, raw...)
	}
	if err := log.Append(ctx, TypeAuditGroup, append(data, "]}"...)); err != nil {
		outcome.Error = err.Error()
		return outcome, nil
	}
	outcome.Recorded = len(fresh)
	return outcome, nil
}

// latestRecords finds the latest record of each candidate on a branch, by role and id, in one walk from
// the leaf.
func latestRecords(branch []Entry, candidates []Record) []*Record {
	latest := make([]*Record, len(candidates))
	open := len(candidates)
	for i := len(branch) - 1; i >= 0 && open > 0; i-- {
		if branch[i].Type != "custom" {
			continue
		}
		records, known := parseAudit(branch[i].CustomType, branch[i].Data)
		if !known {
			continue
		}
		for at, c := range candidates {
			if latest[at] != nil {
				continue
			}
			for k := range records {
				if records[k].Role == c.Role && records[k].ID == c.ID {
					latest[at] = &records[k]
					open--
					break
				}
			}
		}
	}
	return latest
}

// parseAudit reads the data of an audit entry. known is false for another custom type; the records are
// nil when the data is not valid.
func parseAudit(customType string, data []byte) (records []Record, known bool) {
	if !slices.Contains(auditTypes, customType) {
		return nil, false
	}
	doc, err := jsonspan.Scan(data, 3)
	if err != nil {
		return nil, true
	}
	if customType != TypeAuditGroup {
		if r, ok := parseRecord(doc.Root()); ok {
			return []Record{r}, true
		}
		return nil, true
	}
	entries := jsonvalue.Member(doc.Root(), "entries")
	if entries.Kind() != jsonspan.Array {
		return nil, true
	}
	records = []Record{}
	for n := entries.First(); n.Kind() != jsonspan.Absent; n = n.Next() {
		r, ok := parseRecord(n)
		if !ok {
			return nil, true
		}
		records = append(records, r)
	}
	return records, true
}

func parseRecord(n jsonspan.Node) (Record, bool) {
	role, ok1 := jsonvalue.Text(jsonvalue.Member(n, "role"))
	id, ok2 := jsonvalue.Text(jsonvalue.Member(n, "id"))
	content, ok3 := jsonvalue.Text(jsonvalue.Member(n, "content"))
	return Record{role, id, content}, ok1 && ok2 && ok3 && (role == "developer" || role == "user")
}
