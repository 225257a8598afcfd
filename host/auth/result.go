package auth

import (
	"encoding/json"
	"time"

	"github.com/pintle-wasm/pintle/internal/ecma/jsonspan"
	"github.com/pintle-wasm/pintle/internal/ecma/jsonvalue"
	"github.com/pintle-wasm/pintle/internal/ecma/ordered"
)

// CallbackCredential makes a credential of what the callback of an OAuth login answers:
//
//	{"type":"success","access":text,"refresh"?:text,"expires"?:ms}
//	{"type":"success","key":text,"metadata"?:{…}}
//
// An access token wins over a key. Without a refresh token it has an empty one, and without expires
// that of [TokenExpiry]. The error is an *[Error] of kind KindLoginRefused if the type is another, and
// KindNoCredential if there is neither an access token nor a key.
func CallbackCredential(result json.RawMessage, now time.Time) (*Credential, error) {
	object, err := success(result)
	if err != nil {
		return nil, err
	}
	access, ok := object.Text("access")
	if !ok {
		return keyCredential(&object)
	}
	refresh, _ := object.Text("refresh")
	expires, ok := jsonvalue.NumberOf(object.Get("expires"))
	if !ok {
		expires = TokenExpiry(NewSecret(access), now)
	}
	return OAuth(NewSecret(access), NewSecret(refresh), expires), nil
}

// success reads the result of a login.
func success(result json.RawMessage) (ordered.Object, error) {
	object, _ := ordered.ParseObject(result)
	if kind, _ := object.Text("type"); kind != "success" {
		return object, &Error{Kind: KindLoginRefused, Text: "the login did not succeed: try again"}
	}
	return object, nil
}

// keyCredential makes a credential of a result that has a key.
func keyCredential(result *ordered.Object) (*Credential, error) {
	key, ok := result.Text("key")
	if !ok {
		return nil, &Error{
			Kind: KindNoCredential, Text: "the login succeeded, but the plugin gave neither an access token nor a key",
		}
	}
	return APIKey(NewSecret(key), result.Get("metadata")), nil
}

// isNull says whether a value is absent or null.
func isNull(value json.RawMessage) bool {
	w := jsonspan.Walk(value)
	return w.Kind() <= jsonspan.Null
}
