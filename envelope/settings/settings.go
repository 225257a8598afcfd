// Package settings reads and writes xsettings.toml, the settings file that Pi and its extensions share,
// as the pi-xsettings host does: one table per category, and in it one key per owner and setting.
package settings

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/pelletier/go-toml/v2"
)

// FileName is the settings file's name in the agent directory.
const FileName = "xsettings.toml"

// ErrUnreadable is wrapped by the errors of a file that cannot be read or is not TOML.
var ErrUnreadable = errors.New("settings cannot be read")

// Key names one setting. Its place in the file is the TOML path Category, Owner, Name.
type Key struct{ Category, Owner, Name string }

// AuditEntries is the setting that says which messages are recorded in the session: a list of
// "developer" and "context-user".
var AuditEntries = Key{"appearance", "pi-developer-messages", "auditEntries"}

// Reason says where an effective value comes from.
type Reason string

const (
	// Stored: from the file.
	Stored Reason = "stored"
	// NotSet: the default, because the file has no value at the setting's path.
	NotSet Reason = "not-set"
	// WrongType: the default, because the value in the file is of another type.
	WrongType Reason = "wrong-type"
)

// Document is the content of a settings file. The zero value is an empty file.
type Document struct{ root map[string]any }

// Parse reads a settings file's content; the error wraps ErrUnreadable.
func Parse(data []byte) (Document, error) {
	root := map[string]any{}
	if err := toml.Unmarshal(data, &root); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return Document{}, fmt.Errorf("%w: line %d, column %d: %w", ErrUnreadable, line, column, err)
		}
		return Document{}, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return Document{root}, nil
}

// Value returns what is stored at a setting's path: the values of TOML as go-toml decodes them into
// any. It must not be changed.
func (d Document) Value(k Key) (any, bool) {
	category, _ := d.root[k.Category].(map[string]any)
	owner, _ := category[k.Owner].(map[string]any)
	value, ok := owner[k.Name]
	return value, ok
}

// AuditEntries returns the effective value of the setting AuditEntries: the known members of a stored
// list of texts, in order; the default, both, for everything else.
func (d Document) AuditEntries() ([]string, Reason) {
	both := []string{"developer", "context-user"}
	value, ok := d.Value(AuditEntries)
	if !ok {
		return both, NotSet
	}
	list, ok := value.([]any)
	if !ok {
		return both, WrongType
	}
	entries := []string{}
	for _, member := range list {
		s, ok := member.(string)
		if !ok {
			return both, WrongType
		}
		if s == both[0] || s == both[1] {
			entries = append(entries, s)
		}
	}
	return entries, Stored
}

// set stores a value; tables on the way are made.
func (d *Document) set(k Key, value any) error {
	if d.root == nil {
		d.root = map[string]any{}
	}
	table := d.root
	for _, name := range []string{k.Category, k.Owner} {
		next, exists := table[name]
		if !exists {
			next = map[string]any{}
			table[name] = next
		}
		inner, ok := next.(map[string]any)
		if !ok {
			return fmt.Errorf("%s cannot be set: %s is not a table in the settings file; remove or rename it there", k, name)
		}
		table = inner
	}
	table[k.Name] = value
	return nil
}

// unset removes a value and the tables that this leaves empty.
func (d *Document) unset(k Key) {
	category, _ := d.root[k.Category].(map[string]any)
	owner, _ := category[k.Owner].(map[string]any)
	if _, ok := owner[k.Name]; !ok {
		return
	}
	delete(owner, k.Name)
	if len(owner) == 0 {
		delete(category, k.Owner)
	}
	if len(category) == 0 {
		delete(d.root, k.Category)
	}
}

// String returns the path with dots.
func (k Key) String() string { return k.Category + "." + k.Owner + "." + k.Name }

// Path returns the settings file of an agent directory.
func Path(agentDir string) string { return filepath.Join(agentDir, FileName) }

// Notification is what a host shows, at level error, when loading failed.
func Notification(err error) string { return "Could not load " + FileName + ": " + err.Error() }
