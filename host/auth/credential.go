package auth

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"strconv"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// The types of credentials that are known.
const (
	OAuthType = "oauth"
	APIType   = "api"
)

// A Credential is what a plugin keeps to log in with:
//
//	{"type":"oauth","access":text,"refresh":text,"expires":ms}
//	{"type":"api","key":text,"metadata":{…}}
//
// Members that are not known are kept, and so are other types. A Credential does not change, is safe
// for concurrent use and shows nothing but its type when it is printed, logged or marshaled. Two with
// the same content are told apart: a plugin that stores one again has stored another one.
type Credential struct {
	kind                 string
	access, refresh, key Secret
	expires              float64 // 0: not known
	object               Secret  // all of it, as JSON
}

// ParseCredential reads what a plugin stores: a JSON object with a string type. The error is an
// *[Error] of kind KindMalformed.
func ParseCredential(data []byte) (*Credential, error) {
	object, ok := ordered.ParseObject(data)
	if !ok {
		return nil, malformed("a credential must be a JSON object")
	}
	kind, ok := object.Text("type")
	if !ok {
		return nil, malformed(`a credential needs a type, such as "oauth" or "api"`)
	}
	c := &Credential{kind: kind, object: NewSecret(string(object.JSON()))}
	text := func(o *ordered.Object, key string) (s Secret) {
		if text, ok := o.Text(key); ok {
			s = NewSecret(text)
		}
		return s
	}
	switch kind {
	case OAuthType:
		c.access, c.refresh = text(&object, "access"), text(&object, "refresh")
		c.expires = finite(jsonvalue.NumberOf(object.Get("expires")))
	case APIType:
		c.key = text(&object, "key")
		if metadata, ok := ordered.ParseObject(object.Get("metadata")); ok {
			c.refresh = text(&metadata, "refreshToken")
		}
	}
	return c, nil
}

func malformed(text string) error { return &Error{Kind: KindMalformed, Text: text} }

// finite is a number, or 0 for one that JSON cannot hold and for what is none.
func finite(f float64, isNumber bool) float64 {
	if !isNumber || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0
	}
	return f
}

// OAuth is the credential of an access token that ends at a time, in milliseconds of the Unix epoch,
// and can be refreshed unless the refresh token is empty.
func OAuth(access, refresh Secret, expires float64) *Credential {
	w := jsonvalue.Begin(nil)
	w.Text("type", OAuthType)
	w.Text("access", access.Reveal())
	w.Text("refresh", refresh.Reveal())
	expires = finite(expires, true)
	w.Raw("expires", ecma.AppendNumber(nil, expires))
	return &Credential{
		kind: OAuthType, access: access, refresh: NewSecret(refresh.Reveal()), expires: expires,
		object: NewSecret(string(w.End())),
	}
}

// APIKey is the credential of a key. Metadata is a JSON object; anything else is left out.
func APIKey(key Secret, metadata json.RawMessage) *Credential {
	c := &Credential{kind: APIType, key: key}
	w := jsonvalue.Begin(nil)
	w.Text("type", APIType)
	w.Text("key", key.Reveal())
	if object, ok := ordered.ParseObject(metadata); ok {
		if text, ok := object.Text("refreshToken"); ok {
			c.refresh = NewSecret(text)
		}
		w.Raw("metadata", object.JSON())
	}
	c.object = NewSecret(string(w.End()))
	return c
}

// Type is "oauth", "api", or another type that only the plugin knows.
func (c *Credential) Type() string { return c.kind }

// Secret is what requests are made with: the access token or the key. It is not set for other types.
func (c *Credential) Secret() Secret {
	if c.kind == OAuthType {
		return c.access
	}
	return c.key
}

// Reveal is the credential as JSON, secrets included: what a plugin reads, for its runtime alone.
func (c *Credential) Reveal() json.RawMessage { return json.RawMessage(c.object.Reveal()) }

// Host is the credential as a host keeps it. One that cannot be refreshed is presented as valid for
// 3650 days, whatever it says, so that the host does not try. The error for other types than "oauth"
// and "api" is an *[Error] of kind KindMalformed.
func (c *Credential) Host(now time.Time) (HostCredential, error) {
	if c.kind != OAuthType && c.kind != APIType {
		return HostCredential{}, malformed(
			"a credential of the type " + strconv.Quote(c.kind) + ` is of no use to a host: it must be "oauth" or "api"`)
	}
	host := HostCredential{Access: NewSecret(c.Secret().Reveal()), Refresh: NewSecret(c.refresh.Reveal())}
	switch {
	case c.refresh.Reveal() == "":
		host.Expires = millis(now.Add(forever))
	case c.expires != 0:
		host.Expires = c.expires
	default:
		host.Expires = TokenExpiry(host.Access, now)
	}
	return host, nil
}

// String is the credential's type with nothing of what it holds.
func (c *Credential) String() string {
	if c == nil {
		return "no credential"
	}
	return "credential " + strconv.Quote(c.kind) + " " + Redacted
}

// GoString is String.
func (c *Credential) GoString() string { return c.String() }

// Format prints String, whatever the verb.
func (c *Credential) Format(f fmt.State, _ rune) { io.WriteString(f, c.String()) }

// LogValue logs String.
func (c *Credential) LogValue() slog.Value { return slog.StringValue(c.String()) }

// MarshalText gives String to encoding/json and other encoders.
func (c *Credential) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// A HostCredential is what a host keeps to log in with. Expires is in milliseconds of the Unix epoch.
// Its secrets do not show when it is printed, logged or marshaled; use Reveal to store it.
type HostCredential struct {
	Access  Secret  `json:"access"`
	Refresh Secret  `json:"refresh"`
	Expires float64 `json:"expires"`
}

// ParseHostCredential reads what Reveal gives: a JSON object {access, refresh, expires} of two strings
// and a number. What is absent is empty. The error is an *[Error] of kind KindMalformed.
func ParseHostCredential(data []byte) (HostCredential, error) {
	object, ok := ordered.ParseObject(data)
	access, isText := object.Text("access")
	if !ok || !isText {
		return HostCredential{}, malformed("a host's credential must be a JSON object with a string access")
	}
	if access == Redacted {
		return HostCredential{}, malformed(
			"the secrets of a host's credential are lost: store what Reveal returns, not what a JSON encoder does")
	}
	refresh, _ := object.Text("refresh")
	return HostCredential{
		Access: NewSecret(access), Refresh: NewSecret(refresh),
		Expires: finite(jsonvalue.NumberOf(object.Get("expires"))),
	}, nil
}

// Reveal is the credential as JSON, secrets included, for the host's own store alone.
func (h HostCredential) Reveal() json.RawMessage {
	w := jsonvalue.Begin(nil)
	w.Text("access", h.Access.Reveal())
	w.Text("refresh", h.Refresh.Reveal())
	w.Raw("expires", ecma.AppendNumber(nil, finite(h.Expires, true)))
	return w.End()
}

// Key is what requests are made with: the access token.
func (h HostCredential) Key() Secret { return h.Access }

// plugin is the credential as a plugin refreshes it.
func (h HostCredential) plugin() *Credential { return OAuth(h.Access, h.Refresh, h.Expires) }
