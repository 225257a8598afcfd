package auth

import (
	"fmt"
	"io"
	"log/slog"
)

// Redacted is what is shown in the place of a secret.
const Redacted = "[redacted]"

// A Secret is a text that is not to be shown: fmt prints Redacted for every verb, slog logs it and
// encoding/json writes it. That holds for secrets in fields of other values too, unexported ones
// included. The zero Secret is none; an empty text is a secret as well. Secrets do not change and are
// safe for concurrent use. They are told apart by what Reveal returns, not by ==.
type Secret struct {
	// A pointer, because fmt prints the fields of structs that it cannot call methods of, but does not
	// follow their pointers.
	text *string
}

// NewSecret makes a text a secret.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal is the text, "" for none.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsSet says whether there is one, be it empty.
func (s Secret) IsSet() bool { return s.text != nil }

// is says whether two have the same text.
func (s Secret) is(other Secret) bool { return s.Reveal() == other.Reveal() }

// String is Redacted, or "" if there is nothing to hide.
func (s Secret) String() string {
	if s.Reveal() == "" {
		return ""
	}
	return Redacted
}

// GoString is String.
func (s Secret) GoString() string { return s.String() }

// Format prints String, whatever the verb.
func (s Secret) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// LogValue logs String.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }

// MarshalText gives String to encoding/json and other encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }
