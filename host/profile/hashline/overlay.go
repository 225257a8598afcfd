package hashline

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pintle-wasm/pintle/host/profile/internal/toolargs"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// Why an edit is refused. The errors that are returned wrap one of these, or one of the file's.
var (
	ErrMissingFields = errors.New("the edit needs a path, the old text and the new text")
	ErrEmptyOld      = errors.New("the old text is empty: give the text to replace")
	ErrNotFound      = errors.New("the old text is not in the file: read the file again and give it exactly")
	ErrAmbiguous     = errors.New("the old text is in the file more than once: give more of it, or replace all")
	ErrGrows         = fmt.Errorf("the file would have more than %d bytes: replace less, or by less", MaxFile)
)

// An Edit replaces a text in a file.
type Edit struct {
	// Path is not empty.
	Path     string
	Old, New string
	// All replaces every occurrence; otherwise there must be one.
	All bool
}

// IsPatch says that the arguments of an edit hold a patch, which is for the host's own tool.
func IsPatch(arguments json.RawMessage) bool {
	object, _ := ordered.ParseObject(arguments)
	_, ok := object.Text("input")
	return ok
}

// ParseEdit reads the arguments of an edit in any of their spellings: path, filePath or file_path; old_string,
// oldString or oldText, and so for the new text; replace_all or replaceAll. The first one that is a string
// counts, and of the last two whether one is true. The error is [ErrMissingFields].
func ParseEdit(arguments json.RawMessage) (Edit, error) {
	object, _ := ordered.ParseObject(arguments)
	path, _ := firstText(&object, "path", "filePath", "file_path")
	before, hasOld := firstText(&object, toolargs.OldTexts[:]...)
	after, hasNew := firstText(&object, toolargs.NewTexts[:]...)
	if path == "" || !hasOld || !hasNew {
		return Edit{}, ErrMissingFields
	}
	all := slices.ContainsFunc(toolargs.Every[:], func(key string) bool { return string(object.Get(key)) == "true" })
	return Edit{Path: path, Old: before, New: after, All: all}, nil
}

func firstText(object *ordered.Object, keys ...string) (string, bool) {
	for _, key := range keys {
		if text, ok := object.Text(key); ok {
			return text, true
		}
	}
	return "", false
}

// Replace makes an edit in a text, literally, and returns how many times the old text was replaced.
// Occurrences do not overlap: there are two of "aa" in "aaaa". No text grows beyond [MaxFile] bytes. The
// error is [ErrEmptyOld], [ErrNotFound], [ErrAmbiguous] or [ErrGrows].
func (e *Edit) Replace(source string) (text string, replaced int, err error) {
	if e.Old == "" {
		return "", 0, ErrEmptyOld
	}
	growth := len(e.New) - len(e.Old)
	switch n := strings.Count(source, e.Old); {
	case n == 0:
		return "", 0, ErrNotFound
	case n > 1 && !e.All:
		return "", 0, ErrAmbiguous
	case growth > 0 && n > (MaxFile-len(source))/growth:
		return "", 0, ErrGrows
	default:
		return strings.ReplaceAll(source, e.Old, e.New), n, nil
	}
}
