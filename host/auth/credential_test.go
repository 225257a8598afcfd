package auth

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const inTenYears = 1_700_000_000_000 + 3650*86_400_000

func TestCredentialForTheHost(t *testing.T) {
	jwt := token(`{"exp":1900000000}`).Reveal()
	for in, want := range map[string]HostCredential{
		`{"type":"oauth","access":"a","refresh":"r","expires":123}`:        {NewSecret("a"), NewSecret("r"), 123},
		`{"type":"oauth","access":"a","refresh":"r","expires":-1}`:         {NewSecret("a"), NewSecret("r"), -1},
		`{"type":"oauth","access":"a","refresh":"r","expires":1.5}`:        {NewSecret("a"), NewSecret("r"), 1.5},
		`{"type":"oauth","access":"a","refresh":"r","expires":0}`:          {NewSecret("a"), NewSecret("r"), inAnHour},
		`{"type":"oauth","access":"a","refresh":"r","expires":"9"}`:        {NewSecret("a"), NewSecret("r"), inAnHour},
		`{"type":"oauth","access":"a","refresh":"r","expires":1e999}`:      {NewSecret("a"), NewSecret("r"), inAnHour},
		`{"type":"oauth","access":"` + jwt + `","refresh":"r"}`:            {NewSecret(jwt), NewSecret("r"), 1_900_000_000_000},
		`{"type":"oauth","access":"` + jwt + `","refresh":"","expires":5}`: {NewSecret(jwt), NewSecret(""), inTenYears},
		`{"type":"oauth","access":"a","refresh":7}`:                        {NewSecret("a"), NewSecret(""), inTenYears},
		`{"type":"oauth"}`:         {NewSecret(""), NewSecret(""), inTenYears},
		`{"type":"api","key":"k"}`: {NewSecret("k"), NewSecret(""), inTenYears},
		`{"type":"api","key":"` + jwt + `","metadata":{"a":1}}`:                 {NewSecret(jwt), NewSecret(""), inTenYears},
		`{"type":"api","key":"` + jwt + `","metadata":{"refreshToken":"rt"}}`:   {NewSecret(jwt), NewSecret("rt"), 1_900_000_000_000},
		`{"type":"api","key":"k","expires":5,"metadata":{"refreshToken":"rt"}}`: {NewSecret("k"), NewSecret("rt"), inAnHour},
		`{"type":"api","key":"k","metadata":{"refreshToken":""}}`:               {NewSecret("k"), NewSecret(""), inTenYears},
		`{"type":"api","key":"k","metadata":{"refreshToken":5}}`:                {NewSecret("k"), NewSecret(""), inTenYears},
		`{"type":"api","key":"k","metadata":[{"refreshToken":"rt"}]}`:           {NewSecret("k"), NewSecret(""), inTenYears},
	} {
		c, err := ParseCredential([]byte(in))
		require.NoError(t, err, in)
		got, err := c.Host(now)
		require.NoError(t, err, in)
		assert.Equal(t, want, got, in)
		assert.Equal(t, got.Access, got.Key())
	}
	c, err := ParseCredential([]byte(`{"type":"wellknown","key":"k","token":"t"}`))
	require.NoError(t, err)
	assert.False(t, c.Secret().IsSet())
	_, err = c.Host(now)
	require.ErrorContains(t, err, `"wellknown"`)
	assert.Equal(t, KindMalformed, kindOf(t, err))
}

func kindOf(t *testing.T, err error) Kind {
	t.Helper()
	var e *Error
	require.ErrorAs(t, err, &e)
	return e.Kind
}

func TestParseCredential(t *testing.T) {
	c, err := ParseCredential([]byte(`{"expires":5, "type":"oauth","accountId":"x<y","access":"a","access":"b"}`))
	require.NoError(t, err)
	assert.Equal(t, OAuthType, c.Type())
	assert.Equal(t, "b", c.Secret().Reveal())
	assert.JSONEq(t, `{"expires":5,"type":"oauth","accountId":"x<y","access":"b"}`, string(c.Reveal()), "what is not known stays")
	for _, in := range []string{``, `null`, `[]`, `"oauth"`, `{}`, `{"type":null}`, `{"type":"oauth"`} {
		_, err := ParseCredential([]byte(in))
		assert.Equal(t, KindMalformed, kindOf(t, err), in)
	}
}

func TestMadeCredentials(t *testing.T) {
	for _, c := range []struct {
		made *Credential
		want string
	}{
		{OAuth(NewSecret("a\"<"), NewSecret("r"), 5), `{"type":"oauth","access":"a\"<","refresh":"r","expires":5}`},
		{OAuth(NewSecret("a"), Secret{}, math.Inf(1)), `{"type":"oauth","access":"a","refresh":"","expires":0}`},
		{OAuth(NewSecret("a"), Secret{}, math.NaN()), `{"type":"oauth","access":"a","refresh":"","expires":0}`},
		{APIKey(NewSecret("k"), nil), `{"type":"api","key":"k"}`},
		{APIKey(NewSecret("k"), json.RawMessage(`["x"]`)), `{"type":"api","key":"k"}`},
		{APIKey(NewSecret("k"), json.RawMessage(`{"refreshToken":"rt"}`)), `{"type":"api","key":"k","metadata":{"refreshToken":"rt"}}`},
	} {
		assert.Equal(t, c.want, string(c.made.Reveal()))
		again, err := ParseCredential(c.made.Reveal())
		require.NoError(t, err)
		assert.Equal(t, c.made, again, "it reads what it makes")
	}
}

func TestHostCredential(t *testing.T) {
	for in, want := range map[string]string{
		`{"access":"a","refresh":"r","expires":5}`:      `{"access":"a","refresh":"r","expires":5}`,
		`{"access":"a","expires":1.5e3,"more":[1]}`:     `{"access":"a","refresh":"","expires":1500}`,
		`{"access":"a","refresh":null,"expires":1e999}`: `{"access":"a","refresh":"","expires":0}`,
	} {
		h, err := ParseHostCredential([]byte(in))
		require.NoError(t, err, in)
		assert.Equal(t, want, string(h.Reveal()), in)
	}
	for _, in := range []string{``, `[]`, `{}`, `{"access":5}`, `{"access":"a"`} {
		_, err := ParseHostCredential([]byte(in))
		assert.Equal(t, KindMalformed, kindOf(t, err), in)
	}
	// A host that stores what a JSON encoder writes has lost the secrets, and learns it when it reads.
	stored, err := json.Marshal(HostCredential{NewSecret("a"), NewSecret("r"), 5})
	require.NoError(t, err)
	_, err = ParseHostCredential(stored)
	assert.ErrorContains(t, err, "Reveal")
}

func TestCallbackCredential(t *testing.T) {
	jwt := token(`{"exp":1900000000}`).Reveal()
	for in, want := range map[string]string{
		`{"type":"success","access":"a","refresh":"r","expires":9}`:     `{"type":"oauth","access":"a","refresh":"r","expires":9}`,
		`{"type":"success","access":"a","expires":0}`:                   `{"type":"oauth","access":"a","refresh":"","expires":0}`,
		`{"type":"success","access":"a"}`:                               `{"type":"oauth","access":"a","refresh":"","expires":1700003600000}`,
		`{"type":"success","access":"` + jwt + `","expires":"9"}`:       `{"type":"oauth","access":"` + jwt + `","refresh":"","expires":1900000000000}`,
		`{"type":"success","access":"","key":"k","expires":1}`:          `{"type":"oauth","access":"","refresh":"","expires":1}`,
		`{"type":"success","access":null,"key":"k"}`:                    `{"type":"api","key":"k"}`,
		`{"type":"success","key":"k","metadata":{"a":1},"refresh":"r"}`: `{"type":"api","key":"k","metadata":{"a":1}}`,
		`{"type":"success","key":"k","metadata":null}`:                  `{"type":"api","key":"k"}`,
		`{"type":"success","key":"k","metadata":"x"}`:                   `{"type":"api","key":"k"}`,
	} {
		c, err := CallbackCredential(json.RawMessage(in), now)
		require.NoError(t, err, in)
		assert.Equal(t, want, string(c.Reveal()), in)
	}
	for in, want := range map[string]Kind{
		`{"type":"success"}`:                     KindNoCredential,
		`{"type":"success","access":5,"key":[]}`: KindNoCredential,
		`{"type":"failed","access":"a"}`:         KindLoginRefused,
		`{"access":"a"}`:                         KindLoginRefused,
		`{}`:                                     KindLoginRefused, `null`: KindLoginRefused, ``: KindLoginRefused, `[]`: KindLoginRefused,
	} {
		_, err := CallbackCredential(json.RawMessage(in), now)
		assert.Equal(t, want, kindOf(t, err), in)
	}
}
